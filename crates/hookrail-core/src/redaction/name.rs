/// Words that, at the end of a name, say that its value is a secret.
const SECRET: &[&[u8]] = &[
    b"password",
    b"passwd",
    b"passphrase",
    b"passcode",
    b"secret",
    b"secrets",
    b"token",
    b"credential",
    b"credentials",
    b"authorization",
    b"cookie",
    b"jwt",
    b"apikey",
    b"apitoken",
    b"authtoken",
    b"accesstoken",
    b"accesskey",
    b"secretkey",
    b"privatekey",
    b"storepass",
    b"keypass",
];
/// Words that are a secret also at the end of a longer word: `PGPASSWORD`, `clientsecret`.
const SECRET_ENDINGS: &[&[u8]] =
    &[b"password", b"passwd", b"passphrase", b"apikey", b"secret", b"token", b"credentials"];
/// Words that say so only behind another one: `DB_PASS`, not `pass`; `db.pwd`, not `PWD`.
const SECRET_IF_SECOND: &[&[u8]] = &[b"pass", b"pwd"];
/// Which keys are secret: `api_key`, not `cache_key`.
const SECRET_KEYS: &[&[u8]] =
    &[b"api", b"access", b"account", b"auth", b"encryption", b"master", b"private", b"secret", b"service", b"signing"];

/// Whether a name (`GITHUB_TOKEN`, `apiKey`, `db.password`) says that its value is a secret. Counts of tokens and paths to
/// keys are not.
#[must_use]
pub fn is_sensitive_name(name: &str) -> bool {
    let name = trim_end(name.as_bytes());
    // What none of the words ends with needs no closer look.
    if !ends_like_a_secret(name) {
        return false;
    }
    let (before, last) = split_last_word(name);
    if is_one_of(last, SECRET)
        || SECRET_ENDINGS.iter().any(|ending| ends_with(last, ending))
        || (!before.is_empty() && is_one_of(last, SECRET_IF_SECOND))
    {
        return true;
    }
    // `SECRET_KEY_BASE` is what Rails calls the key itself.
    let (before, last) = if last.eq_ignore_ascii_case(b"base") { split_last_word(before) } else { (before, last) };
    last.eq_ignore_ascii_case(b"key") && is_one_of(split_last_word(before).1, SECRET_KEYS)
}

/// Whether the last two letters are those of a word that is looked for. Every word of a text is asked about.
fn ends_like_a_secret(name: &[u8]) -> bool {
    let [.., before, last] = name else { return false };
    matches!(
        &[before.to_ascii_lowercase(), last.to_ascii_lowercase()],
        b"rd" | b"wd" | b"se" | b"de" | b"et" | b"ts" | b"en" | b"al" | b"ls" | b"on" | b"ie" | b"wt" | b"ey" | b"ss"
    )
}

/// Names that mean a password only where nothing else would make sense: `Pwd=x;` in a connection string.
pub(super) fn is_short_name(name: &str) -> bool {
    ["pwd", "pass", "pw", "passwort", "pswd"].iter().any(|short| name.eq_ignore_ascii_case(short))
}

/// What `PWD` holds in a shell.
pub(super) fn is_path_like(value: &str) -> bool {
    let is_drive = matches!(value.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    value.starts_with(['/', '~', '.']) || is_drive
}

/// Names that mean a secret behind the `?` of an address.
pub(super) fn is_sensitive_in_query(name: &str) -> bool {
    const NAMES: &[&str] = &["key", "sig", "signature", "code", "auth", "pass", "hash", "sas", "ticket"];
    let last = name.rsplit(['-', '_', '.']).next().unwrap_or(name);
    NAMES.iter().any(|known| last.eq_ignore_ascii_case(known))
}

fn ends_with(word: &[u8], ending: &[u8]) -> bool {
    word.len()
        .checked_sub(ending.len())
        .and_then(|at| word.get(at..))
        .is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

fn is_one_of(word: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|candidate| word.eq_ignore_ascii_case(candidate))
}

fn trim_end(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |last| last + 1);
    name.get(..end).unwrap_or_default()
}

/// The last word of a name in any style (`a_b`, `a-b`, `a.b`, `aB`), and what stands before it.
fn split_last_word(name: &[u8]) -> (&[u8], &[u8]) {
    let begins = |pair: &[u8]| match pair {
        [before, here] => !before.is_ascii_alphanumeric() || (before.is_ascii_lowercase() && here.is_ascii_uppercase()),
        _ => false,
    };
    let at = name.windows(2).rposition(begins).map_or(0, |before| before + 1);
    let (before, last) = name.split_at_checked(at).unwrap_or((b"", name));
    (trim_end(before), last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_that_is_looked_for_ends_as_one() {
        for word in SECRET.iter().chain(SECRET_ENDINGS).chain(SECRET_IF_SECOND).chain([&b"key".as_slice()]) {
            assert!(ends_like_a_secret(word), "{}", String::from_utf8_lossy(word));
        }
    }

    #[test]
    fn a_name_says_whether_its_value_is_secret() {
        let secret = [
            "password",
            "PASSWORD",
            "db_password",
            "dbPassword",
            "GITHUB_TOKEN",
            "x-api-key",
            "SECRET_KEY_BASE",
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
            "PGPASSWORD",
            "clientsecret",
            "MYTOKEN",
            "storepass",
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
