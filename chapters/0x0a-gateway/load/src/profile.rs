//! How much processor time each of the server's threads took, as counted by the system: a profile that costs nothing
//! and needs no privileges.

use std::ops::{AddAssign, Sub};

use results::record::venue::{ProfileRecord, ThreadRecord};

/// The roles of threads, and their names in the system. The network threads are named by the runtime.
const ROLES: [(&str, &str); 8] = [
    ("network", "tokio-rt-worker"),
    ("engine", "engine"),
    ("journal", "journal"),
    ("matching", "matching"),
    ("ledger", "ledger"),
    ("shadow", "shadow"),
    ("replies", "replies"),
    ("feed", "feed"),
];

/// What a process has used so far, or between two readings.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// Processor time by role, in nanoseconds; the last is for threads without a role.
    ns: [u64; ROLES.len() + 1],
    /// How often a thread gave up its core, because it waited or was preempted.
    switches: u64,
    /// Processor time in the kernel, and in all, in the system's ticks.
    kernel: u64,
    ticks: u64,
}

impl Spent {
    /// What a process has used so far; none if the system does not report it.
    pub fn of(process: u32) -> Option<Spent> {
        let mut spent = Spent::default();
        for thread in std::fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten() {
            let read = |file: &str| std::fs::read_to_string(thread.path().join(file));
            // A thread that has ended in the meantime used nothing more.
            let (Ok(name), Ok(time), Ok(status)) = (read("comm"), read("schedstat"), read("status")) else { continue };
            let role = ROLES.iter().position(|(_, system)| *system == name.trim()).unwrap_or(ROLES.len());
            spent.ns[role] += time.split_whitespace().next()?.parse::<u64>().ok()?;
            let counts =
                status.lines().filter_map(|line| line.split_once("ctxt_switches:")?.1.trim().parse::<u64>().ok());
            spent.switches += counts.sum::<u64>();
        }
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let user = fields.get(11)?.parse::<u64>().ok()?;
        spent.kernel = fields.get(12)?.parse().ok()?;
        spent.ticks = user + spent.kernel;
        Some(spent)
    }

    /// The share of each of this many answers.
    pub fn each(&self, name: &str, answers: u64) -> ProfileRecord {
        let each = |all: u64| all as f64 / answers.max(1) as f64;
        let roles = ROLES.iter().map(|(role, _)| *role).chain(["other"]);
        let threads = roles.zip(self.ns).map(|(role, ns)| ThreadRecord { name: role.into(), ns: each(ns) });
        ProfileRecord {
            name: name.into(),
            ns: each(self.ns.iter().sum()),
            threads: threads.collect(),
            kernel: self.kernel as f64 / self.ticks.max(1) as f64,
            switches: each(self.switches),
        }
    }
}

impl Sub for Spent {
    type Output = Spent;

    /// The time of a thread that has ended is missing from the later reading, so nothing goes below zero.
    fn sub(mut self, before: Spent) -> Spent {
        self.ns.iter_mut().zip(before.ns).for_each(|(ns, before)| *ns = ns.saturating_sub(before));
        self.switches = self.switches.saturating_sub(before.switches);
        self.kernel = self.kernel.saturating_sub(before.kernel);
        self.ticks = self.ticks.saturating_sub(before.ticks);
        self
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, more: Spent) {
        self.ns.iter_mut().zip(more.ns).for_each(|(ns, more)| *ns += more);
        self.switches += more.switches;
        self.kernel += more.kernel;
        self.ticks += more.ticks;
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_thread_is_known_by_its_name() {
        let Some(before) = Spent::of(std::process::id()) else { return };
        let work = move || {
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(50) {
                std::hint::spin_loop();
            }
            Spent::of(std::process::id()).map(|spent| spent - before)
        };
        let journal = std::thread::Builder::new().name("journal".into()).spawn(work).expect("a thread");
        let spent = journal.join().expect("it does not panic").expect("the system reports it");
        let profile = spent.each("work", 10);
        let of = |name: &str| profile.threads.iter().find(|thread| thread.name == name).map(|thread| thread.ns);
        assert_eq!((profile.threads.len(), of("matching")), (ROLES.len() + 1, Some(0.0)));
        // On a busy machine it may have had little of a core.
        let journal = of("journal").expect("it is listed");
        assert!(journal > 0.0 && journal <= profile.ns, "{profile:?}");
    }
}
