use crate::exit_code::ExitCode;
use clap_complete::Shell;
use std::io::Write;

/// Print what a shell needs to complete hookrail's commands, flags and names
///
/// bash: `hookrail completions bash > ~/.local/share/bash-completion/completions/hookrail`; fish:
/// `hookrail completions fish > ~/.config/fish/completions/hookrail.fish`; zsh: into a file `_hookrail` in a folder of
/// `$fpath`; others: from the shell's own profile. Only reads.
#[derive(clap::Args)]
pub struct Completions {
    #[arg(value_name = "SHELL")]
    shell: Shell,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Completions {
    pub fn run(&self) -> ExitCode {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::command(), "hookrail", &mut script);
        if self.json {
            let text = String::from_utf8_lossy(&script);
            let object = serde_json::json!({ "shell": self.shell.to_string(), "script": text });
            script = format!("{}\n", crate::screen::versioned(object)).into_bytes();
        }
        // A closed stdout is not an error.
        let _ = std::io::stdout().write_all(&script);
        ExitCode::Success
    }
}
