//! A program on a terminal of its own, driven as a person would: look at the screen, press keys.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a screen may take to show what is waited for.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 5 } else { 60 });
/// Programs that redraw their screen drop keys that come while they do.
const SETTLE: Duration = Duration::from_millis(700);

/// A program that runs under `script`, which gives it a terminal.
pub(super) struct Terminal {
    child: Child,
    keyboard: Option<ChildStdin>,
    screen: Arc<Mutex<Vec<u8>>>,
    seen: usize,
}

impl Terminal {
    /// `line` is a shell command line; environment and folder are those of `command`.
    pub fn start(command: &mut Command, line: &str) -> io::Result<Self> {
        let line = format!("stty rows 50 columns 160; exec {line}");
        command.args(["-qfec", &line, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let screen: Arc<Mutex<Vec<u8>>> = Arc::default();
        if let Some(mut output) = child.stdout.take() {
            let screen = Arc::clone(&screen);
            thread::spawn(move || {
                let mut bytes = [0; 8192];
                while let Ok(count @ 1..) = output.read(&mut bytes) {
                    let read = bytes.get(..count).unwrap_or_default();
                    screen.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(read);
                }
            });
        }
        let keyboard = child.stdin.take();
        Ok(Self { child, keyboard, screen, seen: 0 })
    }

    /// Waits until the screen has shown this since the last keys. Blanks do not count: programs draw them by moving the cursor.
    pub fn wait_for(&mut self, text: &str) -> io::Result<()> {
        let wanted = squeezed(text);
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let shown = self.shown();
            if shown.contains(&wanted) {
                thread::sleep(SETTLE);
                return Ok(());
            }
            if self.child.try_wait()?.is_some() {
                return Err(io::Error::other(format!("it ended before it showed `{text}`:\n{shown}")));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Err(io::Error::other(format!("`{text}` did not appear:\n{}", self.shown())))
    }

    pub fn press(&mut self, keys: &str) -> io::Result<()> {
        self.seen = self.screen.lock().unwrap_or_else(PoisonError::into_inner).len();
        let Some(keyboard) = &mut self.keyboard else { return Ok(()) };
        keyboard.write_all(keys.as_bytes())?;
        keyboard.flush()?;
        thread::sleep(SETTLE);
        Ok(())
    }

    /// Ends the program as a closed window does.
    pub fn close(mut self) -> io::Result<()> {
        drop(self.keyboard.take());
        let begun = Instant::now();
        while self.child.try_wait()?.is_none() {
            if begun.elapsed() > Duration::from_secs(5) {
                self.child.kill()?;
                self.child.wait()?;
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn shown(&self) -> String {
        let bytes = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        squeezed(&String::from_utf8_lossy(bytes.get(self.seen..).unwrap_or_default()))
    }
}

/// A text without blanks and without what steers a terminal.
fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\x1b' => skip_sequence(&mut chars),
            c if c.is_whitespace() || c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Skips what follows an escape character.
fn skip_sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => while chars.next().is_some_and(|c| !('\x40'..='\x7e').contains(&c)) {},
        Some(']') => while chars.next().is_some_and(|c| c != '\x07' && c != '\\') {},
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_no_text() {
        assert_eq!(squeezed("\x1b[1mDo\x1b[2Cyou\x1b]0;a title\x07 want\r\n?"), "Doyouwant?");
    }

    #[test]
    fn keys_reach_the_program_and_its_screen_is_seen() {
        let mut terminal =
            Terminal::start(&mut Command::new("script"), "sh -c 'printf ready; read x; printf \"got $x\"; read y'")
                .unwrap();
        terminal.wait_for("ready").unwrap();
        terminal.press("words\n").unwrap();
        terminal.wait_for("got words").unwrap();
        assert!(terminal.wait_for("ready").is_err(), "only what came since the last keys counts");
        terminal.close().unwrap();
    }
}
