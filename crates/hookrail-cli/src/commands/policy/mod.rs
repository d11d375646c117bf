//! `hookrail policy`: one signed configuration for many machines.

mod report;
mod source;

use crate::current_project;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen;
use hookrail_core::World;
use hookrail_engine::RealWorld;
use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind};
use hookrail_fleet::policy::{Bundle, Installed, KeyPair, PinnedKey, PolicyError, Pulled, Replace, Signed, SigningKey};
use source::Source;
use std::path::{Path, PathBuf};

/// Where the managed layer is.
const MANAGED: &str = "etc/hookrail";
/// The password of an encrypted secret key, for CI.
const PASSWORD: &str = "HOOKRAIL_POLICY_PASSWORD";

/// Give many machines the same rules: a signed bundle that becomes their managed layer
///
/// `pack` signs a folder, `pull` verifies a bundle and puts it in force, `rollback` goes back, `status` shows what applies.
///
/// `status` only reads; `keygen` and `pack` write files where they are told to, `pull` and `rollback` below `/etc/hookrail`.
#[derive(clap::Args)]
pub struct Policy {
    #[command(subcommand)]
    command: PolicyCommand,
}

#[derive(clap::Subcommand)]
enum PolicyCommand {
    Keygen(Keygen),
    Pack(Pack),
    Pull(Pull),
    Status(Status),
    Rollback(Rollback),
}

/// Make a key pair in minisign's format
///
/// The password is taken from HOOKRAIL_POLICY_PASSWORD. Writes FILE, which stays secret, and FILE.pub, which machines pin.
#[derive(clap::Args)]
struct Keygen {
    /// Where the secret key goes; the public key goes beside it
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Do not encrypt the secret key; for places that keep secrets themselves
    #[arg(long)]
    no_password: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Sign a folder with `policy.toml` and `hookrail.toml`
///
/// `policy.toml` has a `name`, a `serial` that grows with every version and, if wanted, `versions` that programs must have and a
/// `next_key`: the public key that bundles after this one are signed with.
/// The configuration is checked as the managed layer it will be. The key is one of `policy keygen` or `minisign -G`; its
/// password is taken from HOOKRAIL_POLICY_PASSWORD or asked for. Writes the bundle and, beside it, its signature.
#[derive(clap::Args)]
struct Pack {
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The secret key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Where the bundle goes; `NAME-SERIAL.json` in this folder if not given
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Verify a bundle and put it in force as the managed layer
///
/// FROM is a file, an http or https address, or a git repository (`git+https://…#path/of/bundle.json`, `git@…`). The signature
/// stands beside the bundle, with `.minisig` at its end. The first pull pins the key; after that only bundles of that key are
/// accepted, or of the one that such a bundle named as the next, and none that is older than the one in place. Writes below `/etc/hookrail`, whole or not at all.
#[derive(clap::Args)]
struct Pull {
    #[arg(value_name = "FROM")]
    from: String,
    /// The public key to pin: its file, or its one line
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Replace a managed layer that was written by hand, or a policy of another name
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    machine: PolicyRoot,
}

/// Show which policy is in force, and whether the managed layer is as it says
///
/// Exits with 3 if the managed layer was altered. Only reads.
#[derive(clap::Args)]
struct Status {
    #[command(flatten)]
    machine: PolicyRoot,
}

/// Put the policy before this one in force again
///
/// Changes `/etc/hookrail/hookrail.toml`.
#[derive(clap::Args)]
struct Rollback {
    #[command(flatten)]
    machine: PolicyRoot,
}

#[derive(clap::Args)]
struct PolicyRoot {
    /// The machine whose root is mounted here, such as an image that is being built
    #[arg(long, value_name = "DIR", default_value = "/")]
    root: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl PolicyRoot {
    fn installed(&self) -> Installed {
        Installed::at(self.root.join(MANAGED))
    }
}

/// The managed layer of this machine.
pub fn installed_here() -> Installed {
    Installed::at(Path::new("/").join(MANAGED))
}

impl Policy {
    pub fn run(&self) -> ExitCode {
        let result = match &self.command {
            PolicyCommand::Keygen(keygen) => keygen.run(),
            PolicyCommand::Pack(pack) => pack.run(),
            PolicyCommand::Pull(pull) => pull.run(),
            PolicyCommand::Status(status) => status.run(),
            PolicyCommand::Rollback(rollback) => rollback.run(),
        };
        result.unwrap_or_else(screen::fail)
    }
}

fn password() -> Option<String> {
    RealWorld::default().env(PASSWORD).filter(|password| !password.is_empty())
}

impl Keygen {
    fn run(&self) -> Result<ExitCode, CliError> {
        let password = if self.no_password { None } else { Some(password().ok_or_else(no_password)?) };
        let pair = KeyPair::generate(password).map_err(CliError::machine)?;
        let public = with_extension(&self.file, "pub");
        write_secret(&self.file, &pair.secret)?;
        current_project::write_file(&public, &pair.public)?;
        let key = PinnedKey::parse(&pair.public).map_err(CliError::machine)?;
        report::key(&key, &self.file, &public, self.json);
        Ok(ExitCode::Success)
    }
}

fn no_password() -> CliError {
    CliError::usage("a secret key needs a password").hint(format!("set `{PASSWORD}`, or add `--no-password`"))
}

impl Pack {
    fn run(&self) -> Result<ExitCode, CliError> {
        let bundle = Bundle::from_folder(&self.folder).map_err(CliError::machine)?;
        check(&bundle, &self.folder.join("hookrail.toml"))?;
        let read = std::fs::read_to_string(&self.key);
        let key = read.map_err(|error| CliError::unreadable(&self.key, error))?;
        let key = SigningKey::parse(&key, password()).map_err(CliError::machine)?;
        let signed = bundle.sign(&key).map_err(CliError::machine)?;
        let file =
            self.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}-{}.json", bundle.name, bundle.serial)));
        let text = String::from_utf8_lossy(&signed.bytes);
        current_project::write_file(&file, &text)?;
        current_project::write_file(&Signed::signature_of(&file), &signed.signature)?;
        let public = key.public().map_err(CliError::machine)?;
        report::packed(&bundle, &file, &public, self.json);
        Ok(ExitCode::Success)
    }
}

impl Pull {
    fn run(&self) -> Result<ExitCode, CliError> {
        let key = self.key.as_deref().map(read_key).transpose()?;
        let signed = Source::parse(&self.from).fetch()?;
        let replace = if self.replace { Replace::Allowed } else { Replace::Never };
        let installed = self.machine.installed();
        let version = env!("CARGO_PKG_VERSION");
        let pulled = installed.pull(&signed, key.as_ref(), replace, version, |bundle| {
            check(bundle, &installed.settings_file()).map_err(Refused::Check)
        });
        let pulled = pulled.map_err(CliError::machine)?;
        let (bundle, before) = match &pulled {
            Pulled::Installed { bundle, before } => (bundle, Some(*before)),
            Pulled::Unchanged(bundle) => (bundle, None),
        };
        report::pulled(bundle, before, &installed, self.machine.json);
        Ok(ExitCode::Success)
    }
}

/// Why a bundle was not put in force.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    Check(CliError),
}

impl Status {
    fn run(&self) -> Result<ExitCode, CliError> {
        let installed = self.machine.installed();
        let state = installed.in_force().map_err(CliError::machine)?;
        let kept = installed.kept().map_err(CliError::machine)?;
        let key = installed.key().map_err(CliError::machine)?;
        Ok(report::status(&state, &kept, key.as_ref(), self.machine.json))
    }
}

impl Rollback {
    fn run(&self) -> Result<ExitCode, CliError> {
        let installed = self.machine.installed();
        let bundle = installed.rollback().map_err(CliError::machine)?;
        report::rolled_back(&bundle, self.machine.json);
        Ok(ExitCode::Success)
    }
}

/// A policy whose configuration has mistakes is neither signed nor installed: an unreadable managed layer denies every tool.
fn check(bundle: &Bundle, place: &Path) -> Result<(), CliError> {
    let folder =
        tempfile::tempdir().map_err(|error| CliError::machine(format!("cannot make a temporary folder: {error}")))?;
    let file = folder.path().join("hookrail.toml");
    std::fs::write(&file, &bundle.settings)
        .map_err(|error| CliError::machine(format!("cannot write `{}`: {error}", file.display())))?;
    let layer = LayerFiles::new(vec![(LayerKind::Managed, file.clone())]);
    let mut settings = ConfigCache::in_state(None).load(&layer, &RealWorld::default());
    hookrail_packs::check_names(&mut |group, known| settings.check_names(group, known));
    let shown = |text: String| text.replace(&file.display().to_string(), &place.display().to_string());
    match settings.diagnostics() {
        [] => Ok(()),
        found => {
            let list: Vec<String> = found.iter().map(|diagnostic| shown(diagnostic.to_string())).collect();
            Err(CliError::input(format!("the policy has mistakes:\n{}", list.join("\n"))))
        }
    }
}

fn read_key(key: &str) -> Result<PinnedKey, CliError> {
    let text = if Path::new(key).is_file() {
        std::fs::read_to_string(key).map_err(|error| CliError::machine(format!("cannot read `{key}`: {error}")))?
    } else {
        key.to_owned()
    };
    PinnedKey::parse(&text).map_err(|error| CliError::input(format!("`{key}`: {error}")))
}

fn with_extension(file: &Path, extension: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

/// Only its owner may read a secret key, from the first byte on; an existing one is never overwritten.
fn write_secret(path: &Path, text: &str) -> Result<(), CliError> {
    let mut options = std::fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
    written.map_err(|error| CliError::machine(format!("`{}` cannot be written: {error}", path.display())))
}
