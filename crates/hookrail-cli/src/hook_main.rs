//! `hookrail-hook`: what agents start at every event, `hookrail hook` as a small program of its own.

fn main() -> std::process::ExitCode {
    hookrail_cli::hookrail_hook()
}
