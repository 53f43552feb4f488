//! The clock of all stamps: nanoseconds that only go up, the same for all processes of a machine.

use std::time::Instant;

/// Whether all processes of this machine read the same clock: otherwise a client's moments and a venue's can't be compared.
pub const IS_SHARED: bool = cfg!(unix);

/// Now, in nanoseconds since the machine was started.
#[cfg(unix)]
pub fn now() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Now, in nanoseconds since the first call of this process. Clients in other processes have another zero then.
#[cfg(not(unix))]
pub fn now() -> u64 {
    use std::sync::OnceLock;

    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}

/// How often [`Anchor::set`] looks at both clocks.
const LOOKS: usize = 64;

/// One moment on this clock and on that of the standard library, to translate the moments of a load, which knows only the latter.
#[derive(Clone, Copy, Debug)]
pub struct Anchor {
    instant: Instant,
    ns: u64,
}

impl Anchor {
    /// Looks at both clocks, several times: the process can lose its core between two looks, so the closest ones count. They are
    /// a clock read apart, which is the error of each translation.
    pub fn set() -> Anchor {
        let look = |_| {
            let (before, instant, after) = (now(), Instant::now(), now());
            (after - before, Anchor { instant, ns: before.midpoint(after) })
        };
        let closest = (0..LOOKS).map(look).min_by_key(|(apart, _)| *apart);
        closest.map_or_else(|| look(0).1, |(_, anchor)| anchor)
    }

    /// A moment of this process on this clock, in nanoseconds.
    pub fn ns(&self, at: Instant) -> u64 {
        match at.checked_duration_since(self.instant) {
            Some(later) => self.ns + later.as_nanos() as u64,
            None => self.ns.saturating_sub((self.instant - at).as_nanos() as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_moment_is_the_same_on_both_clocks() {
        let anchor = Anchor::set();
        // Moments before the machine was started are not on this clock, and a machine for tests may be minutes old.
        for ago in [0, 1, 1_000] {
            let (before, at, after) = (now(), Instant::now(), now());
            let ago = Duration::from_millis(ago);
            let then = anchor.ns(at - ago) + ago.as_nanos() as u64;
            assert!(before <= then + 1_000 && then <= after + 1_000, "{before} {then} {after}");
            assert_eq!(anchor.ns(at + ago), anchor.ns(at) + ago.as_nanos() as u64);
        }
    }
}
