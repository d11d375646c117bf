//! A backtest takes long, so it runs beside the requests and its report is kept.

use crate::machine::CommandBackend;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The backtest that runs, and the report of the last one.
#[derive(Clone, Default)]
pub struct Backtest {
    state: Arc<Mutex<BacktestState>>,
}

#[derive(Default)]
struct BacktestState {
    is_running: bool,
    report: Option<Value>,
    error: Option<String>,
}

impl Backtest {
    pub fn shown(&self) -> Value {
        let state = self.state();
        json!({ "running": state.is_running, "report": state.report, "error": state.error })
    }

    /// Begins one, unless one runs already.
    pub fn start(&self, machine: &Arc<dyn CommandBackend>) -> Value {
        let was_running = std::mem::replace(&mut self.state().is_running, true);
        if !was_running {
            let (own, machine) = (self.clone(), Arc::clone(machine));
            std::thread::spawn(move || own.run(&*machine));
        }
        self.shown()
    }

    fn run(&self, machine: &dyn CommandBackend) {
        let result = machine.backtest();
        let mut state = self.state();
        state.is_running = false;
        match result {
            Ok(report) => (state.report, state.error) = (Some(report), None),
            Err(refused) => state.error = Some(refused.0),
        }
    }

    fn state(&self) -> MutexGuard<'_, BacktestState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
