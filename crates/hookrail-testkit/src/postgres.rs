//! A PostgreSQL for tests: a cluster in a temporary folder, reached by a Unix socket and removed at the end, or a database of a
//! server that runs already.

use crate::small_disk::SmallDisk;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard};

/// Where distributions put the programs, one folder per version.
const VERSIONS: [&str; 3] = ["/usr/lib/postgresql", "/usr/local/opt", "/opt/homebrew/opt"];

/// Names the server of those who cannot or do not want to start one, as `postgres://postgres@/postgres?host=/run/postgresql`. The
/// login must be a superuser, and no login may need a password.
const GIVEN: &str = "HOOKRAIL_TEST_DATABASE";
/// Names the folder of `initdb` and `pg_ctl`, for tests on another version than the newest one here.
const PROGRAMS: &str = "HOOKRAIL_TEST_POSTGRES";
/// The database of a test in a given server, and the logins that tests make.
const DATABASE: &str = "hookrail_test";
const LOGINS: &str = "alice, bob, rita, writer, lead";

/// One test at a time uses a given server: logins belong to the server, not to a database.
static TURN: Mutex<()> = Mutex::new(());

/// A running server. Its superuser is `postgres`, and no password is needed.
#[derive(Debug)]
pub struct Cluster {
    programs: PathBuf,
    folder: tempfile::TempDir,
    /// The address of a server that others run.
    given: Option<Given>,
    _small_disk: Option<SmallDisk>,
}

#[derive(Debug)]
struct Given {
    address: String,
    /// Tests of one process, and of several.
    _turn: MutexGuard<'static, ()>,
    _file: std::fs::File,
}

impl Cluster {
    /// A database: of the server that the environment names, or else of one that is started. `None` if there is neither, which is
    /// said, and forbidden if the tests must have their tools.
    #[must_use]
    pub fn start() -> Option<Self> {
        #[expect(clippy::disallowed_methods, reason = "a test asks which server it may use")]
        let given = std::env::var(GIVEN).ok().filter(|address| !address.is_empty());
        match given {
            Some(address) => Some(Self::given(address)),
            None => Self::start_own(),
        }
    }

    /// A server of the test's own, for a test that ends it or changes how it is configured.
    #[must_use]
    pub fn start_own() -> Option<Self> {
        Self::start_in(None)
    }

    /// The same with its data on a disk of so many KiB; `None` where no disk can be mounted.
    #[must_use]
    pub fn start_on_small_disk(kib: u32) -> Option<(Self, PathBuf)> {
        let cluster = Self::start_in(Some(kib))?;
        let disk = cluster.folder.path().join("data");
        Some((cluster, disk))
    }

    fn start_in(small_disk: Option<u32>) -> Option<Self> {
        let Some(programs) = programs() else {
            not_here();
            return None;
        };
        // Short: the path of a socket has at most 107 bytes.
        let folder = tempfile::Builder::new().prefix("hr-pg").tempdir_in("/tmp").ok()?;
        own(folder.path());
        let small_disk = match small_disk {
            Some(kib) => Some(SmallDisk::mount(&folder.path().join("data"), kib)?),
            None => None,
        };
        if small_disk.is_some() {
            own(&folder.path().join("data"));
        }
        let cluster = Self { programs, folder, given: None, _small_disk: small_disk };
        // Small files of its log, because a small disk has little room.
        let data = cluster.data();
        let mut args = vec!["-D", &data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"];
        args.push("--wal-segsize=1");
        cluster.run("initdb", &args);
        cluster.resume();
        Some(cluster)
    }

    fn given(address: String) -> Self {
        let turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let file = std::env::temp_dir().join("hookrail-test-database.lock");
        let file = std::fs::File::options().create(true).truncate(false).write(true).open(file);
        let file = file.unwrap_or_else(|error| panic!("{GIVEN}: no lock: {error}"));
        assert!(file.lock().is_ok(), "{GIVEN}: no lock");
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        let programs = programs().unwrap_or_default();
        let given = Given { address, _turn: turn, _file: file };
        let cluster = Self { programs, folder, given: Some(given), _small_disk: None };
        cluster.sql_in(None, &format!("DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)"));
        cluster.sql_in(None, &format!("DROP ROLE IF EXISTS {LOGINS}"));
        cluster.sql_in(None, &format!("CREATE DATABASE {DATABASE}"));
        cluster
    }

    /// The folder of the socket of a server of the test's own.
    #[must_use]
    pub fn socket(&self) -> &Path {
        self.folder.path()
    }

    /// The address of a database for a user.
    #[must_use]
    pub fn address(&self, user: &str) -> String {
        match &self.given {
            Some(given) => readdressed(&given.address, user, DATABASE),
            None => format!("postgres://{user}@/postgres?host={}", self.socket().display()),
        }
    }

    /// Ends the server at once, as if the power had gone.
    pub fn crash(&self) {
        self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-w", "stop"]);
    }

    /// Starts the server again, whether it runs or not.
    pub fn restart(&self) {
        let options = format!("-k {} -c fsync=off -c max_connections=50 -c listen_addresses=", self.socket().display());
        let log = self.folder.path().join("log").display().to_string();
        self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-o", &options, "-l", &log, "-w", "restart"]);
    }

    /// Starts the server again.
    pub fn resume(&self) {
        self.start_with("-c listen_addresses=");
    }

    /// Starts the server again as one that is measured: what it confirms is on the disk, and it has some memory.
    pub fn resume_as_in_production(&self) {
        self.crash();
        self.start_with("-c listen_addresses= -c fsync=on -c shared_buffers=2GB -c max_wal_size=4GB");
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
        self.sql_in(Some(DATABASE), statements)
    }

    fn sql_in(&self, database: Option<&str>, statements: &str) -> String {
        let address = match (&self.given, database) {
            (Some(given), Some(database)) => readdressed(&given.address, "", database),
            (Some(given), None) => given.address.clone(),
            (None, _) => self.address("postgres"),
        };
        let psql = self.programs.join("psql");
        let psql = if psql.exists() { psql } else { PathBuf::from("psql") };
        let output = Command::new(psql)
            .args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", statements, &address])
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
        if self.given.is_some() {
            return;
        }
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

/// The same server for another user, the same one if it is empty, and another database.
fn readdressed(address: &str, user: &str, database: &str) -> String {
    let (rest, query) = address.split_once('?').unwrap_or((address, ""));
    let rest = rest.split_once("://").map_or(rest, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    let (own, host) = authority.rsplit_once('@').unwrap_or(("postgres", authority));
    let user = if user.is_empty() { own } else { user };
    let query = if query.is_empty() { String::new() } else { format!("?{query}") };
    format!("postgres://{user}@{host}/{database}{query}")
}

fn not_here() {
    #[expect(clippy::disallowed_methods, reason = "a test asks whether it may be passed over")]
    let required = std::env::var_os("HOOKRAIL_TEST_TOOLS").is_some_and(|value| value == "required");
    let what = format!("there is no PostgreSQL on this machine (apt-get install -y postgresql, or {GIVEN})");
    assert!(!required, "{what}");
    #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
    {
        eprintln!("NOT RUN: {what}");
    }
}

/// The programs of the version that the environment names, or else of the newest one.
fn programs() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "a test asks which server it may use")]
    let named = std::env::var_os(PROGRAMS).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    if let Some(named) = named {
        assert!(named.join("initdb").exists(), "{PROGRAMS}: no initdb in `{}`", named.display());
        return Some(named);
    }
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
