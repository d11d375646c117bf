//! What answering an event touches.

use crate::error::CliError;
use hookrail_core::World;
use hookrail_engine::layers::{ConfigCache, LayerFiles, Settings};
use hookrail_engine::{External, Memory, Network, Places, RealWorld};
use hookrail_store::{FileStore, StateRoot, Store};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What an event is answered on: the machine itself, or a rehearsal that leaves it as it is.
pub trait Machine {
    /// The machine outside of any event.
    fn world(&self) -> &dyn World;

    /// The machine as the hooks of one event see it.
    fn world_of_event(&self, settings: &Settings, memory: Option<Memory>) -> Arc<dyn World>;

    /// Where state is kept, or why there is no such place.
    fn state(&self) -> Result<&Path, &str>;

    /// Sessions and journal; `None` if there is no place for them.
    fn store(&self) -> Option<Arc<dyn Store>>;

    /// The configuration that holds in a project.
    fn settings(&self, project: &Path) -> Settings;

    /// What becomes of hooks that are not code of hookrail.
    fn external(&self) -> External {
        External::Run
    }

    /// The way to models and web services.
    fn network(&self) -> Arc<dyn Network>;
}

/// The machine itself.
#[derive(Debug)]
pub struct RealMachine {
    world: RealWorld,
    places: Places,
    state: Result<StateRoot, CliError>,
    external: External,
    network: Arc<dyn Network>,
}

impl RealMachine {
    pub fn new(network: Arc<dyn Network>) -> Self {
        let places = Places::default();
        let world = RealWorld::default().with_places(places.clone());
        let state = state_folder(&world).map(StateRoot::kept_open);
        Self { world, places, state, external: External::Run, network }
    }

    /// The same machine, on which no command hook is started, for this reason.
    pub fn without_commands(self, why: &'static str) -> Self {
        Self { external: External::Leave(why), ..self }
    }
}

impl Machine for RealMachine {
    fn world(&self) -> &dyn World {
        &self.world
    }

    fn world_of_event(&self, settings: &Settings, memory: Option<Memory>) -> Arc<dyn World> {
        Arc::new(real_world(settings, memory, self.places.clone(), self.network()))
    }

    fn state(&self) -> Result<&Path, &str> {
        self.state.as_ref().map(StateRoot::path).map_err(|error| error.message.as_str())
    }

    fn store(&self) -> Option<Arc<dyn Store>> {
        let root = self.state.as_ref().ok()?;
        Some(Arc::new(FileStore::new(root.clone(), || RealWorld::default().now_millis())))
    }

    fn settings(&self, project: &Path) -> Settings {
        let cache = ConfigCache::in_state(self.state.as_ref().ok().cloned());
        load_settings(&cache, &self.world, &LayerFiles::usual(&self.world, project))
    }

    fn external(&self) -> External {
        self.external.clone()
    }

    fn network(&self) -> Arc<dyn Network> {
        Arc::clone(&self.network)
    }
}

/// The real machine, as hooks of one event see it under these settings. An event is over before links change.
pub fn real_world(settings: &Settings, memory: Option<Memory>, places: Places, network: Arc<dyn Network>) -> RealWorld {
    let world = RealWorld::of_event(Arc::new(settings.sections()), memory);
    world.with_model(settings.model(), Some(network)).with_places(places)
}

/// Where the environment wants state to be.
pub fn state_folder(world: &dyn World) -> Result<PathBuf, CliError> {
    StateRoot::resolve(&|name| world.env(name).map(OsString::from)).map_err(CliError::machine)
}

/// The settings in these files, slips in names included.
pub fn load_settings(cache: &ConfigCache, world: &dyn World, files: &LayerFiles) -> Settings {
    let mut settings = cache.load(files, world);
    hookrail_packs::check_names(&mut |group, known| settings.check_names(group, known));
    settings
}
