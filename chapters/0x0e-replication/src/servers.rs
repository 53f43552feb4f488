//! `-- cluster`: three servers on this machine, until it is asked to stop.

use std::path::PathBuf;
use std::time::Duration;

use gateway::serve::asked_to_end;
use program::{Verdict, print};

use crate::cluster::Cluster;
use crate::error::ReplicaError;

/// How often to check whether a server has ended by itself.
const LOOK: Duration = Duration::from_millis(200);

/// Starts three nats-server processes on this machine, and stops them at the end: for trying replication, not for safety
#[derive(Debug, Clone, clap::Args)]
pub struct ClusterArgs {
    /// Keep the streams in this folder [default: a temporary folder, removed at the end]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Runs the servers until it is asked to stop.
///
/// # Errors
/// [`ReplicaError::Cluster`].
pub fn run(args: &ClusterArgs) -> Result<Verdict, ReplicaError> {
    let failed = |error: std::io::Error| ReplicaError::Cluster(format!("could not start the servers: {error}"));
    let fresh = if args.folder.is_none() { Some(tempfile::tempdir().map_err(failed)?) } else { None };
    let fresh_path = fresh.as_ref().map(|fresh| fresh.path().to_path_buf());
    let folder = args.folder.clone().or(fresh_path).unwrap_or_default();
    let folder = std::path::absolute(folder).map_err(failed)?;
    let mut cluster = Cluster::start(&folder)?;
    print(format_args!("replicas {}\n", cluster.addresses().join(",")))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let mut look = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                () = asked_to_end() => return Ok(Verdict::Yes),
                _ = look.tick() => {
                    if let Some(number) = cluster.ended() {
                        return Err(ReplicaError::Cluster(format!("server {number} has ended by itself; see its log in {}", folder.display())));
                    }
                }
            }
        }
    })
}
