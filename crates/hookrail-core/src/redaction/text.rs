use super::MARK;
use super::assignment::{value_after, value_of_option};
use super::shape::{private_key_length, secret_length};
use std::borrow::Cow;
use std::ops::Range;

/// A text with every secret that can be recognised replaced by [`MARK`].
#[must_use]
pub fn redact_text(text: &str) -> Cow<'_, str> {
    hide(text, &find_secrets(text))
}

/// The places of secrets in a text, in order, none inside another.
pub(super) fn find_secrets(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let secret = match byte {
            b'=' => value_after(text, at),
            b':' if bytes.get(at + 1..at + 3) == Some(b"//") => password_in_address(text, at),
            b':' => value_after(text, at),
            b'-' => private_key(text, at).or_else(|| option(text, at)),
            byte if is_word(byte) => shaped(bytes, at),
            _ => None,
        };
        at = match secret {
            Some(secret) if secret.end > at => {
                let end = secret.end;
                found.push(secret);
                end
            }
            _ => at + step(bytes.get(at..).unwrap_or_default()),
        };
    }
    found
}

/// How far to go on: behind the word that begins here, behind a line break of a text inside a text, or by one byte.
fn step(rest: &[u8]) -> usize {
    match rest {
        [b'\\', b'n' | b'r' | b't', ..] => 2,
        rest => rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len()).max(1),
    }
}

/// A hyphen goes on with a word: otherwise every part of a long hyphenated text would be looked at to its end.
fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

pub(super) fn hide<'a>(text: &'a str, secrets: &[Range<usize>]) -> Cow<'a, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    for secret in secrets {
        shown.push_str(text.get(from..secret.start).unwrap_or_default());
        shown.push_str(MARK);
        from = secret.end;
    }
    shown.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(shown)
}

fn shaped(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let length = secret_length(bytes.get(at..)?)?;
    Some(at..at + length)
}

fn private_key(text: &str, at: usize) -> Option<Range<usize>> {
    let length = private_key_length(text.get(at..)?)?;
    Some(at..at + length)
}

/// An option begins a word of a command.
fn option(text: &str, at: usize) -> Option<Range<usize>> {
    let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before));
    let begins = before.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'('));
    if begins { value_of_option(text, at) } else { None }
}

/// The password in `scheme://name:password@host`, for the `:` of `://`.
fn password_in_address(text: &str, at: usize) -> Option<Range<usize>> {
    let authority = text.get(at..)?.strip_prefix("://")?;
    let from = at + 3;
    let end =
        authority.find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>'));
    let authority = authority.get(..end.unwrap_or(authority.len()))?;
    let (user, _) = authority.rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let start = from + name.len() + 1;
    let open = password.is_empty() || password.starts_with('$') || password.starts_with(MARK);
    (!open).then_some(start..start + password.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Made up at run time, so that no scanner takes this file for a leak.
    fn fake(prefix: &str, length: usize) -> String {
        let tail = "4bC8dE2fG6hJ1kL5mN9pQ3rS7tU".chars().cycle();
        format!("{prefix}{}", tail.take(length).collect::<String>())
    }

    /// `template` holds a secret at `@@`; it is hidden and the rest stays.
    fn check(template: &str, secret: &str) {
        let (text, expected) = (template.replace("@@", secret), template.replace("@@", MARK));
        assert_eq!(redact_text(&text), expected);
        assert_eq!(redact_text(&expected), expected, "what is hidden already stays as it is");
    }

    #[test]
    fn keys_of_known_services_are_hidden_wherever_they_stand() {
        let secrets = [
            format!("AKIA{}", "Q3RS7TU1KL5MN9PX"),
            fake("ghp_", 36),
            fake("github_pat_", 60),
            fake("sk-ant-api03-", 80),
            fake("sk-proj-", 48),
            fake("AIza", 35),
            fake("xoxb-", 30),
            fake("sk_live_", 24),
            fake("npm_", 36),
            fake("glpat-", 20),
            format!("{}.{}.{}", fake("eyJ", 20), fake("eyJ", 40), fake("", 43)),
            format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", fake("", 200)),
            format!("-----BEGIN OPENSSH PRIVATE KEY-----\\n{}\\n-----END OPENSSH PRIVATE KEY-----", fake("", 200)),
        ];
        for secret in &secrets {
            for template in
                ["@@", "curl -H 'x: @@' https://h/", "a @@ b @@", "f(\"@@\")", "{\"a\":\"@@\"}", "é@@\n", "\\n@@\\n"]
            {
                check(template, secret);
            }
        }
    }

    #[test]
    fn what_a_name_says_is_secret_is_hidden() {
        for template in [
            "PASSWORD=@@ make deploy",
            "export DB_PASS=@@; run",
            "docker run -e MYSQL_ROOT_PASSWORD=@@ mysql",
            "password=\"@@\"",
            "curl -d '{\"password\": \"@@\"}' h",
            "curl -d \"{\\\"password\\\":\\\"@@\\\"}\" h",
            "https://h/?api_key=@@&page=2",
            "tool --password @@ --verbose",
            "tool --api-key=@@",
            "tool --token '@@' x",
            "curl -u name:@@ https://h",
            "curl --user \"name:@@\" https://h",
            "secret: @@\nother: 1",
            "api_key = \"@@\"",
            "os.environ['SECRET_TOKEN'] = '@@'",
            "postgres://name:@@@db.local/x",
            "git clone https://name:@@@example.org/a.git",
            "//registry.example/:_authToken=@@",
        ] {
            check(template, "hunter2");
        }
        for template in [
            "Authorization: @@",
            "curl -H 'Authorization: @@' h",
            "curl -H \"cookie: @@\" h",
            "Proxy-Authorization: @@\nx",
        ] {
            check(template, "Basic aHVudGVyMjpodW50ZXIy");
            check(template, "Bearer abc");
        }
        check("say @@ now", &fake("Bearer ", 24));
        check("password = \"@@\" # odd", "a\\\"b");
        check("export PASSWORD='@@'", "$ecret");
        check("vault:\n  - passphrase: @@\n  other: 1", "correct horse battery staple");
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in [
            "",
            "cargo test --workspace && git push origin main",
            "PASSWORD=$PASSWORD run --token \"$TOKEN\" --password ${PW}",
            "https://example.org/a:b@c?x=1#y",
            "ssh://git@github.com/x.git http://[::1]:80/",
            "if (token == other) { password: string; }",
            "max_tokens: 4096, token_count=17",
            "fn f(token: Token, password: &str) -> Token {}",
            "let key = cache_key(\"x\"); a::b::password::new()",
            "sk-learn-is-a-package-with-long-name",
            "task-1234567890123456789012345678",
            "PWD=/home/me OLDPWD=/ cd -",
            "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
            "password:\npassword=\n--password",
            "echo <your-token> password=<your-password> key={{ token }}",
            "-u a/b:c 12:30:45 a => b",
            "auth Bearer x",
            "the token: it is a word",
            "struct A {\n    token: Option<Token>,\n    password: &'a str,\n}",
            "interface A {\n  token: string | null;\n}\ndef f(\n  token: str = None,\n)",
            "curl -H 'Authorization: Bearer $TOKEN' -H \"Authorization: ${AUTH}\" h",
        ] {
            assert_eq!(redact_text(text), text);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken_and_redacting_twice_changes_nothing(
            text in "([a-zA-Z0-9 =:@/'\"\\\\$\n-]|password|token|://|Authorization|--|sk-|eyJ|\\.|é){0,60}",
        ) {
            let once = redact_text(&text).into_owned();
            prop_assert_eq!(redact_text(&once), once.as_str());
        }

        #[test]
        fn arbitrary_text_never_breaks_the_scan(text in any::<String>()) {
            let _ = redact_text(&text);
        }
    }
}
