//! How many files a process may have open: each connection is one.

use std::process::{Command, Stdio};

/// How many files this process and the server need besides connections: the server reserves 512 for itself.
const OWN_FILES: usize = 600;

/// How many connections fit into this many open files.
pub fn room(open_files: u64) -> usize {
    (open_files as usize).saturating_sub(OWN_FILES)
}

/// How many files a process may have open, after raising the limit as far as the system allows. The server inherits it.
pub fn open_files() -> Option<u64> {
    let limit = |place: usize| {
        let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
        let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
        line.split_whitespace().nth(place)?.parse::<u64>().ok()
    };
    if let (Some(soft), Some(hard)) = (limit(0), limit(1))
        && soft < hard
    {
        let mut raise = Command::new("prlimit");
        raise.args(["--pid", &std::process::id().to_string(), &format!("--nofile={hard}:{hard}")]);
        // Without util-linux the limit stays as it is, and the record shows it.
        let _ = raise.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
    limit(0)
}
