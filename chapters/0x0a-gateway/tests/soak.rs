//! A short soak, as users run it: what a venue holds does not grow, whichever clients come and go. Speed is not tested.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Stdio};

use program::rounds::Rounds;
use results::record::{Record, SoakRecord};

#[test]
fn nothing_grows_that_must_not() {
    let folder = tempfile::tempdir().unwrap();
    let minutes = Rounds::asked().pick("0.1", "1");
    let mut soak = Command::new(env!("CARGO_BIN_EXE_ch0a"));
    soak.args(["soak", "--minutes", minutes, "--output"]).arg(folder.path());
    let ended = soak.stdin(Stdio::null()).output().unwrap();
    let words = String::from_utf8_lossy(&[&ended.stdout[..], &ended.stderr[..]].concat()).into_owned();
    // On a busy machine p99 may well rise, which is a verdict too.
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{words}");
    let record = SoakRecord::load(&folder.path().join("soak.json")).unwrap();
    assert_eq!(ended.status.code() == Some(0), record.is_steady(), "{words}");
    assert!(record.windows.len() >= 8 && record.comings > 10, "{words}");
    assert!(record.windows.iter().any(|window| window.orders_per_s > 0.0), "{words}");
    let is_held = |name: &str| ["memory", "descriptors", "threads"].contains(&name);
    let over: Vec<_> = record.trends.iter().filter(|trend| trend.is_over && is_held(&trend.name)).collect();
    assert!(over.is_empty(), "{over:?}\n{words}");
    if cfg!(target_os = "linux") {
        assert_eq!(record.trends.iter().filter(|trend| is_held(&trend.name)).count(), 3, "{words}");
    }
}
