//! Where an order's time goes.

use std::collections::BTreeMap;

use market::engine::Stage;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Nanoseconds per order that each stage of the pipeline took. In the file, one key for each stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stages([f64; Stage::ALL.len()]);

impl Stages {
    /// The times that `of` gives for the stages; `None` when it has none for one of them.
    ///
    /// # Errors
    /// The first that `of` returns.
    pub fn from_each<E>(mut of: impl FnMut(Stage) -> Result<f64, E>) -> Result<Self, E> {
        let mut times = [0.0; Stage::ALL.len()];
        for (time, stage) in times.iter_mut().zip(Stage::ALL) {
            *time = of(stage)?;
        }
        Ok(Self(times))
    }

    /// A stage's time.
    pub fn of(&self, stage: Stage) -> f64 {
        self.0[stage as usize]
    }

    /// The stages with their times, in the pipeline's order.
    pub fn iter(&self) -> impl Iterator<Item = (Stage, f64)> {
        Stage::ALL.into_iter().zip(self.0)
    }

    /// All stages together, in nanoseconds per order.
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The stage that takes most, and its nanoseconds per order.
    pub fn biggest(&self) -> (Stage, f64) {
        self.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((Stage::ALL[0], 0.0))
    }
}

impl Serialize for Stages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(stage, ns)| (stage.key(), ns)))
    }
}

impl<'de> Deserialize<'de> for Stages {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let times = BTreeMap::<String, f64>::deserialize(deserializer)?;
        Self::from_each(|stage| times.get(stage.key()).copied().ok_or_else(|| D::Error::missing_field(stage.key())))
    }
}
