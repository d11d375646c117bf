//! `hookrail`: everything that a person types, and the server for agents in any language.

fn main() -> std::process::ExitCode {
    hookrail_cli::hookrail()
}
