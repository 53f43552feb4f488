//! The part of a flawed engine behind the log: the model, which computes its answers.

use std::fs::File;
use std::io::Write;

use market::Command;
use market::model::Model;

/// The model and its ledger.
pub struct Core {
    pub model: Model,
    pub ledger: File,
}

impl Core {
    pub fn apply(&mut self, command: &Command) -> Vec<market::Event> {
        let events = self.model.apply(command);
        for event in events.iter().filter(|event| event.moves_value()) {
            self.ledger.write_all(&event.encode()).unwrap();
        }
        events
    }
}
