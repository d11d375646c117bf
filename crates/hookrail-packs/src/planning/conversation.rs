//! What user and agent said last.

use super::feature::kind_behind;
use super::markdown;
use crate::limits::TRANSCRIPT_BYTES;
use hookrail_core::{Event, EventName, FileKind, World};
use memchr::memmem;
use serde_json::Value;
use std::ops::ControlFlow;
use std::path::Path;

/// Words with which a user ends the workflow.
const STOP_WORDS: [&str; 4] = ["stop", "quit", "abort", "exit"];

/// Words that may stand before a stop word in its clause: politeness, and who wants what. With any other word before it the
/// stop word is not an order ("don't stop") or names a thing ("the bus stop").
#[rustfmt::skip]
const BEFORE: [&str; 53] = [
    "actually", "all", "also", "alright", "and", "can", "could", "enough", "going", "gonna", "guess", "have",
    "hey", "i", "i'd", "i'll", "i’d", "i’ll", "immediately", "it's", "it’s", "just", "kindly", "let",
    "let's", "let’s", "lets", "like", "must", "need", "no", "now", "ok", "okay", "please", "pls", "right",
    "should", "simply", "so", "sorry", "that's", "that’s", "then", "time", "to", "us", "wanna", "want", "we",
    "well", "would", "you",
];

/// Words that may follow a stop word in its clause: the work itself, when and where. With anything else behind it the stop word
/// has an object of its own ("stop the server") or describes one ("abort handling").
#[rustfmt::skip]
const AFTER: [&str; 38] = [
    "a", "after", "all", "already", "at", "away", "completely", "doing", "everything", "feature", "for",
    "here", "immediately", "it", "later", "mode", "moment", "now", "once", "plan", "planning", "please",
    "process", "right", "run", "session", "the", "then", "there", "this", "that", "today", "tonight", "what",
    "work", "workflow", "working", "you're",
];

/// A user who wants to stop says so in a few words; a longer prompt is a task.
const MAX_WORDS: usize = 8;

/// Texts in the user's place that no user wrote.
const MACHINE_TEXTS: [&str; 8] = [
    "<system-reminder",
    "<task-notification",
    "<local-command",
    "<environment_context",
    "<user_instructions",
    "<bash-",
    "Stop hook feedback",
    "[Request interrupted",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    User,
    Agent,
    /// An agent that works for another one, in its own transcript.
    Subagent,
}

/// The prompt the agent works on: from the event, else from the transcript; `None` if neither has it.
pub(super) fn last_prompt(event: &Event, world: &dyn World) -> Option<String> {
    match event.text("prompt") {
        Some(prompt) => Some(prompt.to_owned()),
        None => last_text(&event.transcript_path, Speaker::User, event, world),
    }
}

/// What the agent said last: from the event, else from its transcript; `None` if neither has it.
pub(super) fn last_answer(event: &Event, world: &dyn World) -> Option<String> {
    let said = ["last_assistant_message", "prompt_response"].iter().find_map(|field| event.text(field));
    if let Some(said) = said {
        return Some(said.to_owned());
    }
    if event.name == EventName::SubagentStop {
        let transcript = event.text("agent_transcript_path").unwrap_or_default();
        return last_text(transcript, Speaker::Subagent, event, world);
    }
    last_text(&event.transcript_path, Speaker::Agent, event, world)
}

/// Whether a user's prompt asks to end: a short one, with a stop word whose only object is the work itself.
pub(super) fn asks_to_stop(prompt: &str) -> bool {
    let words = prompt.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
    words.count() <= MAX_WORDS && clauses(prompt).iter().any(|clause| is_wish_to_stop(clause))
}

/// The words of each clause, in small letters. What ends a clause says nothing about the next one: "No, don't. Stop!"
fn clauses(prompt: &str) -> Vec<Vec<String>> {
    let ends_clause = |c: char| matches!(c, ',' | ';' | ':' | '!' | '?' | '\n' | '(' | ')') || matches!(c, '–' | '—');
    let word = |piece: &str| piece.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let mut clauses = Vec::new();
    for part in prompt.split(ends_clause) {
        // A full stop ends a clause at the end of a word, and not within `process.exit`.
        for part in part.split(". ").map(|part| part.trim_end_matches('.')) {
            clauses.push(part.split_whitespace().map(word).filter(|word| !word.is_empty()).collect());
        }
    }
    clauses
}

fn is_wish_to_stop(clause: &[String]) -> bool {
    let is_stop_word = |word: &String| STOP_WORDS.contains(&word.as_str());
    let Some(at) = clause.iter().position(is_stop_word) else { return false };
    let (before, after) = clause.split_at(at);
    let mut after = after.iter().skip(1).map(String::as_str);
    // "Stop and show me the plan" is two orders; "add a stop and a start button" is not.
    let mut rest = after.by_ref().take_while(|word| *word != "and");
    before.iter().all(|word| BEFORE.contains(&word.as_str())) && rest.all(|word| AFTER.contains(&word))
}

/// Whether an agent's answer ends with a question, perhaps with a list of choices behind it.
pub(super) fn asks_user(answer: &str) -> bool {
    let mut lines = answer.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let ends_with_question = |line: &str| line.trim_end_matches(['*', '_', '`', ')', '"', '\'']).ends_with('?');
    let is_choice = |line: &str| markdown::list_item(line).is_some() || markdown::cells(line).is_some();
    lines.find(|line| ends_with_question(line) || !is_choice(line)).is_some_and(ends_with_question)
}

/// What a subagent said in all its turns, and the files it wrote or changed, oldest first.
pub(super) fn work_of_subagent(event: &Event, world: &dyn World) -> (Vec<String>, Vec<String>) {
    let transcript = event.text("agent_transcript_path").unwrap_or_default();
    let (mut texts, mut files) = (Vec::new(), Vec::new());
    read_back(transcript, event, world, &mut |line| {
        texts.extend(read_line(line, Speaker::Subagent));
        files.extend(written_files(line).into_iter().rev());
        ControlFlow::Continue(())
    });
    texts.reverse();
    files.reverse();
    (texts, files)
}

/// The newest text of a speaker in a transcript of JSON lines.
fn last_text(transcript: &str, speaker: Speaker, event: &Event, world: &dyn World) -> Option<String> {
    let mut found = None;
    read_back(transcript, event, world, &mut |line| {
        found = read_line(line, speaker);
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

/// Shows the lines of a transcript, the newest first, as far back as it is worth it. A transcript that is no file, or cannot be
/// read, counts for nothing: it must neither hold an agent nor excuse anything.
fn read_back(path: &str, event: &Event, world: &dyn World, see: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) {
    // An event without a transcript has an empty path, which is a folder here.
    let path = event.cwd.join(Path::new(path));
    if matches!(kind_behind(&path, world), Ok(Some(FileKind::File))) {
        let _ = world.lines_from_end(&path, TRANSCRIPT_BYTES, see);
    }
}

/// The paths that the tool calls of a line write.
fn written_files(line: &[u8]) -> Vec<String> {
    if memmem::find(line, b"tool_use").is_none() || memmem::find(line, b"file_path").is_none() {
        return Vec::new();
    }
    let entry: Option<Value> = serde_json::from_str(&String::from_utf8_lossy(line)).ok();
    let parts = entry.as_ref().and_then(|entry| entry.pointer("/message/content")?.as_array());
    let path = |part: &Value| {
        let is_writer = matches!(part.get("name")?.as_str()?, "Write" | "Edit" | "MultiEdit");
        let path = part.pointer("/input/file_path")?.as_str()?;
        is_writer.then(|| path.to_owned())
    };
    parts.map(|parts| parts.iter().filter_map(path).collect()).unwrap_or_default()
}

/// The text of a line that is this speaker's. Claude Code has it in `message`, Codex in `payload`.
fn read_line(line: &[u8], speaker: Speaker) -> Option<String> {
    let name = match speaker {
        Speaker::User => "user",
        Speaker::Agent | Speaker::Subagent => "assistant",
    };
    // Most lines are long and of other speakers.
    memmem::find(line, name.as_bytes())?;
    let entry: Value = serde_json::from_str(&String::from_utf8_lossy(line)).ok()?;
    let is_set = |field: &str| entry.get(field) == Some(&Value::Bool(true));
    let message = entry.get("message").or_else(|| entry.get("payload")).unwrap_or(&entry);
    let role = message.get("role").or_else(|| entry.get("type")).and_then(Value::as_str)?;
    // What the agent's host puts in, and what is said in a subagent, does not count here.
    if role != name || is_set("isMeta") || is_set("isSidechain") && speaker != Speaker::Subagent {
        return None;
    }
    let text = content_text(message.get("content")?);
    let by_machine = |text: &str| MACHINE_TEXTS.iter().any(|start| text.trim_start().starts_with(start));
    let is_said = !text.trim().is_empty() && (speaker != Speaker::User || !by_machine(&text));
    is_said.then_some(text)
}

fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_events::event;
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    #[test]
    fn a_prompt_asks_to_stop_when_it_says_so() {
        for prompt in [
            "stop",
            "Please stop.",
            "OK, quit now",
            "Abort!",
            "let's exit here",
            "STOP: later",
            "\"stop\"",
            "No, don't. Stop!",
            "no stop",
            "please stop the planning workflow now",
            "Stop here for today, thanks",
            "Stop and show me what you have",
            "I want to stop",
            "You can stop now.",
            "abort the plan",
            "Can you quit?",
        ] {
            assert!(asks_to_stop(prompt), "{prompt}");
        }
        for prompt in [
            "",
            "go on",
            "don't stop until all phases are done",
            "Do not stop",
            "never quit early",
            "plan the exit code of the command",
            "add a stop button",
            "users are stopped at the gate; process.exit is not called",
            "nonstop unstoppable exits",
            "the bus stop search feature",
            "graceful abort handling",
            "stop the server when it is idle",
            "implement quit",
            "How do I exit?",
            "stop using Redis",
            "Plan the feature that lets a rider find the next stop",
            "Make sure that it works and that you then stop here",
        ] {
            assert!(!asks_to_stop(prompt), "{prompt}");
        }
    }

    #[test]
    fn an_answer_asks_the_user_when_a_question_ends_it() {
        for answer in [
            "Which cache do you want?",
            "I have two options.\n\n**Which one?**\n",
            "Which one?\n\n1. Redis\n2. Memory\n",
            "Which one do you prefer?\n| a | b |\n|---|---|\n",
        ] {
            assert!(asks_user(answer), "{answer}");
        }
        for answer in ["", "Done.", "Why? Because it is faster.", "Is it fast? Yes.\n- very\n", "- a\n- b"] {
            assert!(!asks_user(answer), "{answer}");
        }
    }

    #[track_caller]
    fn check(lines: &[Value], prompt: Option<&str>, answer: Option<&str>) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let world = FakeWorld::new().file("/p/t.jsonl", &text);
        let mut event = event("/p");
        event.transcript_path = "/p/t.jsonl".to_owned();
        assert_eq!(last_prompt(&event, &world).as_deref(), prompt, "{text}");
        assert_eq!(last_answer(&event, &world).as_deref(), answer, "{text}");
    }

    #[test]
    fn the_last_words_are_found_in_transcripts() {
        let user = |text: &str| json!({"type": "user", "message": {"role": "user", "content": text}});
        let parts = |text: &str| {
            json!({"type": "assistant", "message": {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}, {"type": "tool_use", "name": "x"}]}})
        };
        let result = json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "stop"}]}});
        let meta = json!({"type": "user", "isMeta": true, "message": {"role": "user", "content": "please stop again"}});
        let side = json!({"type": "user", "isSidechain": true, "message": {"role": "user", "content": "stop"}});
        check(&[user("one"), parts("a"), user("two"), parts("b"), result, meta, side], Some("two"), Some("b"));
        check(
            &[user("go"), user("Stop hook feedback:\nstop again"), user("<task-notification>stop")],
            Some("go"),
            None,
        );
        check(
            &[user("stop"), user("<command-name>/plan</command-name>")],
            Some("<command-name>/plan</command-name>"),
            None,
        );
        let codex = |role: &str, text: &str| {
            json!({"type": "response_item", "payload": {"type": "message", "role": role,
                "content": [{"type": "input_text", "text": text}]}})
        };
        check(
            &[codex("user", "go"), codex("user", "<environment_context>x"), codex("assistant", "done")],
            Some("go"),
            Some("done"),
        );
        check(&[json!("user"), json!({"user": 1}), json!({"type": "user", "content": 1})], None, None);
        check(&[], None, None);
    }

    #[test]
    fn what_the_event_says_goes_before_the_transcript() {
        let mut event = event("/p");
        event.transcript_path = "/none".to_owned();
        event.payload.insert("prompt".to_owned(), json!("p"));
        event.payload.insert("prompt_response".to_owned(), json!("r"));
        let world = FakeWorld::new().broken("/none");
        assert_eq!(last_prompt(&event, &world).as_deref(), Some("p"));
        assert_eq!(last_answer(&event, &world).as_deref(), Some("r"));
        event.payload.clear();
        assert_eq!(last_prompt(&event, &world), None, "what cannot be read says nothing");
    }
}
