//! What holds or is a secret.

use crate::models::decoding;
use crate::paths::{Concern, PathPattern, matches_glob, name_of, names};
use hookrail_core::tidy_path::below;
use std::path::Path;

/// Files of a home folder that hold credentials. Components may be patterns; a slash at the end means everything below.
const HOME_SECRETS: &[&str] = &[
    ".ssh/id_*",
    ".ssh/*.pem",
    ".ssh/*_rsa",
    ".ssh/*_ed25519",
    ".aws/credentials",
    ".aws/sso/",
    ".aws/cli/cache/",
    ".azure/",
    ".config/gcloud/",
    ".boto",
    ".config/gh/hosts.yml",
    ".config/hub",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".gem/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".docker/config.json",
    ".kube/config",
    ".kube/cache/",
    ".config/helm/",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".vault-token",
    ".git-credentials",
    ".config/git/credentials",
    ".gnupg/",
    ".password-store/",
    ".local/share/keyrings/",
    "Library/Keychains/",
    ".config/op/",
    ".config/rclone/rclone.conf",
    ".s3cfg",
    ".heroku/",
    ".fly/config.yml",
    ".config/doctl/config.yaml",
    ".config/configstore/",
    ".config/stripe/config.toml",
    ".wrangler/config/",
    ".snowsql/config",
    ".databrickscfg",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".bash_history",
    ".zsh_history",
    ".psql_history",
    ".mysql_history",
    ".python_history",
    ".node_repl_history",
    ".config/google-chrome/",
    ".config/chromium/",
    ".mozilla/",
    "Library/Application Support/Google/Chrome/",
    "Library/Cookies/",
    ".ethereum/keystore/",
    ".config/solana/id.json",
    ".bitcoin/wallet.dat",
    ".electrum/wallets/",
];
const SYSTEM_SECRETS: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/master.passwd",
    "/etc/ssh/ssh_host_*_key",
    "/etc/kubernetes/admin.conf",
    "/etc/krb5.keytab",
    "/run/secrets/",
    "/var/run/secrets/",
    "/proc/*/environ",
    "/proc/*/mem",
    "/etc/ssl/private/",
    "/var/lib/docker/",
    "/dev/mem",
    "/dev/kmem",
];
/// Names that hold secrets wherever they are.
const SECRET_NAMES: &[&str] = &[
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".dev.vars",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.asc.key",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials.json",
    "service-account*.json",
    "serviceaccount*.json",
    "client_secret*.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "secrets.toml",
    ".secrets",
    "secrets.env",
    "*.tfstate",
    "*.tfstate.backup",
    "terraform.tfvars",
    "*.auto.tfvars",
    "master.key",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    "kubeconfig",
    "*.kubeconfig",
    "wallet.dat",
    ".vault-token",
    "vault_pass*",
    ".vault_pass*",
    "token.json",
];
/// Endings of names that say: this is only an example.
const EXAMPLES: &[&str] =
    &["example", "sample", "template", "dist", "defaults", "schema", "tpl", "md", "txt", "pub", "ts", "d.ts"];

/// Whether a file holds secrets, by its name. It is absolute and tidy.
pub(crate) fn is_secret_path(path: &Path, home: Option<&Path>) -> bool {
    let name = name_of(path);
    if is_example(name) {
        return false;
    }
    if let Some(inside) = home.and_then(|home| below(path, home)).and_then(Path::to_str)
        && listed(inside, HOME_SECRETS)
    {
        return true;
    }
    if path.to_str().is_some_and(|text| listed(text, SYSTEM_SECRETS)) {
        return true;
    }
    SECRET_NAMES.iter().any(|pattern| names_secret(pattern, name))
}

/// Most patterns say how a name ends, or are the name: that is seen at once.
fn names_secret(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(ending) => name.ends_with(ending),
        None => pattern.as_bytes().first() == name.as_bytes().first() && matches_glob(pattern, name),
    }
}

/// Whether a pattern such as `~/.ssh/*` may name a file of a home folder that holds credentials.
pub(crate) fn may_name_secret(pattern_path: &Path, home: Option<&Path>) -> bool {
    const NAMES: &[&str] = &[
        ".ssh/id_rsa",
        ".ssh/id_ed25519",
        ".aws/credentials",
        ".kube/config",
        ".config/gh/hosts.yml",
        ".config/gcloud/credentials.db",
        ".docker/config.json",
        ".gnupg/private-keys-v1.d/0.key",
        ".netrc",
        ".npmrc",
    ];
    let pattern = PathPattern::of(pattern_path);
    let is_named =
        |home: &Path, name: &str| pattern.concerns(names(home).chain(name.split('/'))) == Some(Concern::Named);
    home.is_some_and(|home| NAMES.iter().any(|name| is_named(home, name))) || begins_as_secret(pattern_path, home)
}

/// `.env*` begins with the name of a file that holds secrets.
fn begins_as_secret(pattern: &Path, home: Option<&Path>) -> bool {
    let name = pattern.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let plain = name.trim_end_matches(['*', '?']);
    let is_plain = plain.len() > 3 && plain.len() < name.len() && !plain.contains(['*', '?', '[']);
    is_plain && is_secret_path(&pattern.with_file_name(plain), home)
}

/// A folder in which nearly everything is secret: copying or sending it sends them.
pub(crate) fn is_secret_folder(path: &Path, home: Option<&Path>) -> bool {
    const FOLDERS: &[&str] =
        &[".ssh", ".aws", ".gnupg", ".kube", ".config/gcloud", ".azure", ".password-store", ".config/gh", ".docker"];
    // What is above them all has them in it.
    if home.is_some_and(|home| home.starts_with(path)) {
        return true;
    }
    let inside = home.and_then(|home| below(path, home));
    inside.is_some_and(|inside| FOLDERS.iter().any(|folder| inside == Path::new(folder)))
}

fn is_example(name: &str) -> bool {
    let Some((_, ending)) = name.rsplit_once('.') else { return false };
    EXAMPLES.contains(&ending) || name.contains(".example.") || name.contains(".sample.") || name.contains(".template.")
}

fn listed(text: &str, list: &[&str]) -> bool {
    let first = text.as_bytes().first();
    // None of the entries begins with a star.
    list.iter().filter(|entry| entry.as_bytes().first() == first).any(|entry| match entry.strip_suffix('/') {
        Some(folder) => text.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/') || rest.is_empty()),
        None => matches_glob(entry, text) && entry.matches('/').count() == text.matches('/').count(),
    })
}

/// Words in a variable's name that say: this is a secret.
const SECRET_WORDS: &[&str] = &[
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "APIKEY",
    "PRIVATE",
    "PAT",
    "PWD",
    "AUTH",
    "DSN",
    "PASS",
];

/// Whether a variable holds a secret, by its name: `STRIPE_SECRET_KEY`, `GITHUB_TOKEN`, `DATABASE_URL`.
pub(crate) fn is_secret_variable(name: &str) -> bool {
    if matches!(name, "PWD" | "OLDPWD" | "SSH_AUTH_SOCK" | "XAUTHORITY" | "TOKENIZERS_PARALLELISM") {
        return false;
    }
    let upper = name.to_ascii_uppercase();
    if upper.split('_').any(|word| SECRET_WORDS.contains(&word)) {
        return true;
    }
    let ends = |ends: &[&str]| ends.iter().any(|end| upper.ends_with(end));
    ends(&["_KEY", "_KEY_ID", "APIKEY", "_KEYS"]) && !upper.contains("PUBLIC")
        || ends(&[
            "DATABASE_URL",
            "DB_URL",
            "MONGO_URL",
            "MONGODB_URI",
            "REDIS_URL",
            "_DSN",
            "CONNECTION_STRING",
            "POSTGRES_URL",
        ])
}

/// Beginnings of well-known credentials and how long they are at least.
const SECRET_PREFIXES: &[(&str, usize)] = &[
    ("sk-ant-", 24),
    ("sk-proj-", 24),
    ("sk-", 32),
    ("sk_live_", 20),
    ("rk_live_", 20),
    ("AKIA", 20),
    ("ASIA", 20),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghs_", 30),
    ("ghu_", 30),
    ("github_pat_", 30),
    ("glpat-", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xoxa-", 20),
    ("xapp-", 20),
    ("npm_", 30),
    ("pypi-", 40),
    ("dop_v1_", 40),
    ("SG.", 40),
    ("AIza", 35),
    ("ya29.", 30),
    ("hf_", 30),
    ("eyJhbGciOi", 60),
    ("shpat_", 30),
    ("sq0csp-", 30),
    ("whsec_", 24),
    ("lin_api_", 30),
];

/// The shortest of them: most words of a text are shorter, and need not be compared with any.
const SHORTEST_SECRET: usize = 20;

/// Whether a text holds something that looks like a real credential.
pub(crate) fn holds_secret(text: &str) -> bool {
    if text.contains("-----BEGIN") && text.contains("PRIVATE KEY") {
        return true;
    }
    let is_secret = |word: &str| {
        SECRET_PREFIXES.iter().any(|(prefix, least)| {
            word.len() >= *least && word.strip_prefix(prefix).is_some_and(|rest| !looks_fake(rest))
        })
    };
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+');
    long_pieces(text, is_part, SHORTEST_SECRET).any(is_secret) || named_value(text)
}

/// Maximum number of pieces of a text that are decoded.
const MAX_DECODED: usize = 64;

/// Reports whether a text that leaves the machine holds a credential: as it is, encoded, or in the address of a server.
pub(crate) fn sends_secret(text: &str) -> bool {
    if holds_secret(text) || holds_login(text) {
        return true;
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'+');
    long_pieces(text, is_part, SHORTEST_VALUE).take(MAX_DECODED).any(|piece| {
        let texts = [decoding::from_base64(piece), decoding::from_hex(piece)];
        texts.into_iter().flatten().any(|text| holds_secret(&text) || text.contains("-----BEGIN"))
    })
}

/// `postgres://app:hunter2secret@db.example.com/shop`
fn holds_login(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let address =
            rest.split(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '?')).next().unwrap_or(rest);
        let Some((login, host)) = address.rsplit_once('@') else { return false };
        let Some((_, password)) = login.split_once(':') else { return false };
        let is_word = ["password", "passwd", "pass", "secret", "token", "user"]
            .iter()
            .any(|word| password.eq_ignore_ascii_case(word));
        let is_blank = password.starts_with(['$', '<', '{', '*', '%', '[']);
        let is_local = host.starts_with("localhost") || host.starts_with("127.") || !host.contains('.');
        password.len() >= 8 && !is_word && !is_blank && !is_local && !looks_fake(password)
    })
}

/// The pieces of a text between bytes that are no part of one, without short ones. Those bytes are ASCII, or all that is not.
fn long_pieces(text: &str, is_part: impl Fn(u8) -> bool, least: usize) -> impl Iterator<Item = &str> {
    let pieces = text.as_bytes().split(move |byte| !is_part(*byte)).filter(move |piece| piece.len() >= least);
    pieces.filter_map(|piece| str::from_utf8(piece).ok())
}

/// A value that is shorter may be a word.
const SHORTEST_VALUE: usize = 24;

/// `AWS_SECRET_ACCESS_KEY=wJalr…`: a name that says so with a long random value.
fn named_value(text: &str) -> bool {
    let is_part = |byte| !matches!(byte, b' ' | b'\n' | b'"' | b'\'' | b',' | b';' | b'&' | b'?');
    long_pieces(text, is_part, SHORTEST_VALUE + 1).any(|piece| {
        let Some((name, value)) = piece.split_once(['=', ':']) else { return false };
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        plain && value.len() >= SHORTEST_VALUE && is_secret_variable(&name.replace('-', "_")) && is_random(value)
    })
}

fn looks_fake(rest: &str) -> bool {
    let lower = rest.to_ascii_lowercase();
    rest.chars().collect::<std::collections::BTreeSet<_>>().len() <= 3
        || ["xxxx", "your", "example-key", "placeholder", "changeme", "redacted"]
            .iter()
            .any(|word| lower.contains(word))
}

fn is_random(value: &str) -> bool {
    let plain = value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '+' | '=' | '_' | '-' | '.'));
    let has = |test: fn(&char) -> bool| value.chars().any(|c| test(&c));
    plain
        && has(char::is_ascii_digit)
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_lowercase)
        && !looks_fake(value)
}

/// Whether a secret goes to the service it belongs to: `STRIPE_SECRET_KEY` to `api.stripe.com`.
pub(crate) fn belongs_to(variable: &str, host: &str) -> bool {
    let owner = variable.split('_').next().unwrap_or_default().to_ascii_lowercase();
    let owner = match owner.as_str() {
        "gh" => "github",
        "aws" => "amazonaws",
        "hf" => "huggingface",
        "npm" => "npmjs",
        "cf" => "cloudflare",
        "do" => "digitalocean",
        "gcp" | "gemini" => "googleapis",
        other => other,
    };
    let mut labels = host.rsplit('.');
    let _top = labels.next();
    owner.len() > 2 && labels.next() == Some(owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_files_are_known_by_their_names_and_look_alikes_are_not() {
        let home = Some(Path::new("/home/me"));
        for path in [
            "/p/.env",
            "/p/.env.local",
            "/home/me/.ssh/id_rsa",
            "/home/me/.aws/credentials",
            "/proc/self/environ",
            "/p/tls/server.key",
            "/home/me/.kube/config",
            "/home/me/.npmrc",
            "/etc/shadow",
        ] {
            assert!(is_secret_path(Path::new(path), home), "{path}");
        }
        for path in [
            "/p/.env.example",
            "/p/src/env.ts",
            "/home/me/.ssh/id_rsa.pub",
            "/home/me/.ssh/known_hosts",
            "/p/src/secrets/vault.ts",
            "/p/dummy.pem.txt",
            "/home/me/.gitconfig",
            "/p/keys.rs",
        ] {
            assert!(!is_secret_path(Path::new(path), home), "{path}");
        }
    }

    #[test]
    fn secret_variables_are_known_by_their_names() {
        for name in [
            "STRIPE_SECRET_KEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "DATABASE_URL",
            "OPENAI_API_KEY",
            "npm_token",
        ] {
            assert!(is_secret_variable(name), "{name}");
        }
        for name in ["PATH", "HOME", "PWD", "NODE_ENV", "KEYBOARD", "TOKENIZERS_PARALLELISM", "BUILD_DIR"] {
            assert!(!is_secret_variable(name), "{name}");
        }
    }

    #[test]
    fn credentials_are_known_by_their_form_and_placeholders_are_not() {
        assert_eq!(SECRET_PREFIXES.iter().map(|(_, least)| *least).min(), Some(SHORTEST_SECRET));
        for text in [
            "k=sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFFGGGG",
            "'AKIAIOSFODNN7EXAMPLE'",
            "-----BEGIN RSA PRIVATE KEY-----",
            "clé «AKIAIOSFODNN7EXAMPLE» é",
            "x y=1\nAPI_KEY=q8Zr2Lw0Vb7Nk4Td9Hs1Yc6M,é",
        ] {
            assert!(holds_secret(text), "{text}");
        }
        for text in
            ["sk_test_xxx", "STRIPE_SECRET_KEY=sk_live_xxxxxxxxxxxxxxxxxxxxxxxx", "build 4821 is green", "task-list"]
        {
            assert!(!holds_secret(text), "{text}");
        }
    }
}
