//! A project directory that exists for one test.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A temporary directory, laid out in builder style and removed when dropped.
///
/// ```
/// use hookrail_testkit::project::TempProject;
///
/// let project = TempProject::new()
///     .file("src/main.rs", "fn main() {}\n")
///     .script("hooks/deny.sh", "#!/bin/sh\nexit 2\n");
/// assert_eq!(project.read("src/main.rs"), "fn main() {}\n");
/// assert!(project.exists("hooks/deny.sh"));
/// ```
///
/// Every path is relative to the project and stays inside it; all methods panic, naming the path, when the file
/// system does not do as asked.
#[derive(Debug)]
pub struct TempProject {
    root: PathBuf,
    _directory: TempDir,
}

impl Default for TempProject {
    fn default() -> Self {
        Self::new()
    }
}

impl TempProject {
    /// An empty project.
    pub fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("hookrail-").tempdir().expect("a temporary directory");
        // Programs report their working directory resolved; where the temporary directory is behind a link, only
        // the resolved path compares equal to what they say.
        let root = directory.path().canonicalize().expect("the temporary directory resolves");
        Self { root, _directory: directory }
    }

    /// Adds a file, with the directories above it.
    #[must_use]
    pub fn file(self, path: impl AsRef<Path>, text: &str) -> Self {
        self.write(path, text);
        self
    }

    /// Adds an executable file.
    #[must_use]
    pub fn script(self, path: impl AsRef<Path>, text: &str) -> Self {
        let path = self.at(path);
        create_parent(&path);
        write_executable(&path, text);
        self
    }

    /// A program in this project that sees nothing of the machine: `home/` is its home folder, and it finds the system's
    /// programs only.
    #[must_use]
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).env_clear().env("HOME", self.at("home")).env("PATH", "/usr/bin:/bin");
        command
    }

    /// Makes the project a git repository whose only commit, on `branch`, holds the files added so far.
    #[must_use]
    pub fn git_init(self, branch: &str) -> Self {
        self.git(&["init", "--quiet", "--template="]);
        self.git(&["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")]);
        self.git(&["config", "user.name", IDENTITY.0]);
        self.git(&["config", "user.email", IDENTITY.1]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "Start"]);
        self
    }

    /// Runs git in the project and returns what it printed. Neither the machine's nor the user's git configuration
    /// applies, and author, committer and dates are fixed, so that the same steps give the same commit ids.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = clean_git(&self.root).args(arguments).output().expect("`git` runs");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`git {}` failed: {complaint}", arguments.join(" "));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The project's directory, free of symbolic links.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The full path of something in the project.
    pub fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        let inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        assert!(inside, "`{}` is not a path inside the project", path.display());
        self.root.join(path)
    }

    /// Writes a file of a project that is already laid out, creating or replacing it.
    pub fn write(&self, path: impl AsRef<Path>, text: &str) {
        let path = self.at(path);
        create_parent(&path);
        fs::write(&path, text).unwrap_or_else(|error| panic!("cannot write `{}`: {error}", path.display()));
    }

    /// The text of a file.
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        let path = self.at(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read `{}`: {error}", path.display()))
    }

    /// Whether there is a file or directory at `path`.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.at(path).exists()
    }
}

const IDENTITY: (&str, &str) = ("Test Author", "author@example.invalid");
const MOMENT: &str = "2024-01-02T03:04:05Z";

#[expect(clippy::disallowed_methods, reason = "the search path is the one thing the clean environment keeps")]
fn clean_git(directory: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(directory).env_clear();
    if let Some(search_path) = std::env::var_os("PATH") {
        git.env("PATH", search_path);
    }
    git.env("HOME", directory).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    // A repository around the temporary directory is not this project's.
    git.env("GIT_CEILING_DIRECTORIES", directory.parent().unwrap_or(directory));
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), IDENTITY.0);
        git.env(format!("GIT_{role}_EMAIL"), IDENTITY.1);
        git.env(format!("GIT_{role}_DATE"), MOMENT);
    }
    git
}

fn create_parent(path: &Path) {
    let parent = path.parent().expect("a path inside the project has a directory above it");
    fs::create_dir_all(parent).unwrap_or_else(|error| panic!("cannot create `{}`: {error}", parent.display()));
}

/// Writes the file from a process of its own. Were this process to hold it open for writing, a child that another
/// thread starts at that moment would inherit it, and running the script would fail with "text file busy".
#[cfg(unix)]
fn write_executable(path: &Path, text: &str) {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    let mut tee =
        Command::new("tee").arg(path).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("`tee` runs");
    let written = tee.stdin.take().expect("a piped input").write_all(text.as_bytes());
    let status = tee.wait().expect("`tee` ends");
    assert!(written.is_ok() && status.success(), "cannot write `{}`", path.display());
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
        .unwrap_or_else(|error| panic!("cannot make `{}` executable: {error}", path.display()));
}

#[cfg(not(unix))]
fn write_executable(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("cannot write `{}`: {error}", path.display()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn files_are_laid_out_read_back_and_removed_with_the_project() {
        let project = TempProject::new().file("a/b/c.txt", "one").file("top.txt", "");
        assert_eq!(project.read("a/b/c.txt"), "one");
        assert_eq!(project.read("top.txt"), "");
        assert!(project.exists("a/b"));
        assert!(!project.exists("a/c.txt"));

        project.write("a/b/c.txt", "two");
        assert_eq!(project.read("a/b/c.txt"), "two");

        let root = project.path().to_owned();
        drop(project);
        assert!(!root.exists());
    }

    #[test]
    fn the_root_is_the_directory_that_a_program_in_it_reports() {
        let project = TempProject::new();
        let output = Command::new("pwd").arg("-P").current_dir(project.path()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), project.path().to_str().unwrap());
    }

    #[test]
    fn scripts_run_at_once_while_other_threads_write_and_run_theirs() {
        let write_and_run = |thread: usize| {
            for round in 0..30 {
                let project = TempProject::new().script("bin/say", "#!/bin/sh\necho \"said $1\"\n");
                let output = Command::new(project.at("bin/say")).arg(format!("{thread}.{round}")).output().unwrap();
                assert_eq!(String::from_utf8_lossy(&output.stdout), format!("said {thread}.{round}\n"));
            }
        };
        thread::scope(|scope| (0..4).for_each(|thread| drop(scope.spawn(move || write_and_run(thread)))));
    }

    #[test]
    fn a_repository_is_on_the_named_branch_with_the_files_committed() {
        let project = TempProject::new().file("kept.txt", "kept").git_init("feature/one");
        assert_eq!(project.read(".git/HEAD").trim_end(), "ref: refs/heads/feature/one");
        assert_eq!(project.git(&["ls-files"]), "kept.txt\n");
        assert_eq!(project.git(&["status", "--porcelain"]), "");
        assert_eq!(project.git(&["log", "--format=%an <%ae> %s"]), "Test Author <author@example.invalid> Start\n");
        assert!(!project.exists(".git/hooks"), "the machine's git template stays out");
    }

    #[test]
    fn the_same_steps_give_the_same_commit() {
        let commit = || TempProject::new().file("a", "b").git_init("main").git(&["rev-parse", "HEAD"]);
        assert_eq!(commit(), commit());
    }

    #[test]
    #[should_panic(expected = "`git no-such-command` failed: ")]
    fn a_failing_git_command_says_which() {
        TempProject::new().git(&["no-such-command"]);
    }

    #[test]
    fn paths_that_leave_the_project_are_refused() {
        let project = TempProject::new();
        for path in ["../x", "/etc/passwd", "a/../../x"] {
            let attempt = std::panic::catch_unwind(|| project.at(path));
            let message = *attempt.unwrap_err().downcast::<String>().unwrap();
            assert_eq!(message, format!("`{path}` is not a path inside the project"));
        }
    }
}
