use super::arguments::{self, Arguments};
use hookrail_engine::CancelToken;
use hookrail_host::{Tool, ToolError, ToolResult};
use serde_json::{Value, json};
use std::io::{BufRead, IsTerminal, Write};

/// Asks the person in front of the agent.
#[derive(Debug)]
pub struct AskUser;

impl Tool for AskUser {
    fn name(&self) -> &str {
        "ask_user"
    }

    fn declaration(&self) -> Value {
        json!({
            "name": self.name(),
            "description": "Asks the user questions that only they can answer.",
            "parameters": {
                "type": "object",
                "properties": {"questions": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"question": {"type": "string"}},
                        "required": ["question"],
                    },
                }},
                "required": ["questions"],
            },
        })
    }

    fn validate(&self, args: &Arguments) -> Result<(), ToolError> {
        questions(args)?;
        arguments::only(args, &["questions"]).map_err(ToolError)
    }

    fn execute(&self, args: &Arguments, _: &CancelToken) -> ToolResult {
        if !std::io::stdin().is_terminal() {
            return ToolResult::failed("no person is there to answer; decide yourself and say what you decided");
        }
        match questions(args).and_then(|questions| ask(&questions)) {
            Ok(answers) => ToolResult::text(&answers),
            Err(why) => ToolResult::failed(&why),
        }
    }
}

fn questions(args: &Arguments) -> Result<Vec<&str>, String> {
    let listed = args.get("questions").and_then(Value::as_array).filter(|list| !list.is_empty());
    let listed = listed.ok_or("`questions` must be a list of at least one")?;
    let texts: Option<Vec<&str>> = listed.iter().map(|question| question.get("question")?.as_str()).collect();
    texts.ok_or_else(|| "each of `questions` must have a `question`".to_owned())
}

fn ask(questions: &[&str]) -> Result<String, String> {
    let mut answers = Vec::new();
    for question in questions {
        // If the terminal is gone, there is no answer either.
        let _ = write!(std::io::stderr(), "?? {} ", crate::terminal::harmless(question));
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(|error| format!("no answer: {error}"))?;
        answers.push(format!("{question}\n{}", line.trim()));
    }
    Ok(answers.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_words() {
        let cases = [
            (json!({"questions": [{"question": "Which?"}, {"question": "When?", "header": "h"}]}), Ok(2)),
            (json!({"questions": []}), Err("`questions` must be a list of at least one")),
            (json!({"questions": "Which?"}), Err("`questions` must be a list of at least one")),
            (json!({"questions": ["Which?"]}), Err("each of `questions` must have a `question`")),
        ];
        for (args, expected) in cases {
            let found = questions(args.as_object().unwrap()).map(|questions| questions.len());
            assert_eq!(found, expected.map_err(str::to_owned), "{args}");
        }
    }
}
