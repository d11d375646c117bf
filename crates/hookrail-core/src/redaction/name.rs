/// Words that, at the end of a name, say that its value is a secret.
const SECRET: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "secrets",
    "token",
    "credential",
    "credentials",
    "authorization",
    "cookie",
    "jwt",
    "apikey",
    "apitoken",
    "authtoken",
    "accesstoken",
    "accesskey",
    "secretkey",
    "privatekey",
];
/// Words that say so only behind another one: `DB_PASS`, not `pass`; `db.pwd`, not `PWD`.
const SECRET_IF_SECOND: &[&str] = &["pass", "pwd"];
/// Which keys are secret: `api_key`, not `cache_key`.
const SECRET_KEYS: &[&str] =
    &["api", "access", "account", "auth", "encryption", "master", "private", "secret", "service", "signing"];

/// Whether a name (`GITHUB_TOKEN`, `apiKey`, `db.password`) says that its value is a secret. Counts of tokens and paths to
/// keys are not.
#[must_use]
pub fn is_sensitive_name(name: &str) -> bool {
    let (before, last) = split_last_word(name.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
    let is = |words: &[&str]| words.iter().any(|word| last.eq_ignore_ascii_case(word));
    if is(SECRET) || (!before.is_empty() && is(SECRET_IF_SECOND)) {
        return true;
    }
    let (_, owner) = split_last_word(before);
    last.eq_ignore_ascii_case("key") && SECRET_KEYS.iter().any(|word| owner.eq_ignore_ascii_case(word))
}

/// The last word of a name in any style (`a_b`, `a-b`, `a.b`, `aB`), and what stands before it.
fn split_last_word(name: &str) -> (&str, &str) {
    let bytes = name.as_bytes();
    let begins = |at: usize| {
        let (before, here) = (bytes.get(at.wrapping_sub(1)).copied(), bytes.get(at).copied());
        let hump = before.is_some_and(|b| b.is_ascii_lowercase()) && here.is_some_and(|b| b.is_ascii_uppercase());
        hump || before.is_some_and(|b| !b.is_ascii_alphanumeric())
    };
    let at = (1..bytes.len()).rev().find(|at| begins(*at)).unwrap_or_default();
    let (before, last) = name.split_at_checked(at).unwrap_or(("", name));
    (before.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()), last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whether_its_value_is_secret() {
        let secret = [
            "password",
            "PASSWORD",
            "db_password",
            "dbPassword",
            "GITHUB_TOKEN",
            "x-api-key",
            "apiKey",
            "APIKey",
            "DB_PASS",
            "db.pwd",
            "aws_secret_access_key",
            "Authorization",
            "Proxy-Authorization",
            "clientSecret",
            "_authToken",
            "__password__",
            "Set-Cookie",
            "AZURE_ACCOUNT_KEY",
            "credentials",
        ];
        let open = [
            "PWD",
            "OLDPWD",
            "pass",
            "bypass",
            "max_tokens",
            "token_count",
            "tokenizer",
            "password_file",
            "key",
            "cache_key",
            "keyboard",
            "secretary",
            "tool_input",
            "session_id",
            "",
            "_",
            "é",
            "monkey",
            "compass",
        ];
        for name in secret {
            assert!(is_sensitive_name(name), "{name}");
        }
        for name in open {
            assert!(!is_sensitive_name(name), "{name}");
        }
    }
}
