use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(mini_agent::run(std::env::args_os()).code())
}
