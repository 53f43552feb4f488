//! The judge: a small program in Go around Porcupine, and how to call it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use crate::history::History;

/// What the judge says.
#[derive(PartialEq, Eq, Debug)]
pub enum Verdict {
    Linearizable,
    /// The judge found no possible order of the calls. The text says how far it came.
    Not(String),
}

pub struct Judge(PathBuf);

impl Judge {
    /// The judge. If a reader's machine can't build it, prints the reason and returns `None`; in CI that is a failure.
    pub fn built() -> Option<&'static Judge> {
        static JUDGE: OnceLock<Result<Judge, String>> = OnceLock::new();
        let why = match JUDGE.get_or_init(build) {
            Ok(judge) => return Some(judge),
            Err(why) => why,
        };
        assert!(std::env::var_os("CI").is_none(), "CI has the judge: {why}");
        println!("skipped: {why}");
        None
    }

    /// Fails unless the judge accepts a history, and rejects the same history with an order missing from a read.
    pub fn hold(&self, history: &History, seed: u64) {
        history.is_enough();
        if let Verdict::Not(why) = self.of(history) {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("history-{seed}.json"));
            std::fs::write(&file, history.json().to_string()).unwrap();
            panic!("{why}\nThe whole history is in {}", file.display());
        }
        let verdict = self.of(&history.with_an_order_lost());
        assert!(
            matches!(verdict, Verdict::Not(_)),
            "the judge accepted the same history with an order missing from a read"
        );
    }

    /// Has a history judged.
    pub fn of(&self, history: &History) -> Verdict {
        let mut judge = Command::new(&self.0);
        let mut judge = judge.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It reads all of its input before it prints anything.
        judge.stdin.take().unwrap().write_all(history.json().to_string().as_bytes()).unwrap();
        let output = judge.wait_with_output().unwrap();
        match output.status.code() {
            Some(0) => Verdict::Linearizable,
            Some(1) => Verdict::Not(words(&output)),
            // A judge that did not finish has not accepted the history.
            _ => panic!("{}: {}", output.status, words(&output)),
        }
    }
}

/// An error if a tool or the network is missing, as a reader's machine may lack them. A program that does not compile is a
/// mistake, and panics.
fn build() -> Result<Judge, String> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("judge{}", std::env::consts::EXE_SUFFIX));
    let go = |arguments: &[&str]| {
        let mut go = Command::new("go");
        // Other chapters' tests build the judge of this chapter, too.
        let judge = concat!(env!("CARGO_MANIFEST_DIR"), "/../0x0b-exactly-once/tests/linearizable/judge");
        go.current_dir(judge).args(arguments);
        go.stdin(Stdio::null()).output()
    };
    let fetched = go(&["mod", "download"]).map_err(|_| "there is no go".to_owned())?;
    if !fetched.status.success() {
        return Err(format!("go can't get Porcupine: {}", words(&fetched)));
    }
    let built = go(&["build", "-mod=readonly", "-buildvcs=false", "-o", program.to_str().unwrap(), "."]).unwrap();
    assert!(built.status.success(), "{}", words(&built));
    Ok(Judge(program))
}

fn words(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}
