//! A load as users run it: over both protocols, with orders that are cancelled again. Speed is not tested.

use std::process::{Command, Output, Stdio};

use results::record::{LoadRecord, Record};

use crate::support::server::PROGRAM;

fn load(arguments: &[&str], folder: &std::path::Path) -> Output {
    let mut load = Command::new(PROGRAM);
    load.arg("load").args(arguments).arg("--output").arg(folder);
    load.stdin(Stdio::null()).output().unwrap()
}

/// Both protocols at once: most of the time nothing is due.
#[test]
fn every_request_is_answered() {
    std::thread::scope(|scope| {
        for (protocol, engine, connections) in [("http", "0x03", 200), ("websocket", "0x08", 3)] {
            scope.spawn(move || is_answered(protocol, engine, connections));
        }
    });
}

fn is_answered(protocol: &str, engine: &str, connections: usize) {
    let count = connections.to_string();
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--protocol", protocol, "--engine", engine, "--rate", "500", "--seconds", "2", "--cancels", "40"];
    let ended = load(&[&arguments[..], &["--connections", &count, "--lang", "zh"]].concat(), folder.path());
    let words = String::from_utf8_lossy(&[&ended.stdout[..], &ended.stderr[..]].concat()).into_owned();
    let record = LoadRecord::load(&folder.path().join("load.json")).unwrap_or_else(|error| panic!("{error}\n{words}"));
    // On a busy machine the load may well be the limit, which is a verdict too.
    assert_eq!(ended.status.code(), Some(i32::from(record.is_void())), "{words}");
    assert_eq!(words.contains("作废"), record.is_void(), "{words}");
    assert_eq!((record.engine.as_str(), record.connections, record.cancels), (engine, connections, 40));
    let answered = (record.late.achieved_per_s * 2.0).round();
    assert!((1.0..=1_001.0).contains(&answered), "{answered} answers to 1,000 requests\n{words}");
    assert!(words.contains(engine) && record.command.contains(protocol), "{words}");
}

#[test]
fn bad_arguments_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for wrong in [["--rate", "0"], ["--cancels", "51"], ["--connections", "0"], ["--protocol", "carrier-pigeon"]] {
        let ended = load(&wrong, folder.path());
        assert_eq!(ended.status.code(), Some(2), "{wrong:?}: {}", String::from_utf8_lossy(&ended.stderr));
    }
    assert!(!folder.path().join("load.json").exists());
}
