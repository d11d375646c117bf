//! Starting a sync from a hook.

use std::process::{Command, Stdio};

/// Starts `hookrail sync` as a process of its own, which is not waited for. It inherits no pipe, so an agent that waits
/// for the end of the hook's output does not wait for it. That it cannot be started is no matter of the event: the next
/// session's end tries again, and `doctor` tells when the last one was.
pub fn start_detached() {
    let Ok(program) = crate::sibling::find(crate::sibling::HOOKRAIL) else { return };
    let mut command = Command::new(program);
    command.args(["sync", "--detached"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A folder that is removed after the session must not be in the way.
    command.current_dir("/");
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let _ = command.spawn();
}
