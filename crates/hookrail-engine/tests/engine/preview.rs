//! A hook that is a preview: off unless a configuration or a command line names the hook itself.

use hookrail_core::{Event, EventName, HookError, HookPack, HookProfile, Mode, NativeHook, Outcome, World};
use hookrail_engine::layers::{ConfigCache, LayerFiles};
use hookrail_engine::{Selection, mode};
use hookrail_testkit::world::FakeWorld;

#[derive(Debug)]
struct Sketch;

impl NativeHook for Sketch {
    fn id(&self) -> &'static str {
        "pack/sketch"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { is_preview: true, ..HookProfile::DEFAULT }
    }

    fn check(&self, _: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        Ok(Outcome::silent())
    }
}

#[derive(Debug)]
struct Pack(Mode);

impl HookPack for Pack {
    fn name(&self) -> &'static str {
        "pack"
    }

    fn default_mode(&self) -> Mode {
        self.0
    }

    fn hooks(&self) -> &'static [&'static dyn NativeHook] {
        &[&Sketch]
    }
}

#[test]
fn only_its_own_name_enables_a_preview() {
    let of_pack = || Selection { packs: vec!["pack"], ..Selection::default() };
    let of_hook = || Selection { hook: Some("pack/sketch".to_owned()), ..Selection::default() };
    let cases = [
        (Mode::Off, "", Selection::default(), Mode::Off),
        (Mode::Enforce, "", Selection::default(), Mode::Off),
        (Mode::Off, "[packs.pack]\nenabled = true\n", Selection::default(), Mode::Off),
        (Mode::Off, "[packs.pack]\nmode = \"warn\"\n", of_pack(), Mode::Off),
        (Mode::Off, "[hooks.\"pack/sketch\"]\nmode = \"warn\"\n", Selection::default(), Mode::Warn),
        (Mode::Off, "[hooks.\"pack/sketch\"]\nenabled = true\n", Selection::default(), Mode::Enforce),
        (Mode::Off, "", of_hook(), Mode::Enforce),
        (Mode::Off, "[hooks.\"pack/sketch\"]\nmode = \"off\"\n", of_hook(), Mode::Off),
    ];
    for (default, text, selection, expected) in cases {
        let world = FakeWorld::new().file("/p/.hookrail/hookrail.toml", text);
        let files = LayerFiles::usual(&world, "/p".as_ref());
        let settings = ConfigCache::in_state(None).load(&files, &world);
        assert_eq!(
            mode(&Pack(default), &Sketch, &selection, &settings).value,
            expected,
            "{default} {text} {selection:?}"
        );
    }
}
