//! Answering an event without doing anything.
//!
//! The same code selects, plans, runs, merges and encodes; only what it stands on is another [`Machine`]: files change in
//! memory, the session is a copy, nothing is recorded, and nothing is started unless that was asked for.

mod store;

use super::machine::{Machine, load_settings, real_world, state_folder};
use crate::error::CliError;
pub use hookrail_backtest::world::{Changes, Overlay, OverlayEntry};
use hookrail_core::World;
use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind, Settings};
use hookrail_engine::{External, Memory, Network, Places, RealWorld};
use hookrail_store::{StateRoot, Store};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::CopiedStore;

/// Whether hooks that are not code of hookrail run in a rehearsal. What they do to the machine is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commands {
    Run,
    Leave,
}

/// Why a command hook did not run in a rehearsal.
pub const NOT_STARTED: &str = "commands are not started here";

#[derive(Debug)]
pub struct Rehearsal {
    world: Overlay,
    changes: Changes,
    state: Result<PathBuf, CliError>,
    store: Option<Arc<CopiedStore>>,
    commands: Commands,
    /// A file in place of that of a layer.
    other_file: Option<(LayerKind, PathBuf)>,
}

impl Rehearsal {
    pub fn new(commands: Commands) -> io::Result<Self> {
        let (world, changes) = (RealWorld::default(), Changes::default());
        let state = state_folder(&world);
        let store = state.as_ref().ok().map(|folder| CopiedStore::new(folder)).transpose()?.map(Arc::new);
        let world = Overlay::new(world, changes.clone());
        Ok(Self { world, changes, state, store, commands, other_file: None })
    }

    /// Decides as if this were the file of a layer; the other layers stay.
    #[must_use]
    pub fn with_file(self, layer: LayerKind, file: PathBuf) -> Self {
        Self { other_file: Some((layer, file)), ..self }
    }

    /// What would have been done.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }
}

impl Machine for Rehearsal {
    fn world(&self) -> &dyn World {
        &self.world
    }

    fn world_of_event(&self, settings: &Settings, memory: Option<Memory>) -> Arc<dyn World> {
        Arc::new(Overlay::new(real_world(settings, memory, Places::default(), self.network()), self.changes.clone()))
    }

    fn state(&self) -> Result<&Path, &str> {
        self.state.as_deref().map_err(|error| error.message.as_str())
    }

    fn store(&self) -> Option<Arc<dyn Store>> {
        self.store.clone().map(|store| store as Arc<dyn Store>)
    }

    fn settings(&self, project: &Path) -> Settings {
        let state = self.state.as_ref().ok().map(StateRoot::at);
        let usual = LayerFiles::usual(&self.world, project);
        match &self.other_file {
            None => load_settings(&ConfigCache::looking(state), &self.world, &usual),
            // What is kept of the usual files says nothing about this one.
            Some((layer, file)) => {
                load_settings(&ConfigCache::in_state(None), &self.world, &usual.with(*layer, file.clone()))
            }
        }
    }

    fn external(&self) -> External {
        match self.commands {
            Commands::Run => External::Run,
            Commands::Leave => External::Leave(NOT_STARTED),
        }
    }

    fn network(&self) -> Arc<dyn Network> {
        crate::internet()
    }
}
