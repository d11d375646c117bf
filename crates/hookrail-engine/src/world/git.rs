use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// A question takes milliseconds; a repository on a sleeping disk must not hold an agent up.
const DEADLINE: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(2);
/// More than any list of changed files that a person could read.
const MOST_OUTPUT: u64 = 4 << 20;
/// Variables by which another repository would answer.
const MISLEADING: [&str; 4] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"];

/// Starts git by its arguments and returns what it printed; `None` if it exits with an error. Nothing that a repository
/// configures is started, nothing is locked, fetched or asked of a person.
pub(super) fn ask(folder: &Path, args: &[&str]) -> io::Result<Option<String>> {
    let mut command = Command::new("git");
    command
        .args(["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .args(args)
        .current_dir(folder)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    for name in MISLEADING {
        command.env_remove(name);
    }
    let mut child = command.spawn()?;
    let pipe = child.stdout.take();
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut output = Vec::new();
        let read = pipe.map_or(Ok(0), |pipe| pipe.take(MOST_OUTPUT).read_to_end(&mut output));
        // The receiver is gone once the deadline is over.
        let _ = tell.send(read.map(|_| output));
    });
    let start = Instant::now();
    let output = told.recv_timeout(DEADLINE);
    while output.is_ok() && start.elapsed() < DEADLINE {
        if let Some(status) = child.try_wait()? {
            let text = output.map_err(io::Error::other)??;
            return Ok(status.success().then(|| String::from_utf8_lossy(&text).into_owned()));
        }
        thread::sleep(POLL);
    }
    child.kill()?;
    child.wait()?;
    Err(io::Error::new(io::ErrorKind::TimedOut, "it takes too long"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_testkit::project::TempProject;

    #[test]
    fn git_answers_a_question_and_an_error_is_no_answer() {
        let project = TempProject::new().file("a.txt", "a").git_init("main");
        let ask = |args: &[&str]| ask(project.path(), args).unwrap();
        assert_eq!(ask(&["ls-files"]), Some("a.txt\n".to_owned()));
        assert_eq!(ask(&["cat-file", "-e", "0000000"]), None);
        assert_eq!(ask(&["no-such-command; touch b.txt"]), None);
        assert!(!project.exists("b.txt"), "there is no shell");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        assert!(ask(Path::new("/no/such/folder"), &["status"]).is_err());
    }
}
