//! The shared inputs of all parts of the measurement.

use market::MarketId;
use market::flow::Flow;
use results::error::MeasureError;
use results::feed_args::FeedArgs;

use crate::direct::Recorded;
use crate::last_reader::{Late, Lateness, Way};
use market_data::engines::Work;

/// One measurement's inputs.
pub struct Bench<'a> {
    /// The arguments.
    pub args: &'a FeedArgs,
    /// The flow that is offered.
    pub flow: Flow,
    /// The market that is watched.
    pub market: MarketId,
    /// Its acknowledgements.
    pub recorded: Recorded,
}

impl Bench<'_> {
    /// A pass with a real engine.
    ///
    /// # Errors
    /// If it could not be run.
    pub fn late(&self, way: Way, readers: usize, shards: u16, commands: usize) -> Result<Lateness, MeasureError> {
        let folder = self.args.output.folder();
        let fresh =
            tempfile::tempdir_in(&folder).map_err(|error| MeasureError::disk("create a folder in", &folder, &error))?;
        let (rate, data_dir) = (self.args.rate, fresh.path());
        let late = Late { flow: &self.flow, commands, market: self.market, readers, way, rate, shards, data_dir };
        late.with::<<ch08::Chapter as runner::Chapter>::Engine>()
    }
}
