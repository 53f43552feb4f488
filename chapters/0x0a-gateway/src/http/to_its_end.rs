//! Work that goes on when its client goes away.

use crate::problem::{Problem, Why};
use crate::watch::followed;

/// Does work of several steps in a task of its own. When a client goes away, its handler is dropped wherever it waits, and
/// the steps after that would be missing.
///
/// # Errors
/// Those of the work.
pub async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> Result<T, Problem> {
    tokio::spawn(followed(work)).await.map_err(|_| Problem::new(Why::Stopped))?
}
