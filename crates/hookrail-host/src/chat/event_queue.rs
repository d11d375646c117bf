use crate::triggers::fire_event_hook;
use hookrail_core::EventName;
use hookrail_engine::Config;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

type Firing = (EventName, Map<String, Value>);

/// Fires the events whose outcome is not waited for, one after the other in the order in which they happened
/// (HOOK-203). Dropping it waits for the last one: a program that ends does not leave its hooks behind.
#[derive(Debug)]
pub(super) struct EventQueue {
    config: Arc<Config>,
    worker: Option<(Sender<Firing>, JoinHandle<()>)>,
}

impl EventQueue {
    pub fn new(config: Arc<Config>) -> Self {
        Self { config, worker: None }
    }

    /// Costs nothing while no hook listens to the event; the thread starts with the first event that one does.
    pub fn fire(&mut self, event: EventName, payload: impl FnOnce() -> Map<String, Value>) {
        if !self.may_have_hooks(&event) {
            return;
        }
        let payload = payload();
        if self.worker.is_none() {
            self.worker = start(Arc::clone(&self.config));
        }
        match &self.worker {
            // The worker lives as long as its sender.
            Some((sender, _)) => drop(sender.send((event, payload))),
            None => drop(fire_event_hook(&self.config, event, &payload)),
        }
    }

    /// Which of them are concerned, the payload says; here it is enough that one may be. What cannot be read yet is asked
    /// for when the event is fired.
    fn may_have_hooks(&self, event: &EventName) -> bool {
        let Some(system) = self.config.get_hook_system() else { return false };
        let _ = system.initialize();
        system.get_event_handler().map_or(true, |handler| handler.engine().hooks().has_hooks_for(event))
    }
}

impl Drop for EventQueue {
    fn drop(&mut self) {
        if let Some((sender, worker)) = self.worker.take() {
            drop(sender);
            // A panic in there has been reported by the thread itself.
            let _ = worker.join();
        }
    }
}

fn start(config: Arc<Config>) -> Option<(Sender<Firing>, JoinHandle<()>)> {
    let (sender, events) = mpsc::channel();
    let worker = thread::Builder::new().name("hook events".to_owned()).spawn(move || work(&config, &events)).ok()?;
    Some((sender, worker))
}

fn work(config: &Config, events: &Receiver<Firing>) {
    for (event, payload) in events {
        drop(fire_event_hook(config, event, &payload));
    }
}
