//! The flags for which commands the engines run; the chapters take the same.

use std::path::PathBuf;

use market::flow::{DEFAULT_SEED, FlowName};
use market::log::VERSION;

use results::error::MeasureError;
use results::record::Flow;

/// Which commands.
#[derive(Debug, Clone, clap::Args)]
pub struct FlowArgs {
    /// The flow: classic, venue or burst
    #[arg(long, default_value = "classic", value_name = "NAME")]
    pub flow: FlowName,
    /// Read the commands from a CSV file instead
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["flow", "seed"])]
    pub input: Option<PathBuf>,
    /// The seed that the flow is generated from
    #[arg(long, default_value_t = DEFAULT_SEED, value_name = "N")]
    pub seed: u64,
}

impl FlowArgs {
    /// Reads an input file once, so that a bad one is refused before anything is built or run.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] with the file, the line and the reason.
    pub fn check(&self) -> Result<(), MeasureError> {
        match &self.input {
            Some(path) => market::csv::read(path).map(drop).map_err(|error| MeasureError::Unusable(error.to_string())),
            None => Ok(()),
        }
    }

    /// Whether a flow was asked for, other than the default one.
    pub fn is_given(&self) -> bool {
        self.input.is_some() || self.flow != FlowName::Classic || self.seed != DEFAULT_SEED
    }

    /// The flags for a chapter's program.
    pub fn flags(&self) -> Vec<String> {
        match &self.input {
            Some(path) => vec!["--input".into(), path.display().to_string()],
            None => vec!["--flow".into(), self.flow.to_string(), "--seed".into(), self.seed.to_string()],
        }
    }

    /// The flags for a number of orders; an input file has its own number.
    pub fn orders_flags(&self, orders: u32) -> Vec<String> {
        match &self.input {
            Some(_) => Vec::new(),
            None => vec!["--orders".into(), orders.to_string()],
        }
    }

    /// The flow as a record describes it.
    pub fn record(&self, orders: Option<u64>) -> Flow {
        match &self.input {
            Some(path) => {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                Flow { name: "input".into(), seed: None, orders: None, input: name, log_version: VERSION }
            }
            None => {
                Flow { name: self.flow.to_string(), seed: Some(self.seed), orders, input: None, log_version: VERSION }
            }
        }
    }
}
