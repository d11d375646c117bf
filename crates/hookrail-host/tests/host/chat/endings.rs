use crate::chat::chat_fixture::{ChatFixture, ChatReply, texts};
use crate::scheduler::fixture::HookedProject;
use hookrail_host::TurnEnd;
use serde_json::{Value, json};

#[test]
fn a_model_that_never_finishes_is_given_up_on() {
    let calling = || ChatReply::calls(&[("echo", "again")]);
    let chat_fixture = ChatFixture::new(HookedProject::new(), [calling(), calling(), calling()])
        .options(|options| options.max_turns = 2);
    let played = chat_fixture.play("go");
    assert_eq!(played.end(), &TurnEnd::TurnLimit);
    assert_eq!(played.requests.len(), 2);
    assert_eq!(played.history.len(), 5, "the last calls are answered");
}

#[test]
fn an_error_takes_the_prompt_back_and_keeps_what_tools_did() {
    // covers: HOOK-207
    let replies = [
        ChatReply::broken(&["half"]),
        ChatReply::calls(&[("echo", "a")]),
        ChatReply::broken(&[]),
        ChatReply::text(&["ok"]),
    ];
    let played = ChatFixture::new(HookedProject::new(), replies).play_all(&["one", "two", "three"]);
    assert_eq!(texts(&played.requests[1]["contents"]), ["two"], "the first prompt had no answer");
    let roles: Vec<&Value> = played.history.iter().map(|content| &content["role"]).collect();
    assert_eq!(roles, ["user", "model", "user", "model"]);
    assert_eq!(played.history[2]["parts"][0]["functionResponse"]["response"], json!({"output": "echo: a"}));
    assert_eq!(texts(&json!(played.history)), ["two", "three", "ok"]);
    assert_eq!(played.screen[..2], ["text half", "done"], "what was shown is shown");
}

#[test]
fn an_answer_without_content_is_an_error_that_says_so() {
    let refused = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    let silent = json!({"candidates": [{"content": {"role": "model"}, "finishReason": "MALFORMED_FUNCTION_CALL"}]});
    for (chunk, reason) in [(refused, "SAFETY"), (silent, "MALFORMED_FUNCTION_CALL")] {
        let played = ChatFixture::new(HookedProject::new(), [ChatReply::chunks(vec![chunk])]).play("go");
        assert_eq!(played.error(), format!("the model ended its answer (`{reason}`) without saying anything"));
        assert_eq!(played.history, [] as [Value; 0]);
    }
}

#[test]
fn prompts_follow_each_other_in_one_conversation() {
    let replies = [ChatReply::text(&["1"]), ChatReply::text(&["2"])];
    let played = ChatFixture::new(HookedProject::new(), replies).play_all(&["one", "two"]);
    assert_eq!(played.ends, [Ok(TurnEnd::Completed), Ok(TurnEnd::Completed)]);
    assert_eq!(texts(&played.requests[1]["contents"]), ["one", "1", "two"]);
}

#[test]
fn thoughts_are_sent_back_and_not_shown() {
    let thought = json!({"text": "hm", "thought": true});
    let reply = ChatReply::complete(&[thought.clone(), json!({"text": "Yes."})]);
    let played = ChatFixture::new(HookedProject::new(), [reply, ChatReply::text(&["ok"])]).play_all(&["?", "!"]);
    assert_eq!(played.screen[..2], ["text Yes.", "done"]);
    assert_eq!(played.requests[1]["contents"][1]["parts"], json!([thought, {"text": "Yes."}]));
}
