//! Who connects, and with which password: from the environment, a file, or `~/.pgpass`, as PostgreSQL's own programs look.

use super::address::{Address, Host};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Ready to connect with.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    pub user: String,
    pub database: String,
    pub password: Option<String>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("user", &self.user)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    #[error("the address names no user, and neither PGUSER nor USER is set")]
    NoUser,
    #[error("cannot read `{}`: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` may be read by others\nhint: chmod 600 '{}'", .0.display(), .0.display())]
    Exposed(PathBuf),
}

impl Credentials {
    /// `password_file` is what the configuration names; `env` reads the environment.
    pub fn find(
        address: &Address,
        password_file: Option<&Path>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, CredentialsError> {
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        let user = address.user.clone().or_else(|| set("PGUSER")).or_else(|| set("USER"));
        let user = user.ok_or(CredentialsError::NoUser)?;
        let database = address.database.clone().or_else(|| set("PGDATABASE")).unwrap_or_else(|| user.clone());
        let password = match (set("PGPASSWORD"), password_file) {
            (Some(password), _) => Some(password),
            (None, Some(file)) => Some(read_private(file)?.lines().next().unwrap_or_default().to_owned()),
            (None, None) => {
                let file = set("PGPASSFILE").map(PathBuf::from);
                let file = file.or_else(|| Some(PathBuf::from(set("HOME")?).join(".pgpass")));
                match file.filter(|file| file.exists()) {
                    Some(file) => look_up(&read_private(&file)?, address, &user, &database),
                    None => None,
                }
            }
        };
        Ok(Self { user, database, password })
    }
}

/// A file that only its owner can read, or nothing: a password that others can read is none.
fn read_private(path: &Path) -> Result<String, CredentialsError> {
    let failed = |source| CredentialsError::Read { path: path.to_owned(), source };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).map_err(failed)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(CredentialsError::Exposed(path.to_owned()));
        }
    }
    fs::read_to_string(path).map_err(failed)
}

/// The first line of `host:port:database:user:password` that fits.
fn look_up(text: &str, address: &Address, user: &str, database: &str) -> Option<String> {
    let host = match &address.host {
        Host::Socket(folder) => folder.display().to_string(),
        Host::Network(host) | Host::Loopback(host) => host.clone(),
    };
    let is_socket = matches!(address.host, Host::Socket(_));
    let port = address.port.to_string();
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = split(line).into_iter();
        let mut fits = |value: &str| fields.next().is_some_and(|field| field == "*" || field == value);
        // A Unix socket is also known as `localhost`.
        let mut host_fits = fits(&host);
        if !host_fits && is_socket {
            host_fits = split(line).first().is_some_and(|field| field == "localhost");
        }
        (host_fits && fits(&port) && fits(database) && fits(user)).then(|| fields.next()).flatten()
    })
}

/// Colons and backslashes in a field have a backslash before them.
fn split(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => fields.last_mut().into_iter().for_each(|field| field.extend(characters.next())),
            // The password is the rest, and may have colons.
            ':' if fields.len() < 5 => fields.push(String::new()),
            _ => fields.last_mut().into_iter().for_each(|field| field.push(character)),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(address: &str, file: Option<&Path>, env: &[(&str, &str)]) -> Result<Credentials, CredentialsError> {
        let env = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Credentials::find(&Address::parse(address).unwrap(), file, &env)
    }

    #[test]
    #[cfg(unix)]
    fn a_password_comes_from_the_environment_a_file_or_pgpass_in_this_order() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap();
        let private = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            path
        };
        let lines = "# comment\nother:*:*:*:no\ndb:5432:fleet:u:a\\:b:c\n*:*:*:root:any\nlocalhost:*:*:s:socket\n";
        private(".pgpass", lines);
        let file = private("password", "from file\n");
        type Case<'a> = (&'a str, Option<&'a Path>, Option<&'a str>, Option<&'a str>);
        let cases: [Case<'_>; 7] = [
            ("postgres://u@db/fleet", None, Some("from env"), Some("from env")),
            ("postgres://u@db/fleet", Some(&file), Some("from env"), Some("from env")),
            ("postgres://u@db/fleet", Some(&file), None, Some("from file")),
            ("postgres://u@db/fleet", None, None, Some("a:b:c")),
            ("postgres://root@x:7/y", None, None, Some("any")),
            ("postgres://s@/y?host=/tmp", None, None, Some("socket")),
            ("postgres://u@db/another", None, None, None),
        ];
        for (address, file, env, expected) in cases {
            let mut variables = vec![("HOME", home)];
            variables.extend(env.map(|value| ("PGPASSWORD", value)));
            let found = find(address, file, &variables).unwrap();
            assert_eq!(found.password.as_deref(), expected, "{address} {env:?}");
            assert!(!format!("{found:?}").contains("from"), "a password is never shown");
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(find("postgres://u@db", Some(&file), &[]), Err(CredentialsError::Exposed(_))));
        assert!(matches!(find("postgres://db", None, &[]), Err(CredentialsError::NoUser)));
    }
}
