use crate::chat::chat_fixture::{ChatFixture, ChatReply, stopped, texts};
use crate::scheduler::fixture::HookedProject;
use hookrail_host::{DisplayTiming, TurnEnd};
use serde_json::{Value, json};

fn after_model(output: &Value) -> HookedProject {
    HookedProject::new().answer("AfterModel", output)
}

fn replacement(text: &str) -> Value {
    json!({"llm_response": {"candidates": [{"content": {"role": "model", "parts": [text]}, "finishReason": "STOP"}]}})
}

#[test]
fn hooks_see_each_complete_answer_once_with_the_request_as_it_was_and_as_it_was_sent() {
    // covers: HOOK-043 HOOK-044 HOOK-050 HOOK-172
    let hooked =
        HookedProject::new().answer("BeforeModel", &json!({"systemMessage": "be careful"})).record("AfterModel");
    let replies = [ChatReply::calls(&[("echo", "a")]), ChatReply::text(&["th", "re", "e"])];
    let played = ChatFixture::new(hooked, replies).play("go");
    let asked = played.hooked.asked("AfterModel");
    assert_eq!(asked.len(), 2, "two model calls, whatever the number of chunks");
    assert_eq!(asked[1]["llm_response"]["text"], "three");
    assert_eq!(asked[1]["llm_response"]["candidates"][0]["finishReason"], "STOP");
    assert_eq!(asked[1]["llm_response"]["usageMetadata"]["totalTokenCount"], 7);
    // The request that the agent made, and the one that was sent beside it.
    assert_eq!(asked[0]["llm_request"]["messages"], json!([{"role": "user", "content": "go"}]));
    let sent = json!([{"role": "user", "content": "go\n\n[System] be careful"}]);
    assert_eq!(asked[0]["llm_request_sent"]["messages"], sent);
    assert_eq!(asked[0]["llm_request"]["model"], "test-model");
}

#[test]
fn an_answer_that_hooks_change_is_the_answer_from_then_on() {
    // covers: HOOK-046 HOOK-047 HOOK-180
    let hooked = after_model(&json!({"hookSpecificOutput": replacement("[redacted]")}));
    let replies = [ChatReply::text(&["the key is 1234"]), ChatReply::text(&["ok"])];
    let played = ChatFixture::new(hooked, replies).play_all(&["key?", "thanks"]);
    assert_eq!(played.screen[0], "text [redacted]", "it was not shown before");
    assert_eq!(texts(&played.requests[1]["contents"]), ["key?", "[redacted]", "thanks"]);
    assert_eq!(texts(&json!(played.history)), ["key?", "[redacted]", "thanks", "[redacted]"]);
}

#[test]
fn an_answer_that_is_replaced_takes_its_calls_with_it() {
    // covers: HOOK-047
    let hooked = after_model(&json!({"hookSpecificOutput": replacement("no tools needed")}));
    let played = ChatFixture::new(hooked, [ChatReply::calls(&[("echo", "a")])]).play("go");
    assert_eq!(played.end(), &TurnEnd::Completed);
    assert_eq!(played.echoed(), [] as [&str; 0]);
    assert_eq!(texts(&json!(played.history)), ["go", "no tools needed"]);
}

#[test]
fn what_was_shown_live_is_not_changed_by_what_is_stored() {
    // covers: HOOK-173
    let hooked = after_model(&json!({"hookSpecificOutput": replacement("better")}));
    let live = ChatFixture::new(hooked, [ChatReply::text(&["go", "od"])])
        .options(|options| options.display = DisplayTiming::Live);
    let played = live.play("how?");
    assert_eq!(played.screen, ["text go", "text od", "done"]);
    assert_eq!(texts(&json!(played.history)), ["how?", "better"]);
}

#[test]
fn an_answer_is_shown_as_it_comes_unless_a_hook_may_still_hide_it() {
    let in_pieces = ["text a", "text b", "done"];
    let at_once = ["text ab", "done"];
    let cases = [
        (HookedProject::new(), DisplayTiming::AfterHooks, in_pieces.as_slice()),
        (HookedProject::new().record("BeforeModel"), DisplayTiming::AfterHooks, &in_pieces),
        (HookedProject::new().record("AfterModel"), DisplayTiming::AfterHooks, &at_once),
        (HookedProject::new().record("AfterModel"), DisplayTiming::Live, &in_pieces),
    ];
    for (hooked, timing, expected) in cases {
        let chat_fixture =
            ChatFixture::new(hooked, [ChatReply::text(&["a", "b"])]).options(|options| options.display = timing);
        assert_eq!(chat_fixture.play("go").screen, expected, "{timing:?}");
    }
}

#[test]
fn a_suppressed_answer_is_not_shown_and_still_worked_on() {
    // covers: HOOK-049 HOOK-180
    let hooked = after_model(&json!({"suppressOutput": true}));
    let call = ChatReply::complete(&[
        json!({"text": "calling"}),
        json!({"functionCall": {"name": "echo", "args": {"text": "a"}}}),
    ]);
    let played = ChatFixture::new(hooked, [call, ChatReply::text(&["done that"])]).play("go");
    assert_eq!(played.end(), &TurnEnd::Completed);
    assert_eq!(played.screen, ["hidden", "call echo", "result echo: a", "hidden"]);
    assert_eq!(played.echoed(), ["a"]);
    assert_eq!(texts(&played.requests[1]["contents"]), ["go", "calling"]);
    assert_eq!(texts(&json!(played.history)), ["go", "calling", "done that"]);
}

#[test]
fn a_stop_ends_the_loop_and_says_why() {
    // covers: HOOK-048 HOOK-180
    let hooked = after_model(&json!({"continue": false, "stopReason": "off topic"}));
    let played = ChatFixture::new(hooked, [ChatReply::calls(&[("echo", "a")])]).play("go");
    assert_eq!(played.end(), &stopped("off topic"));
    assert_eq!(played.echoed(), [] as [&str; 0]);
    assert_eq!(played.screen, ["notice a hook stopped the agent: off topic"]);
    assert_eq!(texts(&json!(played.history)), ["go", "off topic"], "the answer that stands says why");
    assert_eq!(played.history[1]["role"], "model");

    let output =
        json!({"continue": false, "stopReason": "off topic", "hookSpecificOutput": replacement("Let us stop.")});
    let played = ChatFixture::new(after_model(&output), [ChatReply::text(&["la la"])]).play("go");
    assert_eq!(played.screen, ["text Let us stop.", "done", "notice a hook stopped the agent: off topic"]);
    assert_eq!(texts(&json!(played.history)), ["go", "Let us stop."]);
}

#[test]
fn hooks_never_see_half_an_answer() {
    // covers: HOOK-207
    let cut_between_chunks =
        ChatReply::chunks(vec![json!({"candidates": [{"content": {"parts": [{"text": "half an"}]}}]})]);
    for reply in [ChatReply::broken(&["half an"]), cut_between_chunks, ChatReply::broken(&[])] {
        for hooked in [HookedProject::new(), HookedProject::new().record("AfterModel")] {
            let played = ChatFixture::new(hooked, [reply.clone()]).play("go");
            assert!(played.error().starts_with("the model's answer broke off: "), "{}", played.error());
            assert_eq!(played.hooked.asked("AfterModel"), [] as [Value; 0], "{reply:?}");
            assert_eq!(played.history, [] as [Value; 0], "{reply:?}");
        }
    }
}

#[test]
fn a_cancelled_stream_is_no_answer_either() {
    // covers: HOOK-207
    for chunks in [0, 1, 2] {
        let hooked = HookedProject::new().record("AfterModel");
        let played = ChatFixture::new(hooked, [ChatReply::text(&["a", "b"])]).cancel_after(chunks).play("go");
        assert_eq!(played.error(), "cancelled", "{chunks}");
        assert_eq!(played.hooked.asked("AfterModel"), [] as [Value; 0], "{chunks}");
        assert_eq!(played.history, [] as [Value; 0], "{chunks}");
    }
}

#[test]
fn messages_for_the_model_are_in_the_conversation_with_the_next_thing_it_is_told() {
    // covers: HOOK-159 HOOK-217
    let outputs = [
        (json!({"systemMessage": "cite sources"}), "\n\n[System] cite sources"),
        // Too late to block anything, so the reason is told.
        (json!({"decision": "block", "reason": "rude"}), "\n\n[System] rude"),
    ];
    for (output, note) in outputs {
        let replies = [ChatReply::calls(&[("echo", "a")]), ChatReply::text(&["b"]), ChatReply::text(&["c"])];
        let played = ChatFixture::new(after_model(&output), replies).play_all(&["go", "more"]);
        assert_eq!(played.end(), &TurnEnd::Completed, "{output}");
        assert_eq!(played.responses(1), [json!({"output": "echo: a"})], "{output}");
        assert_eq!(texts(&played.requests[1]["contents"]), ["go", note], "after the tool: {output}");
        assert_eq!(texts(&played.requests[2]["contents"]), ["go", note, "b", "more", note], "{output}");
        assert!(!played.screen.iter().any(|line| line.contains(note.trim())), "{output}: {:?}", played.screen);
    }
}

#[test]
fn a_hook_that_fails_does_not_touch_the_answer() {
    // covers: HOOK-052
    for command in ["exit 1", "echo '{\"continue\": false}'; exit 9", "kill -9 $$"] {
        let hooked = HookedProject::new().hook("AfterModel", command);
        let played = ChatFixture::new(hooked, [ChatReply::text(&["fi", "ne"])]).play("go");
        assert_eq!(played.end(), &TurnEnd::Completed, "{command}");
        assert_eq!(played.screen, ["text fine", "done"], "{command}");
        assert_eq!(texts(&json!(played.history)), ["go", "fine"], "{command}");
        let lines = played.hooked.log.lines();
        assert!(lines.iter().any(|line| line.starts_with("Warn:") && line.contains("failed")), "{command}: {lines:?}");
    }
}
