//! How many cache misses a message of the ladder causes, as counted by valgrind's cache model. The model does not
//! prefetch, so a real processor has fewer misses.

use std::path::Path;
use std::process::{Command, Stdio};

use results::record::LinesRecord;

/// A first-level cache of 48 KiB and a second of 2 MiB, with lines of 64 bytes.
const CACHES: [&str; 3] = ["--I1=32768,8,64", "--D1=49152,12,64", "--LL=2097152,16,64"];

/// Whether valgrind is installed.
pub fn is_possible() -> bool {
    let version = Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// Counts the cost of the measured commands of a flow, per message. Runs `program` with `--replay`.
///
/// # Errors
/// Valgrind's output, if it counted nothing.
pub fn count(program: &Path, flow: &str, commands: usize, messages: usize) -> Result<LinesRecord, String> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--cache-sim=yes", "--callgrind-out-file=/dev/null"]).args(CACHES);
    // Count only these functions; the setup fills the model's caches all the same.
    valgrind.arg("--collect-atstart=no");
    valgrind.args(["*apply_replayed*", "*run_array*", "*run_ladder*"].map(|name| format!("--toggle-collect={name}")));
    valgrind.arg(program).args(["--replay", flow, "--commands", &commands.to_string()]);
    let ended = valgrind.stdin(Stdio::null()).output().map_err(|error| format!("cannot start valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&ended.stderr);
    let figure = |name: &str| {
        let line = said.lines().find_map(|line| line.split_once(name))?.1;
        let digits: String = line.split('(').next()?.chars().filter(char::is_ascii_digit).collect();
        Some(digits.parse::<f64>().ok()? / messages.max(1) as f64)
    };
    let counted = || {
        Some(LinesRecord {
            name: flow.into(),
            instructions: figure("I   refs:").or_else(|| figure("I refs:"))?,
            first_level: figure("D1  misses:").or_else(|| figure("D1 misses:"))?,
            second_level: figure("LLd misses:")?,
        })
    };
    counted().ok_or_else(|| format!("valgrind counted nothing for {flow}: {}", said.trim()))
}
