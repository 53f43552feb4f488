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

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::stream::Config;
use replication::cluster::{self, Cluster};
use replication::link::Link;

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

/// Makes a stream. Servers that have just been started need a moment to agree.
#[allow(dead_code)]
pub fn make_stream(link: &Link, config: Config) {
    let context = link.context().clone();
    let made = link.wait(async move {
        for _ in 0..100 {
            if context.create_stream(&config).await.is_ok() {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        false
    });
    assert!(made, "the servers make no stream");
}

/// The bytes of the only shard's log; none where there is no log.
#[allow(dead_code)]
pub fn log(folder: &Path) -> Vec<u8> {
    fs::read(folder.join("commands.log")).unwrap_or_default()
}

/// Waits until it is so; `what` says what is wrong if it never is.
#[allow(dead_code)]
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until both logs hold the same bytes.
#[allow(dead_code)]
pub fn wait_until_equal(one: &Path, other: &Path) {
    wait_until("the logs stay different", || log(one) == log(other));
}
