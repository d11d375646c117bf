use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(hookrail_mini_agent::run(std::env::args_os()).code())
}
