use crate::current_project::{working_folder, write_file};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen;
use clap_mangen::Man as Page;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Print a page of the manual, or write all of them to a folder
///
/// `hookrail man log | man -l -` reads one page; `hookrail man --out ~/.local/share/man/man1` installs all. Only reads;
/// `--out` writes to the folder it names.
#[derive(clap::Args)]
pub struct Man {
    /// The command whose page it is, such as `log` or `fsm check`; hookrail itself if none is given
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Vec<String>,
    /// Write every page to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Man {
    pub fn run(&self) -> ExitCode {
        match self.serve() {
            Ok(()) => ExitCode::Success,
            Err(message) => screen::fail(message),
        }
    }

    fn serve(&self) -> Result<(), CliError> {
        match &self.out {
            Some(folder) => self.write_all(folder),
            None => self.print(),
        }
    }

    fn print(&self) -> Result<(), CliError> {
        let root = root();
        let mut command = &root;
        for word in &self.command {
            let found = command.find_subcommand(word);
            command = found.ok_or_else(|| {
                CliError::unknown("command", word, command.get_subcommands().map(clap::Command::get_name))
                    .hint("see `hookrail help`")
            })?;
        }
        let (name, text) = page(command)?;
        let mut out = anstream::stdout();
        // A closed stdout is not an error.
        let _ = if self.json {
            writeln!(out, "{}", screen::versioned(serde_json::json!({ "name": name, "page": text })))
        } else {
            out.write_all(text.as_bytes())
        };
        Ok(())
    }

    fn write_all(&self, folder: &Path) -> Result<(), CliError> {
        let folder = working_folder()?.join(folder);
        let mut pages = Vec::new();
        collect(&root(), &mut pages)?;
        let mut written = Vec::new();
        for (name, text) in pages {
            let file = folder.join(name);
            write_file(&file, &text)?;
            written.push(file);
        }
        let mut out = anstream::stdout();
        let _ = if self.json {
            writeln!(out, "{}", screen::versioned(serde_json::json!({ "written": written })))
        } else {
            writeln!(out, "{} pages are in `{}`", written.len(), folder.display())
        };
        Ok(())
    }
}

/// Every command, with the full name it is called by.
fn root() -> clap::Command {
    let mut root = crate::command().disable_help_subcommand(true);
    root.build();
    root
}

/// A page, and the name of its file.
fn page(command: &clap::Command) -> Result<(String, String), CliError> {
    let page = Page::new(command.clone()).manual("hookrail").source(concat!("hookrail ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text).map_err(CliError::machine)?;
    Ok((page.get_filename(), String::from_utf8_lossy(&text).into_owned()))
}

/// The pages of a command and of those below it.
fn collect(command: &clap::Command, pages: &mut Vec<(String, String)>) -> Result<(), CliError> {
    pages.push(page(command)?);
    command.get_subcommands().try_for_each(|command| collect(command, pages))
}
