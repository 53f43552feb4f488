//! Resharding by the program itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use contract::folder::Folder;
use contract::harness::{check_state, run};
use market::flow::{self, FlowName};
use market::log::ShardOf;
use market::log_chain::segments;
use market::model::Model;
use market::snapshot::list;
use market::{Options, RealDisk, Sequence};

use crate::Engine;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ch08");

/// The program itself, on real files: two lives, two snapshots, trimmed; a damaged one is refused with code 3 and changes
/// nothing; then there are three shards, and a third life goes on in them.
#[test]
fn the_program_deals_real_files() {
    const ORDERS: usize = 2_000;
    let flow = flow::generate(FlowName::Venue, ORDERS, flow::DEFAULT_SEED);
    let folder = Folder::on_disk(RealDisk);
    let data_dir = folder.path().join("data");
    let told = |code: i32, flags: &[&str], words: &str| {
        let output = Process::new(PROGRAM).args(flags).arg("--data-dir").arg(&data_dir).output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.code() == Some(code) && said.contains(words), "{flags:?}: {words} was expected: {said}");
    };
    let lives = |shards: &str| {
        let (orders, output) = (ORDERS.to_string(), folder.path().join("output").display().to_string());
        let flags = ["--flow", "venue", "--segment-commands", "300", "--batch", "8", "--shards", shards];
        told(0, &[&flags[..], &["--pass", "throughput", "--orders", &orders, "--output", &output]].concat(), "");
    };
    for _ in 0..2 {
        lives("2");
        told(0, &["--snapshot", "--keep-log", "since-snapshot"], "wrote");
    }
    let of_old = ShardOf { shard: 1, shards: 2 };
    assert!(segments(&RealDisk, &data_dir, of_old).unwrap()[0].first > Sequence::FIRST, "no log was trimmed");
    lives("2");

    let (_, oldest) = list(&RealDisk, &data_dir, of_old).unwrap().pop().unwrap();
    let whole = std::fs::read(&oldest).unwrap();
    let mut damaged = whole.clone();
    damaged[300] ^= 1;
    std::fs::write(&oldest, &damaged).unwrap();
    let before = contents(&data_dir);
    told(3, &["--reshard", "3"], "wrong checksum");
    assert!(contents(&data_dir) == before, "a refusal changed a file");
    std::fs::write(&oldest, &whole).unwrap();

    told(0, &["--reshard", "3"], "2 shards are now 3");
    told(3, &["--shards", "2", "--orders", "1"], "--reshard 2");
    lives("3");
    let options = Options { shards: 3, ..Options::new(&data_dir) };
    let went = run::<Engine>(&options, &[], 1).unwrap();
    let mut model = Model::default();
    // Only the first life sets the markets up.
    let commands = flow.setup.iter().chain((0..4).flat_map(|_| &flow.body));
    let count = commands.map(|command| model.apply(command)).count();
    assert_eq!(went.recovery.commands, count as u64);
    check_state(&model.state(), &went.closed.state).unwrap();
}

/// Everything in a folder but its locks, and what it holds.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let others = paths.filter(|path| !path.to_string_lossy().contains("LOCK"));
    others.map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}
