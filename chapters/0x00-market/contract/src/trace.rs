//! What happened in a simulation, in order: what the caller did, what the disk was asked for, which role made a step,
//! what was acknowledged. Two runs of a seed must give the same trace.

use std::sync::{Arc, Mutex};

/// Takes notes, or none: most simulations do not need a trace. Clones write to the same list.
#[derive(Clone, Default)]
pub struct Trace(Option<Arc<Mutex<Vec<String>>>>);

impl Trace {
    /// A trace that takes notes.
    pub fn kept() -> Trace {
        Trace(Some(Arc::default()))
    }

    /// Notes a line.
    pub fn note(&self, line: impl FnOnce() -> String) {
        if let Some(lines) = &self.0 {
            lines.lock().unwrap().push(line());
        }
    }

    /// What was noted.
    pub fn lines(&self) -> Vec<String> {
        self.0.as_ref().map(|lines| lines.lock().unwrap().clone()).unwrap_or_default()
    }
}
