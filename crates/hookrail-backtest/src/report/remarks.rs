//! What a report rests on and what was left out, in sentences for the terminal and the page.

use super::words::counted;
use super::{BacktestReport, CallSource, Problem, ProblemKind};
use hookrail_core::display::{one_line, quoted};

impl BacktestReport {
    /// What was left out, and what it means. Texts of transcripts in it are safe to print.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.about_history();
        for hook in &self.not_started {
            let calls = counted(hook.count, "call");
            let name = quoted(&hook.name);
            remarks.push(format!("command hook {name} would also be asked about {calls}; it is not started here"));
        }
        remarks.extend(self.problems.iter().map(Problem::sentence));
        remarks
    }

    fn about_history(&self) -> Vec<String> {
        let history = &self.history;
        let mut remarks = Vec::new();
        if history.repeated > 0 {
            remarks.push(format!(
                "{} in several transcripts (resumed or forked sessions) and counted once",
                counted(history.repeated, "call")
            ));
        }
        if history.may_differ > 0 {
            remarks.push(format!(
                "{} may have been decided otherwise then: files or the repository of today were looked at",
                counted(history.may_differ, "call")
            ));
        }
        let silent = self.agents.iter().filter(|row| row.sessions > 0 && !row.notes_approvals);
        let silent: Vec<&str> = silent.map(|row| row.title.as_str()).collect();
        match (self.source, silent.as_slice()) {
            (_, []) => {}
            (CallSource::Journal, _) => {
                if self.interruptions.before > 0 {
                    remarks.push("the journal does not know what you decided when you were asked".to_owned());
                }
            }
            (CallSource::Transcripts, silent) => remarks.push(format!(
                "{} {} not record what you approve; what ran counts as run without a question",
                silent.join(", "),
                if silent.len() == 1 { "does" } else { "do" }
            )),
        }
        remarks
    }
}

impl Problem {
    /// What is wrong, how often and where.
    #[must_use]
    pub fn sentence(&self) -> String {
        let of = |what: &str, more: &str| format!("{}{more}", counted(self.count, what));
        let what = match self.kind {
            ProblemKind::BrokenLine => of("broken line", ""),
            ProblemKind::UnreadableFile => {
                of("file or folder", " that cannot be read").replace("file or folders", "files or folders")
            }
            ProblemKind::UntestedVersion => of("file", " of a version that was not tested"),
            ProblemKind::UnknownForm => of("file", " in a form that is not known"),
            ProblemKind::UnknownConfiguration => of("call", " not decided: the configuration cannot be used"),
            ProblemKind::NotKept => {
                of("event", " not decided again: not kept by the journal (privacy `minimal`, or an older version)")
            }
            ProblemKind::TooLarge => of("event", " not decided again: too large for the journal"),
            ProblemKind::UnknownEvent => {
                of("event", " not decided again: this version has no such agent, pack or hook")
            }
            ProblemKind::CutEvent => of("event", " decided from what is left: it was cut or had a secret in it"),
            ProblemKind::UntrustedCommand => of("event", " decided without a command hook that is not trusted"),
            ProblemKind::UnlistedEvents => {
                of("event", " known; events that no hook looked at are recorded only with `core/event-log`")
            }
        };
        let title = hookrail_dialects::agent(&self.agent).map_or(self.agent.as_str(), |agent| agent.title);
        let agent = if title.is_empty() { String::new() } else { format!("{title}: ") };
        let examples: Vec<_> = self.examples.iter().map(|example| one_line(example)).collect();
        let examples = if examples.is_empty() { String::new() } else { format!(": {}", examples.join("; ")) };
        format!("{agent}{what}{examples}")
    }
}
