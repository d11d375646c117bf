//! Variables of the environment in the headers of HTTP hooks.

/// A header's value with `$NAME` and `${NAME}` replaced. Only variables in `allowed` are looked up; in place of any other one
/// nothing is sent, as in Claude Code. What a variable holds is not looked at again, so it cannot name another one.
pub(super) fn expand(value: &str, allowed: &[String], env: &dyn Fn(&str) -> Option<String>) -> String {
    let mut expanded = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        rest = match reference(after) {
            Some((name, behind)) => {
                let known = allowed.iter().any(|allowed| allowed == name);
                expanded.extend(known.then(|| env(name)).flatten());
                behind
            }
            None => {
                expanded.push('$');
                after
            }
        };
    }
    expanded.push_str(rest);
    expanded
}

/// The name behind a dollar sign, and what follows the reference.
fn reference(text: &str) -> Option<(&str, &str)> {
    let (name, behind) = match text.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => text.split_at(text.find(|c: char| !is_part_of_name(c)).unwrap_or(text.len())),
    };
    let is_name = name.chars().all(is_part_of_name) && !name.starts_with(|c: char| c.is_ascii_digit());
    (is_name && !name.is_empty()).then_some((name, behind))
}

fn is_part_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_variables_are_sent_and_each_under_its_whole_name() {
        let env = |name: &str| match name {
            "TOKEN" => Some("t $OTHER ${TOKEN_ID}".to_owned()),
            "TOKEN_ID" => Some("7".to_owned()),
            "OTHER" => Some("secret".to_owned()),
            _ => None,
        };
        let allowed = ["TOKEN".to_owned(), "TOKEN_ID".to_owned(), "UNSET".to_owned()];
        for (value, expected) in [
            ("Bearer $TOKEN_ID", "Bearer 7"),
            ("a${TOKEN_ID}b", "a7b"),
            ("$TOKEN", "t $OTHER ${TOKEN_ID}"),
            ("<$OTHER|${OTHER}|$UNSET>", "<||>"),
            ("$", "$"),
            ("$5 ${} ${TOKEN_ID $-", "$5 ${} ${TOKEN_ID $-"),
            ("plain", "plain"),
        ] {
            assert_eq!(expand(value, &allowed, &env), expected, "{value}");
        }
    }
}
