//! Asks a command hook a hundred times, while another thread changes the environment.

use hookrail_engine::{Config, Engine};
use serde_json::{Map, json};
use std::sync::atomic::{AtomicBool, Ordering};

static DONE: AtomicBool = AtomicBool::new(false);

fn main() {
    let changes = std::thread::spawn(|| {
        for round in 0.. {
            // SAFETY: this program reads its environment through the standard library alone.
            unsafe { std::env::set_var(format!("CHANGES_{}", round % 50), "x".repeat(round % 5000)) };
            if DONE.load(Ordering::Relaxed) {
                break;
            }
        }
    });
    let hooks = json!({"BeforeTool": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]});
    let engine = Engine::open(&Config::new("session", "/tmp").hooks(&hooks)).unwrap();
    let refused = (0..100).filter(|_| engine.before_tool("shell", &Map::new()).refusal() == Some("no")).count();
    DONE.store(true, Ordering::Relaxed);
    changes.join().unwrap();
    println!("{refused} commands");
}
