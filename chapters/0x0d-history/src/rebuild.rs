//! `--rebuild`: what was derived is thrown away and derived again, as far as the logs still have what it was derived from.

use market::Options;
use market::log::ShardOf;
use market::log_chain::segments;

use crate::error::HistoryError;
use crate::store::FOLDER;

/// Whether what was derived is thrown away
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct RebuildArgs {
    /// Throw away everything in DIR/history that was derived from the log, and derive it again
    #[arg(long)]
    pub rebuild: bool,
    /// The same, also where the log was trimmed: there are no rows any more for the commands that it lacks
    #[arg(long)]
    pub rebuild_without_trimmed: bool,
}

impl RebuildArgs {
    /// Whether it is asked for.
    ///
    /// # Errors
    /// [`HistoryError::Asked`] when rows would be lost and that was not asked for, and errors of the disk.
    pub fn asked(self, options: &Options) -> Result<bool, HistoryError> {
        let lost = if self.rebuild && !self.rebuild_without_trimmed { lost(options)? } else { Vec::new() };
        if lost.is_empty() {
            return Ok(self.rebuild || self.rebuild_without_trimmed);
        }
        Err(HistoryError::Asked(format!(
            "{}: the log was trimmed, so the rows of these commands can't be made again, and nothing was thrown away: {}; put \
             the archived segments back into the folder, or start with --rebuild-without-trimmed, which loses these rows",
            options.data_dir.display(),
            lost.join(", ")
        )))
    }
}

/// The commands of each shard that its log no longer has, in words; none where there are no rows that could be lost.
fn lost(options: &Options) -> Result<Vec<String>, HistoryError> {
    let mut lost = Vec::new();
    if !options.data_dir.join(FOLDER).join("rows").exists() {
        return Ok(lost);
    }
    for shard in 0..options.shards {
        let of = ShardOf { shard, shards: options.shards };
        let segments = segments(&*options.disk, &options.data_dir, of);
        let segments = segments.map_err(HistoryError::io("look for the log", &options.data_dir))?;
        let before = segments.first().map_or(0, |segment| segment.first.0 - 1);
        if before > 0 {
            lost.push(format!("1 to {before} of shard {shard}"));
        }
    }
    Ok(lost)
}
