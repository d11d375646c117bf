//! What a person sees: the model's answers on stdout, everything else on stderr.

use hookrail_engine::{DebugLogger, Level, StatusDisplay};
use hookrail_host::{Display, ToolCallOutcome, ToolCallRequest};
use serde_json::Value;
use std::io::Write;

/// How many lines of a tool's result are shown.
const SHOWN_LINES: usize = 8;

#[derive(Debug, Default)]
pub struct Terminal {
    in_line: bool,
}

impl Display for Terminal {
    fn text_chunk(&mut self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        // Closed output does not keep the agent from its work.
        let _ = stdout.write_all(harmless(text).as_bytes()).and_then(|()| stdout.flush());
        self.in_line = !text.ends_with('\n');
    }

    fn response_done(&mut self) {
        if self.in_line {
            self.text_chunk("\n");
        }
    }

    fn response_hidden(&mut self) {
        self.response_done();
        tell("(a hook hides the answer)");
    }

    fn tool_call(&mut self, call: &ToolCallRequest) {
        tell(&format!("-> {} {}", call.name, call.args));
    }

    fn tool_result(&mut self, outcome: &ToolCallOutcome) {
        let mark = if outcome.is_error() { "!!" } else { "<-" };
        tell(&format!("{mark} {} {}", outcome.call.name, excerpt(&outcome.result.return_display)));
    }

    fn notice(&mut self, text: &str) {
        self.response_done();
        tell(text);
    }
}

fn excerpt(display: &Value) -> String {
    let text = display.as_str().map_or_else(|| display.to_string(), str::to_owned);
    let lines: Vec<&str> = text.lines().collect();
    let hidden = lines.len().saturating_sub(SHOWN_LINES);
    let mut shown = lines.into_iter().take(SHOWN_LINES).collect::<Vec<_>>().join("\n   ");
    if hidden > 0 {
        shown.push_str(&format!("\n   ({hidden} more lines)"));
    }
    shown
}

/// Tells the person what the hook engine has to say.
#[derive(Debug)]
pub struct TerminalLog {
    pub verbose: bool,
}

impl DebugLogger for TerminalLog {
    fn enabled(&self, level: Level) -> bool {
        level >= Level::Warn || self.verbose
    }

    fn log(&self, level: Level, line: &str) {
        match level {
            Level::Debug => tell(&format!("hooks: {line}")),
            Level::Warn => tell(&format!("warning: {line}")),
        }
    }
}

impl StatusDisplay for TerminalLog {
    fn show(&self, _: &str, message: &str) {
        tell(&format!(".. {message}"));
    }
}

fn tell(line: &str) {
    // A closed terminal is not an error.
    let _ = writeln!(std::io::stderr(), "{}", harmless(line));
}

/// Models and tools must not be able to drive the terminal.
pub fn harmless(text: &str) -> String {
    let keep = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().flat_map(|c| if keep(c) { vec![c] } else { c.escape_default().collect() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_that_is_shown_drives_the_terminal() {
        assert_eq!(harmless("a\tb\nc"), "a\tb\nc");
        assert_eq!(harmless("\u{1b}[2J\u{7}"), "\\u{1b}[2J\\u{7}");
    }

    #[test]
    fn long_results_are_shown_in_part() {
        let lines: Vec<String> = (1..=10).map(|n| n.to_string()).collect();
        assert_eq!(excerpt(&json!(lines.join("\n"))), "1\n   2\n   3\n   4\n   5\n   6\n   7\n   8\n   (2 more lines)");
        assert_eq!(excerpt(&json!("one")), "one");
        assert_eq!(excerpt(&json!({"a": 1})), "{\"a\":1}");
    }
}
