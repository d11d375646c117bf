use hookrail_engine::CancelToken;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

/// Lets the first interrupt end hooks, tools and the conversation in good order, and a second one end the program.
/// Hooks and shell commands have process groups of their own, so the terminal's signal does not reach them.
pub fn cancel_on_interrupt(cancel: &CancelToken) {
    let interrupted = Arc::new(AtomicBool::new(false));
    let armed = [SIGINT, SIGTERM].into_iter().try_for_each(|signal| {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&interrupted))?;
        signal_hook::flag::register(signal, Arc::clone(&interrupted)).map(drop)
    });
    // Without a handler the interrupt just ends the program.
    let (Ok(()), Ok(mut signals)) = (armed, Signals::new([SIGINT, SIGTERM])) else { return };
    let cancel = cancel.clone();
    thread::spawn(move || signals.forever().for_each(|_| cancel.cancel()));
}
