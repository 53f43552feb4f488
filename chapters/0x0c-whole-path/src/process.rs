//! What the system reports about this program.

/// What it holds and has used.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    /// Processor time, in seconds.
    pub cpu_seconds: f64,
    /// Memory, in bytes.
    pub resident_bytes: f64,
    /// Open files.
    pub open_files: f64,
}

impl Process {
    /// As it is now; none where the system does not report it.
    pub fn now() -> Option<Process> {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        // After the name in brackets: user and system time in hundredths of a second, and resident pages.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<f64>().ok();
        let open_files = std::fs::read_dir("/proc/self/fd").ok()?.count() as f64;
        let page = 4_096.0;
        Some(Process {
            cpu_seconds: (number(11)? + number(12)?) / 100.0,
            resident_bytes: number(21)? * page,
            open_files,
        })
    }
}
