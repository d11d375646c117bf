//! Between provider JSON and the stable form: case files under `spec/translate`, and laws over generated requests.

mod conversations;

use conversations::{Api, any_json, conversation, messages};
use hookrail_core::Translator;
use hookrail_host::translate::{OpenAi, Provider, ProviderError, translator};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;

/// Runs every case of a file and reports all that fail.
fn check(api: Api) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/translate").join(api.file());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert!(cases.len() >= 25, "{} has only {} cases", path.display(), cases.len());

    let ids: HashSet<&str> = cases.iter().filter_map(|case| case["id"].as_str()).collect();
    assert_eq!(ids.len(), cases.len(), "an id in {} is missing or used twice", path.display());

    let failures: Vec<String> = cases.iter().filter_map(|case| failure(api.translator(), case)).collect();
    assert!(failures.is_empty(), "{} of {} cases fail:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn failure(translator: &dyn Translator, case: &Value) -> Option<String> {
    let value = call(translator, case);
    let expected = &case["expected"];
    let absent = expected["absent"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let present: Vec<&str> = absent.filter(|path| !find(&value, path).is_null()).collect();
    let is_right = is_subset(&expected["value"], &value) && present.is_empty();
    let title = || format!("{} {}", case["id"], case["title"]);
    (!is_right).then(|| format!("{}\n  expected {expected}\n  got      {value}", title()))
}

fn call(translator: &dyn Translator, case: &Value) -> Value {
    let (arg, base) = (&case["arg"], case.get("base"));
    match case["fn"].as_str() {
        Some("to_hook_request") => translator.to_hook_request(arg),
        Some("from_hook_request") => translator.from_hook_request(arg, base),
        Some("to_hook_response") => translator.to_hook_response(arg),
        Some("from_hook_response") => translator.from_hook_response(arg),
        Some("to_hook_tool_config") => translator.to_hook_tool_config(arg),
        Some("from_hook_tool_config") => translator.from_hook_tool_config(arg),
        Some("empty_response") => translator.empty_response(),
        Some("text_response") => translator.text_response(arg.as_str().expect("the arg is the text")),
        Some("apply_tool_config") => {
            let mut request = base.expect("the base is the request").clone();
            translator.apply_tool_config(&mut request, arg);
            request
        }
        other => panic!("unknown fn {other:?}"),
    }
}

/// Objects may have more keys than expected; everything else must be equal. An expected null may be missing.
fn is_subset(expected: &Value, value: &Value) -> bool {
    match (expected, value) {
        (Value::Object(expected), Value::Object(value)) => {
            expected.iter().all(|(key, expected)| is_subset(expected, value.get(key).unwrap_or(&Value::Null)))
        }
        _ => expected == value,
    }
}

fn find<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(value, |value, key| match key.parse::<usize>() {
        Ok(index) => &value[index],
        Err(_) => &value[key],
    })
}

#[test]
fn gemini_json_is_translated_as_the_cases_say() {
    // covers: HOOK-071 HOOK-072 HOOK-073 HOOK-074 HOOK-075 HOOK-076 HOOK-077 HOOK-078 HOOK-079 HOOK-167 HOOK-168
    check(Api::GenAi);
}

#[test]
fn anthropic_json_is_translated_as_the_cases_say() {
    // covers: HOOK-071 HOOK-078 HOOK-079 HOOK-167 HOOK-168
    check(Api::Anthropic);
}

#[test]
fn chat_completions_json_is_translated_as_the_cases_say() {
    // covers: HOOK-071 HOOK-078 HOOK-079 HOOK-167 HOOK-168
    check(Api::Chat);
}

#[test]
fn responses_api_json_is_translated_as_the_cases_say() {
    // covers: HOOK-071 HOOK-078 HOOK-079 HOOK-167 HOOK-168
    check(Api::Responses);
}

#[test]
fn a_provider_is_known_by_its_name_and_an_unknown_one_is_told_the_names() {
    for provider in Provider::ALL {
        assert_eq!(provider.to_string().parse(), Ok(provider));
    }
    let error = "OpenAI".parse::<Provider>().expect_err("names are lower case");
    assert_eq!(error, ProviderError::Unknown("OpenAI".to_owned()));
    assert_eq!(error.to_string(), "unknown provider `OpenAI`\nhint: use `genai`, `anthropic`, `openai` or `stable`");
}

#[test]
fn what_a_hook_says_as_the_system_is_said_by_the_user_where_a_provider_knows_no_such_turn() {
    let turns =
        |role: &str| json!({"contents": [{"role": role, "parts": [{"text": "a"}]}, {"role": "model", "parts": []}]});
    let mut request = turns("system");
    translator(Provider::GenAi).settle(&mut request);
    assert_eq!(request, turns("user"));
    let stable = json!({"messages": [{"role": "system", "content": "a"}]});
    let mut request = stable.clone();
    translator(Provider::Stable).settle(&mut request);
    assert_eq!(request, stable, "hooks' own form has them");
}

#[test]
fn a_made_up_response_has_the_shape_that_the_sender_of_the_request_expects() {
    let shape = |provider: Provider, request: Value| {
        let response = provider.for_request(&request).text_response("no");
        let field = ["candidates", "content", "choices", "output"].into_iter().find(|field| !response[field].is_null());
        field.expect("a shape that is known")
    };
    let cases = [
        (Provider::GenAi, json!({"contents": "x"}), "candidates"),
        (Provider::Anthropic, json!({"messages": []}), "content"),
        (Provider::OpenAi, json!({"messages": []}), "choices"),
        (Provider::OpenAi, json!({"input": "x"}), "output"),
        (Provider::OpenAi, json!({"instructions": "x"}), "output"),
        (Provider::OpenAi, json!({"messages": [], "prompt": "x"}), "choices"),
        (Provider::OpenAi, json!(null), "choices"),
    ];
    for (provider, request, expected) in cases {
        assert_eq!(shape(provider, request.clone()), expected, "{provider} {request}");
    }
}

#[test]
fn the_translator_for_openai_looks_at_what_it_is_given() {
    let hook = json!({"messages": [{"role": "user", "content": "new"}], "toolConfig": {"mode": "NONE"}});
    let tools = json!([{"type": "function", "name": "ls"}]);
    let openai = translator(Provider::OpenAi);
    assert_eq!(
        openai.from_hook_request(&hook, Some(&json!({"input": "old", "tools": tools}))),
        json!({"input": "new", "tools": tools, "tool_choice": "none"})
    );
    let written = json!({"messages": [{"role": "user", "content": "new"}]});
    assert_eq!(openai.from_hook_request(&hook, Some(&json!({"messages": []}))), written);
    assert_eq!(openai.from_hook_request(&hook, None), written);

    for api in [Api::Chat, Api::Responses] {
        let response = api.translator().text_response("hi");
        assert_eq!(OpenAi.to_hook_response(&response)["text"], "hi", "{api:?}");
    }
    let choice = json!({"type": "allowed_tools", "mode": "auto", "tools": tools});
    assert_eq!(OpenAi.to_hook_tool_config(&choice), json!({"mode": "AUTO", "allowedFunctionNames": ["ls"]}));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_hook_returns_unchanged_changes_nothing(api in Api::any(), pieces in conversation()) {
        // covers: HOOK-078
        let request = api.request(&pieces);
        let shown = api.translator().to_hook_request(&request);
        prop_assert_eq!(api.translator().from_hook_request(&shown, Some(&request)), request);
    }

    #[test]
    fn what_a_hook_returns_unchanged_changes_nothing_of_any_json(api in Api::any(), request in any_json()) {
        // covers: HOOK-078
        // Null is no request at all.
        prop_assume!(!request.is_null());
        let shown = api.translator().to_hook_request(&request);
        prop_assert_eq!(api.translator().from_hook_request(&shown, Some(&request)), request);
    }

    #[test]
    fn calls_results_and_images_survive_any_messages(api in Api::any(), pieces in conversation(), hook in messages()) {
        // covers: HOOK-078
        let request = api.request(&pieces);
        let changed = api.translator().from_hook_request(&json!({"messages": hook}), Some(&request));
        prop_assert_eq!(api.unseen(&changed), api.unseen(&request), "in {}", changed);
        prop_assert!(api.results_follow_calls(&changed), "in {}", changed);
    }

    #[test]
    fn in_a_text_only_conversation_the_messages_of_the_hook_are_the_conversation(
        api in Api::any(),
        base in messages(),
        hook in messages(),
    ) {
        let translator = api.translator();
        let request = translator.from_hook_request(&json!({"messages": base}), None);
        let changed = translator.from_hook_request(&json!({"messages": hook}), Some(&request));
        prop_assert_eq!(&translator.to_hook_request(&changed)["messages"], &hook);
    }

    #[test]
    fn a_response_of_a_hook_reads_as_it_was_written(api in Api::any(), texts in prop::collection::vec("[a-c]{1,3}", 1..4)) {
        // covers: HOOK-079
        let hook = json!({"candidates": [{"content": {"role": "model", "parts": texts}, "finishReason": "MAX_TOKENS"}]});
        let shown = api.translator().to_hook_response(&api.translator().from_hook_response(&hook));
        prop_assert_eq!(&shown["text"], &json!(texts.concat()));
        prop_assert_eq!(&shown["candidates"][0]["finishReason"], "MAX_TOKENS");
    }

    #[test]
    fn no_json_makes_a_translator_fail_or_lose_the_request(api in Api::any(), one in any_json(), other in any_json()) {
        let translator = api.translator();
        prop_assert!(translator.to_hook_request(&one)["messages"].is_array());
        prop_assert!(translator.to_hook_response(&one)["candidates"].is_array());
        prop_assert!(translator.from_hook_response(&one).is_object());
        prop_assert!(translator.to_hook_tool_config(&one).is_object());
        translator.from_hook_tool_config(&one);
        translator.text_response(&one.to_string());

        let mut restricted = other.clone();
        translator.apply_tool_config(&mut restricted, &one);
        let changed = translator.from_hook_request(&one, Some(&other));
        for (field, value) in other.as_object().into_iter().flatten() {
            prop_assert!(restricted.get(field).is_some(), "{} is gone from {}", field, restricted);
            prop_assert!(changed.get(field).is_some(), "{} is gone from {}", field, changed);
            if field == "tools" {
                prop_assert_eq!(&restricted[field], value);
                prop_assert_eq!(&changed[field], value);
            }
        }
    }
}
