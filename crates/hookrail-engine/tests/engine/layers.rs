//! `hookrail.toml` in its four layers: nothing lower can weaken something higher.

use hookrail_core::{Mode, OnError, World};
use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind, Privacy, Settings, json_schema};
use hookrail_engine::{PromptEndpoint, Provider};
use hookrail_store::StateRoot;
use hookrail_testkit::world::FakeWorld;
use proptest::prelude::*;
use serde_json::json;
use std::path::PathBuf;

const LAYERS: [(LayerKind, &str); 4] = [
    (LayerKind::Managed, "/etc/hookrail/hookrail.toml"),
    (LayerKind::User, "/home/.config/hookrail/hookrail.toml"),
    (LayerKind::Project, "/p/.hookrail/hookrail.toml"),
    (LayerKind::Local, "/p/.hookrail/local.toml"),
];

fn files() -> LayerFiles {
    LayerFiles::new(LAYERS.iter().map(|(kind, path)| (*kind, PathBuf::from(path))).collect())
}

/// Settings of the texts of the four layers, `None` for a file that is not there.
fn load(texts: &[Option<String>; 4]) -> Settings {
    let world = LAYERS.iter().zip(texts).fold(FakeWorld::new(), |world, ((_, path), text)| match text {
        Some(text) => world.file(path, text),
        None => world,
    });
    ConfigCache::in_state(None).load(&files(), &world)
}

fn layered(texts: [&str; 4]) -> Settings {
    load(&texts.map(|text| (!text.is_empty()).then(|| text.to_owned())))
}

#[test]
fn a_lower_layer_may_be_stricter_and_never_weaker() {
    let mode = |mode: &str| format!("[hooks.\"pack/h\"]\nmode = \"{mode}\"\n");
    let (enforce, warn, off) = (mode("enforce"), mode("warn"), mode("off"));
    let pack_on = "[packs.pack]\nenabled = true\n";
    let pack_off = "[packs.pack]\nenabled = false\n";
    let overridable = "[hooks.\"pack/h\"]\nmode = \"enforce\"\noverridable = true\n";
    let cases: [([&str; 4], Mode, Option<LayerKind>); 11] = [
        (["", "", "", ""], Mode::Off, None),
        (["", "", &warn, ""], Mode::Warn, Some(LayerKind::Project)),
        (["", &enforce, &off, ""], Mode::Enforce, Some(LayerKind::User)),
        (["", &warn, &enforce, ""], Mode::Enforce, Some(LayerKind::Project)),
        ([&off, "", "", &enforce], Mode::Enforce, Some(LayerKind::Local)),
        ([pack_on, "", &off, ""], Mode::Enforce, Some(LayerKind::Managed)),
        ([pack_on, "", pack_off, &warn], Mode::Enforce, Some(LayerKind::Managed)),
        (["", pack_on, "", &warn], Mode::Enforce, Some(LayerKind::User)),
        ([overridable, "", &warn, ""], Mode::Warn, Some(LayerKind::Project)),
        ([overridable, "", &warn, &off], Mode::Warn, Some(LayerKind::Project)),
        (["", "", pack_on, pack_off], Mode::Enforce, Some(LayerKind::Project)),
    ];
    for (texts, value, layer) in cases {
        let got = layered(texts).mode("pack/h", Mode::Off, false);
        assert_eq!((got.value, got.layer), (value, layer), "{texts:?}");
    }
}

#[test]
fn a_firm_default_yields_to_the_user_and_not_to_the_project() {
    let off = "[hooks.\"core/protected-paths\"]\nmode = \"off\"\n";
    for (texts, expected) in [
        (["", "", off, ""], Mode::Enforce),
        (["", "", "", off], Mode::Enforce),
        (["", off, "", ""], Mode::Off),
        ([off, "", "", ""], Mode::Off),
    ] {
        assert_eq!(layered(texts).mode("core/protected-paths", Mode::Enforce, true).value, expected, "{texts:?}");
    }
}

#[test]
fn what_switches_guards_off_cannot_come_with_a_project() {
    let text = "[dev_mode]\nfile = \"dev\"\n[breaker]\nthreshold = 1\n";
    let settings = layered(["", "", text, text]);
    assert_eq!((settings.dev_mode_file(), settings.breaker_threshold()), (None, 3));
    let settings = layered(["", text, "", ""]);
    assert_eq!((settings.dev_mode_file(), settings.breaker_threshold()), (Some("dev"), 1));
}

const MODEL: &str = "[model]\nprovider = \"openai\"\nmodel = \"m\"\n";

#[test]
fn what_is_the_users_own_choice_is_reported_when_a_project_makes_it() {
    let personal = [
        ("model", MODEL),
        ("dev_mode", "[dev_mode]\nfile = \"dev\"\n"),
        ("breaker", "[breaker]\nthreshold = 9\n"),
        ("retention", "[retention]\njournal_days = 1\n"),
    ];
    for (key, text) in personal {
        for (texts, file) in [(["", "", text, ""], LAYERS[2].1), (["", "", "", text], LAYERS[3].1)] {
            let settings = layered(texts);
            let complaints: Vec<String> = settings.diagnostics().iter().map(ToString::to_string).collect();
            assert_eq!(complaints, [format!("{file}:1:2: `{key}` cannot come with a project; it is left out")]);
            assert_eq!((settings.model(), settings.dev_mode_file(), settings.breaker_threshold()), (None, None, 3));
            assert_eq!(settings.retention(), layered(["", "", "", ""]).retention());
        }
        assert_eq!(layered([text, text, "", ""]).diagnostics(), [], "{key}");
    }
}

#[test]
fn the_model_of_the_highest_layer_counts_whole() {
    let other = "[model]\nprovider = \"gemini\"\nmodel = \"n\"\nbase_url = \"http://127.0.0.1:1\"\nkey_env = \"K\"\ntimeout = \"2s\"\n";
    let endpoint =
        |settings: Settings| settings.model().map(|model| model.endpoint(&|name| Some(format!("key {name}"))));
    let first = PromptEndpoint::new(Provider::OpenAi, "m").api_key("key OPENAI_API_KEY");
    let second = PromptEndpoint::new(Provider::Gemini, "n").base_url("http://127.0.0.1:1").api_key("key K");
    assert_eq!(endpoint(layered([MODEL, other, "", ""])), Some(first));
    assert_eq!(endpoint(layered(["", other, MODEL, ""])), Some(second));
    assert_eq!(endpoint(layered(["", "", "", ""])), None);
    assert!(!layered([MODEL, "", "", ""]).sections().contains_key("model"), "packs do not see it");
}

#[test]
fn a_model_that_is_half_described_is_left_out_and_reported() {
    for (text, complaint) in [
        ("[model]\nprovider = \"openai\"\n", "1:2: this `[model]` needs `model`; it is left out"),
        ("[model]\nkey = \"sk\"\nprovider = \"openai\"\nmodel = \"m\"\n", "2:1: unknown key `key` in `model`"),
        (
            "[model]\nprovider = \"open-ai\"\nmodel = \"m\"\n",
            "2:12: `model.provider` is `open-ai`, not one of `anthropic`, `openai`, `gemini`\nhint: did you mean `openai`?",
        ),
    ] {
        let settings = layered(["", text, "", ""]);
        let first = settings.diagnostics().first().map(ToString::to_string).unwrap_or_default();
        assert!(first.contains(complaint), "{first}");
        assert_eq!(settings.model().is_some(), text.contains("key ="), "{text}");
    }
}

#[test]
fn a_lower_layer_may_keep_less_in_the_journal_and_never_more() {
    let (full, minimal) = ("privacy = \"full\"\n", "privacy = \"minimal\"\n");
    for (texts, expected) in [
        (["", "", "", ""], Privacy::Full),
        (["", full, "", ""], Privacy::Full),
        (["", full, minimal, ""], Privacy::Minimal),
        (["", minimal, full, ""], Privacy::Minimal),
        ([minimal, full, full, full], Privacy::Minimal),
        (["", "", "", minimal], Privacy::Minimal),
        (["", "[broken\n", "", ""], Privacy::Minimal),
    ] {
        let settings = layered(texts);
        assert_eq!(settings.privacy(), expected, "{texts:?}");
        assert_eq!(settings.sections().get("privacy"), None, "no pack's table");
    }
    assert_eq!(layered(["", "privacy = \"none\"\n", "", ""]).diagnostics().len(), 1);
}

#[test]
fn hooks_and_lists_of_all_layers_add_up() {
    let command = |name: &str| {
        format!(
            "[[command]]\nname = \"{name}\"\nevent = \"AfterTool\"\ncommand = \"true\"\n\
             [core]\nprotected = [\"{name}\", \"!all\"]\n[isdlc]\nprotected_branches = [\"{name}\", \"all\"]\n"
        )
    };
    let texts = ["a", "b", "c", "d"].map(command);
    let settings = layered([&texts[0], &texts[1], &texts[2], &texts[3]]);
    let names: Vec<(String, LayerKind)> = settings.commands().into_iter().map(|hook| (hook.name, hook.layer)).collect();
    let expected =
        ["a", "b", "c", "d"].map(str::to_owned).into_iter().zip(LAYERS.map(|(kind, _)| kind)).collect::<Vec<_>>();
    assert_eq!(names, expected);
    assert_eq!(settings.commands()[3].origin.to_string(), "/p/.hookrail/local.toml:1:1");
    let sections = settings.sections();
    assert_eq!(sections["isdlc"]["protected_branches"], json!(["a", "all", "b", "c", "d"]));
    let apart = json!([["a", "!all"], ["b", "!all"], ["c", "!all"], ["d", "!all"]]);
    assert_eq!(sections["core"]["protected"], apart, "an exception of one layer is none of another's");
}

#[test]
fn of_other_pack_settings_the_highest_layer_counts() {
    let settings = layered(["", "[fsm]\nscope = \"skill\"\n", "[fsm]\nscope = \"all\"\nextra = 1\n", ""]);
    assert_eq!(settings.sections()["fsm"], json!({ "scope": "skill", "extra": 1 }));
}

#[test]
fn a_broken_file_costs_only_itself_and_says_so() {
    let good = "[hooks.\"pack/h\"]\nmode = \"enforce\"\n[config]\non_error = \"deny\"\n";
    let settings = layered(["", good, "[packs\n", ""]);
    assert_eq!(settings.mode("pack/h", Mode::Off, false).value, Mode::Enforce);
    assert_eq!(settings.unreadable().collect::<Vec<_>>(), ["/p/.hookrail/hookrail.toml"]);
    assert_eq!(settings.config_on_error().value, OnError::Deny);
    assert_eq!(settings.diagnostics().len(), 1);
}

#[test]
fn settings_are_parsed_again_only_when_a_file_changed() {
    let folder = tempfile::tempdir().unwrap();
    let root = StateRoot::at(folder.path().join("state"));
    let cached = root.path().join("cache");
    let cache = ConfigCache::in_state(Some(root.clone()));
    let text = "[hooks.\"pack/h\"]\nmode = \"enforce\"\nmoode = 1\n";
    let world = FakeWorld::new().file(LAYERS[1].1, text);
    let first = cache.load(&files(), &world);
    let entries = || world.list(&cached).unwrap().unwrap_or_default();
    assert_eq!(entries().len(), 1);
    let again = cache.load(&files(), &world);
    assert_eq!(again.diagnostics(), first.diagnostics(), "what was wrong is still told");
    assert_eq!(again.mode("pack/h", Mode::Off, false), first.mode("pack/h", Mode::Off, false));
    world.write(&cached.join(&entries()[0]), b"garbage").unwrap();
    let mode = || cache.load(&files(), &world).mode("pack/h", Mode::Off, false).value;
    assert_eq!(mode(), Mode::Enforce, "a broken cache is none");
    world.write(LAYERS[1].1.as_ref(), b"[hooks.\"pack/h\"]\nmode = \"warn\"\n").unwrap();
    assert_eq!(mode(), Mode::Warn);
}

#[test]
fn no_command_hook_is_lost_in_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let root = StateRoot::at(folder.path().join("state"));
    let cached = root.path().join("cache");
    let cache = ConfigCache::in_state(Some(root.clone()));
    let hook =
        |name: &str, event: &str| format!("[[command]]\nname = \"{name}\"\nevent = \"{event}\"\ncommand = \"x\"\n");
    let user = hook("a", "BeforeTool") + &hook("b", "AfterTool");
    let world = FakeWorld::new().file(LAYERS[1].1, &user).file(LAYERS[2].1, &hook("c", "BeforeTool"));
    let names = |settings: &Settings| settings.commands().into_iter().map(|hook| hook.name).collect::<Vec<_>>();
    let first = cache.load(&files(), &world);
    assert_eq!(names(&first), ["a", "b", "c"]);
    let of_event = |settings: &Settings| settings.commands_of("BeforeTool", &|_| true).len();
    assert_eq!((of_event(&first), first.has_commands_of("Notification")), (2, false));
    let entry = cached.join(world.list(&cached).unwrap().unwrap().remove(0));
    let whole = world.read(&entry).unwrap().unwrap();
    // The first hook by another name, as a version may have written it that kept its settings in another form.
    let version = env!("CARGO_PKG_VERSION").len();
    let older = |whole: &[u8]| {
        let (start, rest) = whole.split_at(4 + version);
        let (first, last) = (b"\x01\0\0\0a", b"\x01\0\0\0z");
        assert!(rest.windows(5).any(|bytes| bytes == first));
        let renamed = rest.windows(5).position(|bytes| bytes == first).map(|at| [&rest[..at], last, &rest[at + 5..]]);
        [start, b"?", &renamed.unwrap().concat()[1..]].concat()
    };
    let write = |bytes: &[u8]| world.write(&entry, bytes).unwrap();
    let spoil: [(&str, &dyn Fn()); 4] = [
        ("nothing", &|| {}),
        ("gone", &|| world.remove(&entry).unwrap()),
        ("longer", &|| write(&[&whole[..], b"x"].concat())),
        ("older", &|| write(&older(&whole))),
    ];
    for length in 0..whole.len() {
        write(&whole[..length]);
        assert_eq!(names(&cache.load(&files(), &world)), ["a", "b", "c"], "cut to {length}");
    }
    for (how, spoil) in spoil {
        spoil();
        assert_eq!(names(&cache.load(&files(), &world)), ["a", "b", "c"], "{how}");
    }
}

#[test]
fn a_cache_that_others_can_write_to_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let root = StateRoot::at(folder.path().join("state"));
    let cached = root.path().join("cache");
    let cache = ConfigCache::in_state(Some(root.clone()));
    let world = FakeWorld::new().file(LAYERS[1].1, "[hooks.\"pack/h\"]\nmode = \"enforce\"\n");
    let _ = cache.load(&files(), &world);
    let entry = cached.join(world.list(&cached).unwrap().unwrap().remove(0));
    let kept = world.read(&entry).unwrap().unwrap();
    let (enforce, warn) = (b"\"enforce\"", b"\"warn\"   ");
    let at = kept.windows(enforce.len()).position(|bytes| bytes == enforce).unwrap();
    world.write(&entry, &[&kept[..at], warn, &kept[at + warn.len()..]].concat()).unwrap();
    let mode = || cache.load(&files(), &world).mode("pack/h", Mode::Off, false).value;
    assert_eq!(mode(), Mode::Warn, "the user's own cache is believed");
    std::fs::set_permissions(root.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    assert_eq!(mode(), Mode::Enforce, "a cache that any user may have written is not");
}

/// A state folder and the settings that are in force after these texts of the user's file, one after the other.
fn after(texts: &[&str], then: impl FnOnce(&FakeWorld, &StateRoot)) -> Settings {
    let folder = tempfile::tempdir().unwrap();
    let root = StateRoot::at(folder.path().join("state"));
    let cache = ConfigCache::in_state(Some(root.clone()));
    let world = FakeWorld::new();
    for text in texts {
        world.write(LAYERS[1].1.as_ref(), text.as_bytes()).unwrap();
        let _ = cache.load(&files(), &world);
    }
    then(&world, &root);
    let looked = ConfigCache::looking(Some(root)).load(&files(), &world);
    let settings = cache.load(&files(), &world);
    assert_eq!(looked.diagnostics(), settings.diagnostics(), "who only looks sees the same");
    settings
}

#[test]
fn the_last_version_that_could_be_read_is_in_force_while_a_file_cannot_be() {
    let [enforce, warn] = ["enforce", "warn"].map(|mode| format!("[hooks.\"pack/h\"]\nmode = \"{mode}\"\n"));
    let broken = "[hooks\n";
    let cases: [(&[&str], Option<Mode>); 7] = [
        (&[&enforce, broken], Some(Mode::Enforce)),
        (&[&enforce, broken, broken], Some(Mode::Enforce)),
        (&[&enforce, &warn, broken], Some(Mode::Warn)),
        (&[&enforce, &warn, &enforce, broken], Some(Mode::Enforce)),
        (&[&enforce, broken, &warn, broken], Some(Mode::Warn)),
        (&[broken], None),
        (&[broken, "[packs\n"], None),
    ];
    for (texts, expected) in cases {
        let settings = after(texts, |_, _| {});
        let mode = settings.mode("pack/h", Mode::Off, false).value;
        assert_eq!(mode, expected.unwrap_or(Mode::Off), "{texts:?}");
        assert_eq!(settings.unreadable().next().is_none(), expected.is_some(), "{texts:?}");
        let told = settings.diagnostics()[0].to_string();
        assert!(told.contains("this is not TOML"), "{texts:?}: {told}");
        assert_eq!(told.contains("is in force until it can be read"), expected.is_some(), "{texts:?}: {told}");
    }
    let mended = after(&[&enforce, broken, &enforce], |_, _| {});
    assert!(mended.diagnostics().is_empty(), "{:?}", mended.diagnostics());
}

#[test]
fn a_damaged_or_foreign_copy_is_not_put_in_force() {
    let enforce = "[hooks.\"pack/h\"]\nmode = \"enforce\"\n";
    let change = |change: fn(&str) -> String| {
        after(&[enforce, "[hooks\n"], |world, root| {
            let kept = root.path().join("last-good");
            let entry = kept.join(world.list(&kept).unwrap().unwrap().remove(0));
            let text = String::from_utf8(world.read(&entry).unwrap().unwrap()).unwrap();
            world.write(&entry, change(&text).as_bytes()).unwrap();
        })
    };
    assert_eq!(change(str::to_owned).unreadable().count(), 0);
    assert_eq!(change(|text| text.replace("enforce", "off")).unreadable().count(), 1, "the hash does not fit");
    assert_eq!(change(|text| text.replace("/home/", "/other/")).unreadable().count(), 1, "it is another file's");
    assert_eq!(change(|_| "garbage".to_owned()).unreadable().count(), 1);
    let open = after(&[enforce, "[hooks\n"], |_, root| {
        std::fs::set_permissions(root.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    });
    assert_eq!(open.unreadable().count(), 1, "any user may have written it");
}

#[test]
fn no_project_decides_what_an_unreadable_file_means() {
    let on_error = |word: &str| format!("[config]\non_error = \"{word}\"\n");
    let (allow, ask, deny, broken) = (on_error("allow"), on_error("ask"), on_error("deny"), "[x\n");
    let cases: [([&str; 4], OnError); 7] = [
        (["", "", broken, ""], OnError::Deny),
        (["", broken, &allow, ""], OnError::Deny),
        (["", "", broken, &ask], OnError::Deny),
        (["", &allow, broken, ""], OnError::Allow),
        (["", &ask, broken, &deny], OnError::Deny),
        ([&ask, &allow, broken, ""], OnError::Ask),
        ([broken, &ask, "", ""], OnError::Ask),
    ];
    for (texts, expected) in cases {
        assert_eq!(layered(texts).config_on_error().value, expected, "{texts:?}");
    }
}

#[test]
fn the_schema_knows_every_key_of_the_example() {
    let schema = json_schema();
    for key in [
        "packs",
        "hooks",
        "command",
        "config",
        "breaker",
        "dev_mode",
        "core",
        "fsm",
        "isdlc",
        "planning",
        "orchestrator",
    ] {
        assert!(schema["properties"][key].is_object(), "{key}");
    }
    assert_eq!(schema["properties"]["command"]["items"]["required"], json!(["name", "event", "command"]));
}

/// Every `$ref` below a value.
fn references(value: &serde_json::Value) -> Vec<String> {
    let own = value.get("$ref").and_then(|it| it.as_str()).map(str::to_owned);
    let below: Vec<&serde_json::Value> = match value {
        serde_json::Value::Object(fields) => fields.values().collect(),
        serde_json::Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    own.into_iter().chain(below.into_iter().flat_map(references)).collect()
}

#[test]
fn what_the_schema_says_often_is_defined_once_and_every_reference_leads_to_it() {
    let schema = json_schema();
    let references = references(&schema);
    for name in schema["$defs"].as_object().unwrap().keys() {
        let uses = references.iter().filter(|it| **it == format!("#/$defs/{name}")).count();
        assert!(uses > 1, "`{name}` is used {uses} times");
    }
    for reference in &references {
        assert!(schema.pointer(&reference[1..]).is_some(), "`{reference}` leads nowhere");
    }
    let size = format!("{schema:#}").len();
    assert!(size < 60_000, "{size} bytes");
}

/// Any text a layer may hold, as far as modes and errors go; never `overridable`.
fn any_layer() -> impl Strategy<Value = Option<String>> {
    let table = |name: &'static str| {
        let mode = proptest::sample::select(vec![
            "",
            "mode = \"enforce\"",
            "mode = \"warn\"",
            "mode = \"off\"",
            "mode = \"nonsense\"",
        ]);
        let enabled = proptest::sample::select(vec!["", "enabled = true", "enabled = false"]);
        let on_error =
            proptest::sample::select(vec!["", "on_error = \"allow\"", "on_error = \"ask\"", "on_error = \"deny\""]);
        (any::<bool>(), mode, enabled, on_error).prop_map(move |(there, mode, enabled, on_error)| {
            let on_error = if name.starts_with("packs") { "" } else { on_error };
            if there { format!("[{name}]\n{mode}\n{enabled}\n{on_error}\n") } else { String::new() }
        })
    };
    let text = (table("packs.pack"), table("hooks.\"pack/h\"")).prop_map(|(pack, hook)| Some(pack + &hook));
    prop_oneof![4 => text, 1 => Just(None), 1 => Just(Some("not toml [".to_owned()))]
}

proptest! {
    #[test]
    fn adding_a_lower_layer_never_turns_a_deny_into_anything_weaker(
        layers in [any_layer(), any_layer(), any_layer(), any_layer()],
        default in proptest::sample::select(vec![Mode::Off, Mode::Warn, Mode::Enforce]),
        firm in any::<bool>(),
    ) {
        for removed in 1..4 {
            let mut without = layers.clone();
            for lower in without.iter_mut().skip(removed) {
                *lower = None;
            }
            let (before, after) = (load(&without), load(&layers));
            let modes = (before.mode("pack/h", default, firm), after.mode("pack/h", default, firm));
            // A default is the weakest layer, so any layer may change it; a firm one only those above the project.
            if modes.0.layer.is_some() || (firm && removed >= 2) {
                prop_assert!(modes.1.value >= modes.0.value, "{modes:?}");
            }
            let strictness = |on_error| match on_error { OnError::Allow => 0, OnError::Ask => 1, OnError::Deny => 2 };
            let set_before = before.on_error("pack/h", OnError::Allow);
            if set_before.layer.is_some() {
                prop_assert!(strictness(after.on_error("pack/h", OnError::Allow).value) >= strictness(set_before.value));
            }
        }
    }
}
