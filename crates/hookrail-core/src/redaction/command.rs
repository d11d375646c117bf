//! Secrets in the options of commands: `--token abc`, `mysql -pabc`, `curl -u name:abc`.

use super::name::is_sensitive_name;
use super::text::is_word;
use super::value::{Extent, Value, is_placeholder};
use std::ops::Range;

/// Longer options are no options.
const OPTION_MAX: usize = 64;

/// What the value of an option is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// All of it is secret.
    Secret,
    /// A name and a secret, with this byte between them.
    After(u8),
}

/// A program that takes a secret in an option whose name does not say so.
pub(super) struct Client {
    names: &'static [&'static str],
    /// The word that must stand between the program and the option.
    after: Option<&'static str>,
    options: &'static [(&'static str, Kind)],
}

use Kind::{After, Secret};

const CLIENTS: &[Client] = &[
    // Databases and caches
    Client {
        names: &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mysqlcheck",
            "mysqlshow",
            "mysqlsh",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
        ],
        after: None,
        options: &[("-p", Secret)],
    },
    Client {
        names: &[
            "mongo",
            "mongosh",
            "mongodump",
            "mongorestore",
            "mongoexport",
            "mongoimport",
            "mongostat",
            "mongotop",
            "cqlsh",
            "rabbitmqadmin",
            "arangosh",
            "influx",
        ],
        after: None,
        options: &[("-p", Secret)],
    },
    Client {
        names: &["redis-cli", "valkey-cli", "keydb-cli"],
        after: None,
        options: &[("-a", Secret), ("--pass", Secret)],
    },
    Client {
        names: &["sqlcmd", "bcp", "isql", "tsql", "mosquitto_pub", "mosquitto_sub", "zip", "unzip"],
        after: None,
        options: &[("-P", Secret)],
    },
    Client {
        names: &["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami", "ldappasswd"],
        after: None,
        options: &[("-w", Secret)],
    },
    // Registries and clouds
    Client {
        names: &["docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oras", "crane", "az", "oc", "cf"],
        after: Some("login"),
        options: &[("-p", Secret)],
    },
    Client { names: &["twine"], after: None, options: &[("-p", Secret)] },
    Client { names: &["gh"], after: Some("secret"), options: &[("-b", Secret), ("--body", Secret)] },
    Client { names: &["nuget", "dotnet"], after: Some("push"), options: &[("-k", Secret)] },
    // Transfer
    Client {
        names: &["curl", "wget", "http", "https", "xh"],
        after: None,
        options: &[
            ("-u", After(b':')),
            ("--user", After(b':')),
            ("-U", After(b':')),
            ("--proxy-user", After(b':')),
            ("-a", After(b':')),
            ("--auth", After(b':')),
            ("--oauth2-bearer", Secret),
            ("-b", After(b'=')),
        ],
    },
    Client { names: &["smbclient", "rpcclient", "net"], after: None, options: &[("-U", After(b'%'))] },
    Client { names: &["lftp"], after: None, options: &[("-u", After(b','))] },
    Client { names: &["sshpass", "7z", "7za", "rar", "unrar"], after: None, options: &[("-p", Secret)] },
    Client { names: &["plink", "pscp", "psftp", "putty"], after: None, options: &[("-pw", Secret)] },
    Client {
        names: &["openssl"],
        after: None,
        options: &[("-passin", After(b':')), ("-passout", After(b':')), ("-pass", After(b':')), ("-k", Secret)],
    },
];

/// Options that take a name and a password whatever the program is.
const LOGINS: &[&str] = &["-u", "--user", "--proxy-user"];

/// The command that is being read.
#[derive(Default)]
pub(super) struct Command {
    /// Up to here its words were looked at. That is left until an option asks for it, because most commands have none.
    seen: usize,
    client: Option<&'static Client>,
    armed: bool,
}

impl Command {
    fn see(&mut self, word: &[u8]) {
        if let Some(client) = self.client
            && client.after.is_some_and(|after| after.as_bytes() == word)
        {
            self.armed = true;
        }
        if !may_be_client(word) {
            return;
        }
        if let Some(client) = CLIENTS.iter().find(|client| client.names.iter().any(|name| name.as_bytes() == word)) {
            self.client = Some(client);
            self.armed = client.after.is_none();
        }
    }

    /// Another command begins behind `at`.
    pub fn end(&mut self, at: usize) {
        *self = Self { seen: at, ..Self::default() };
    }

    /// The program whose option stands at `at`.
    fn client_at(&mut self, text: &str, at: usize) -> Option<&'static Client> {
        let new = text.as_bytes().get(self.seen..at).unwrap_or_default();
        self.seen = at;
        new.split(|byte| !is_word(byte)).for_each(|word| self.see(word));
        self.client.filter(|_| self.armed)
    }

    /// The secret that is given to the option that begins at `at`: `--token abc`, `-u name:password`.
    pub fn value_of_option(&mut self, text: &str, at: usize) -> Option<Range<usize>> {
        let rest = text.get(at..)?;
        let near = rest.get(..rest.floor_char_boundary(OPTION_MAX + 1))?;
        let end = near.find(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | '`' | ';'));
        let option = near.get(..end.unwrap_or(near.len()))?;
        if let Some(client) = self.client_at(text, at) {
            for (name, kind) in client.options {
                if let Some(value) = client_value(text, at, option, name) {
                    return secret_in(text, value, *kind);
                }
            }
        }
        if option.len() > OPTION_MAX || !rest.get(option.len()..)?.starts_with(' ') {
            return None;
        }
        let kind = if LOGINS.contains(&option) {
            After(b':')
        } else {
            let name = option.strip_prefix("--").or_else(|| option.strip_prefix('-').filter(|name| name.len() > 2));
            name.filter(|name| is_sensitive_name(name)).map(|_| Secret)?
        };
        secret_in(text, Value::read(text, at + option.len(), Extent::Word)?, kind)
    }
}

/// Whether a program has a name with this beginning and this length. Every word before an option is asked about.
fn may_be_client(word: &[u8]) -> bool {
    let first = word.first().copied().map_or(0, usize::from);
    LENGTHS.get(first).is_some_and(|lengths| lengths >> word.len().min(31) & 1 == 1)
}

/// How long the names of programs are, as bits, by their first byte.
#[expect(clippy::indexing_slicing, reason = "worked out while compiling, where a wrong index is an error")]
const LENGTHS: [u32; 256] = {
    let mut lengths = [0; 256];
    let mut client = 0;
    while client < CLIENTS.len() {
        let names = CLIENTS[client].names;
        let mut at = 0;
        while at < names.len() {
            let name = names[at].as_bytes();
            assert!(name.len() < 32, "a bit for each length");
            lengths[name[0] as usize] |= 1 << name.len();
            at += 1;
        }
        client += 1;
    }
    lengths
};

/// The value of a client's option: behind a blank or `=`, or joined to an option of one letter.
fn client_value(text: &str, at: usize, option: &str, name: &str) -> Option<Value> {
    let behind = at + name.len();
    if option == name {
        let skip = usize::from(text.as_bytes().get(behind) == Some(&b'='));
        return Value::read(text, behind + skip, Extent::Word);
    }
    let is_joined = name.len() == 2 && option.starts_with(name) && option.len() > 2;
    if is_joined { Value::read(text, behind, Extent::Word) } else { None }
}

fn secret_in(text: &str, value: Value, kind: Kind) -> Option<Range<usize>> {
    let shown = text.get(value.range.clone())?;
    let range = match kind {
        Secret => value.range,
        After(byte) => {
            let at = shown.bytes().position(|found| found == byte)?;
            // A path has no password in it.
            if byte == b':' && shown.get(..at)?.contains('/') {
                return None;
            }
            value.range.start + at + 1..value.range.end
        }
    };
    let secret = text.get(range.clone())?;
    // What begins like an option is the next one.
    let is_option = kind == Secret && secret.starts_with('-') && value.quote.is_none();
    let literal = value.quote == Some(b'\'') && secret.starts_with('$');
    (!secret.is_empty() && !is_option && (literal || !is_placeholder(secret))).then_some(range)
}
