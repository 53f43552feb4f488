//! What the tests have in common: servers for the streams, and machines of the venue.

#[path = "../../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
pub mod client;
#[allow(dead_code)]
pub mod machine;

#[cfg(target_os = "linux")]
#[allow(dead_code)]
pub mod network;
#[allow(dead_code)]
pub mod wire;

use replication::cluster::{self, Cluster};

/// Three servers in a folder of their own. None where there is no `nats-server`, which in CI is a failure.
#[allow(dead_code)]
pub fn servers() -> Option<(tempfile::TempDir, Cluster)> {
    if let Err(reason) = cluster::available() {
        assert!(std::env::var_os("CI").is_none() || !cfg!(target_os = "linux"), "CI tests this: {reason}");
        println!("skipped: {reason}");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(folder.path()).unwrap();
    Some((folder, cluster))
}
