//! A PostgreSQL of a test's own: a cluster in a temporary folder, reached by a Unix socket, removed at the end.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where distributions put the programs, one folder per version.
const VERSIONS: [&str; 3] = ["/usr/lib/postgresql", "/usr/local/opt", "/opt/homebrew/opt"];

/// A running server. Its superuser is `postgres`, and no password is needed.
#[derive(Debug)]
pub struct Cluster {
    programs: PathBuf,
    folder: tempfile::TempDir,
}

impl Cluster {
    /// Starts one. `None` if there is no PostgreSQL here, which is said, and forbidden if the tests must have their tools.
    #[must_use]
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            #[expect(clippy::disallowed_methods, reason = "a test asks whether it may be passed over")]
            let required = std::env::var_os("HOOKRAIL_TEST_TOOLS").is_some_and(|value| value == "required");
            assert!(!required, "there is no PostgreSQL on this machine: apt-get install -y postgresql");
            #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
            {
                eprintln!("NOT RUN: there is no PostgreSQL on this machine (apt-get install -y postgresql)");
            }
            return None;
        };
        // Short: the path of a socket has at most 107 bytes.
        let folder = tempfile::Builder::new().prefix("hr-pg").tempdir_in("/tmp").ok()?;
        let cluster = Self { programs, folder };
        own(cluster.folder.path());
        let data = cluster.data();
        cluster.run("initdb", &["-D", &data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"]);
        cluster.resume();
        Some(cluster)
    }

    /// The folder of the socket.
    #[must_use]
    pub fn socket(&self) -> &Path {
        self.folder.path()
    }

    /// The address of a database for a user.
    #[must_use]
    pub fn address(&self, user: &str) -> String {
        format!("postgres://{user}@/postgres?host={}", self.socket().display())
    }

    /// Ends the server at once, as if the power had gone.
    pub fn crash(&self) {
        self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-w", "stop"]);
    }

    /// Starts the server again.
    pub fn resume(&self) {
        self.start_with("-c listen_addresses=");
    }

    /// Starts the server again on a port of loopback, with TLS if wanted. Returns the port, and the certificate authority's
    /// certificate; the server's own is for `localhost` only.
    #[must_use]
    pub fn resume_on_network(&self, tls: bool) -> (u16, PathBuf) {
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).map(|it| it.port());
        let port = port.unwrap_or_else(|error| panic!("no free port: {error}"));
        self.crash();
        let folder = self.folder.path().display().to_string();
        let make = format!(
            "cd {folder} && openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -subj /CN=test-ca -days 2 && \
             openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost && \
             echo subjectAltName=DNS:localhost > names && \
             openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -days 2 -extfile names && \
             chmod 600 server.key && chmod 644 ca.crt"
        );
        self.run_words("sh", &["-c", &make]);
        let ssl = if tls {
            format!("-c ssl=on -c ssl_cert_file={folder}/server.crt -c ssl_key_file={folder}/server.key")
        } else {
            "-c ssl=off".to_owned()
        };
        self.start_with(&format!("-c listen_addresses=127.0.0.1 -p {port} {ssl}"));
        (port, self.folder.path().join("ca.crt"))
    }

    fn start_with(&self, more: &str) {
        let options = format!("-k {} -c fsync=off -c max_connections=50 {more}", self.socket().display());
        let log = self.folder.path().join("log").display().to_string();
        self.run("pg_ctl", &["-D", &self.data(), "-o", &options, "-l", &log, "-w", "start"]);
    }

    /// Runs statements as the superuser and returns what they print, one line per row, columns with `|` between them.
    #[must_use]
    pub fn sql(&self, statements: &str) -> String {
        let socket = self.socket().display().to_string();
        let output = Command::new(self.programs.join("psql"))
            .args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", &socket, "-U", "postgres", "-c", statements])
            .output();
        let output = output.unwrap_or_else(|error| panic!("psql cannot be run: {error}"));
        assert!(output.status.success(), "{statements}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn run(&self, program: &str, args: &[&str]) {
        self.run_words(&self.programs.join(program).display().to_string(), args);
    }

    /// PostgreSQL refuses to run as root.
    fn run_words(&self, program: &str, args: &[&str]) {
        let mut command = if is_root() {
            let words: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
            let mut command = Command::new("su");
            command.args(["postgres", "-s", "/bin/sh", "-c", &format!("{program} {}", words.join(" "))]);
            command
        } else {
            let mut command = Command::new(program);
            command.args(args);
            command
        };
        // The server must not keep a pipe of the test open.
        let output = tempfile::NamedTempFile::new().ok().and_then(|file| {
            let (out, err) = (file.reopen().ok()?, file.reopen().ok()?);
            let status =
                command.current_dir("/").stdin(std::process::Stdio::null()).stdout(out).stderr(err).status().ok()?;
            Some(Output { status, stdout: std::fs::read(file.path()).unwrap_or_default(), stderr: Vec::new() })
        });
        let output = output.unwrap_or_else(|| panic!("{program} cannot be run"));
        assert!(output.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let program = self.programs.join("pg_ctl").display().to_string();
        let stop = format!("{program} -D '{}' -m immediate -w stop", self.data());
        let mut command = if is_root() { Command::new("su") } else { Command::new("sh") };
        if is_root() {
            command.args(["postgres", "-s", "/bin/sh"]);
        }
        // A server that a test has ended is not there any more.
        let _ = command.args(["-c", &stop]).current_dir("/").output();
    }
}

/// The programs of the newest version.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for folder in VERSIONS {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let version: String = entry.file_name().to_string_lossy().chars().filter(char::is_ascii_digit).collect();
            let programs = entry.path().join("bin");
            if programs.join("initdb").exists() {
                found.push((version.parse().unwrap_or_default(), programs));
            }
        }
    }
    found.sort();
    found.pop().map(|(_, programs)| programs)
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Gives the folder to the user that the server will run as.
fn own(folder: &Path) {
    if is_root() {
        let status = Command::new("chown").arg("postgres").arg(folder).status();
        assert!(status.is_ok_and(|status| status.success()), "chown postgres {}", folder.display());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let open = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755));
        assert!(open.is_ok());
    }
}
