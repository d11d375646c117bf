//! The person's browser.

use crate::error::CliError;
use hookrail_core::World;
use std::process::{Command, Stdio};

/// Opens an address; an error says why there is no browser to open.
pub fn open(address: &str, world: &dyn World) -> Result<(), CliError> {
    let has = |name: &str| world.env(name).is_some_and(|value| !value.is_empty());
    let (program, arguments): (&str, &[&str]) = match () {
        () if cfg!(target_os = "macos") => ("open", &[]),
        () if cfg!(windows) => ("rundll32", &["url.dll,FileProtocolHandler"]),
        () if has("DISPLAY") || has("WAYLAND_DISPLAY") || has("WSL_DISTRO_NAME") => ("xdg-open", &[]),
        () => return Err(CliError::usage("there is no display here, so no browser was opened")),
    };
    let opened = Command::new(program)
        .args(arguments)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match opened {
        Ok(mut child) => {
            // A child process must be waited for.
            std::thread::spawn(move || child.wait());
            Ok(())
        }
        Err(error) => Err(CliError::usage(format!("no browser was opened: `{program}`: {error}"))),
    }
}

/// How this machine is called by whoever is logged in to it.
pub fn this_machine(world: &dyn World) -> String {
    // The address of the client, its port, the address of this machine, its port.
    let connection = world.env("SSH_CONNECTION").unwrap_or_default();
    let own = connection.split_whitespace().nth(2).filter(|address| !address.is_empty());
    own.map_or_else(|| "HOST".to_owned(), str::to_owned)
}
