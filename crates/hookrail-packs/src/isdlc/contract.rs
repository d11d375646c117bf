use crate::contract::{PackContract, Reply};
use hookrail_core::{Decision, Event, HookOutput, Verdict};

/// The document's own terms: a block is `{"decision": "block", "reason": …}`, a warning goes to stderr, and everything else
/// is silence.
#[derive(Debug)]
pub struct IsdlcContract;

impl PackContract for IsdlcContract {
    /// Whatever goes wrong, the workflow goes on (NFR-01).
    fn is_silent_without_program(&self) -> bool {
        true
    }

    fn spec_reply(&self, _event: &Event, verdict: &Verdict) -> Reply {
        if verdict.decision() > Decision::Allow {
            return Reply::Usual;
        }
        let output = verdict.final_output();
        match output.and_then(HookOutput::system_message) {
            Some(warning) => Reply::Note(warning.to_owned()),
            None => Reply::Output(String::new()),
        }
    }
}
