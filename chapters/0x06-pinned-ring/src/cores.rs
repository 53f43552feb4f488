//! Cores: which of them a matching thread is pinned to.
//!
//! A device that has finished interrupts a core, and the thread that runs there has to wait. A disk that syncs all
//! the time does so some ten thousand times a second, and always on the same core. Matching has to be on another
//! core.

use std::fs;
use std::sync::OnceLock;
use std::thread;

use core_affinity::CoreId;

// ANCHOR: quietest_first
/// The cores that this process may use; those that devices interrupt least come first.
///
/// The answer stays what it was at the first call: the counts change, and two engines that asked at different
/// moments might both get the same core as the quietest.
pub fn quietest_first() -> &'static [CoreId] {
    static CORES: OnceLock<Vec<CoreId>> = OnceLock::new();
    CORES.get_or_init(|| {
        let cores = permitted(core_affinity::get_core_ids().unwrap_or_default());
        // Only Linux has this file. Without it nothing is known of interrupts.
        by_interrupts(cores, &fs::read_to_string("/proc/interrupts").unwrap_or_default())
    })
}

fn by_interrupts(mut cores: Vec<CoreId>, table: &str) -> Vec<CoreId> {
    // Among equals the last one comes first: systems like to keep the first one busy.
    cores.reverse();
    let interrupts = interrupts(table);
    cores.sort_by_key(|core| interrupts.iter().find(|(id, _)| *id == core.id).map_or(0, |(_, count)| *count));
    cores
}

/// The core for a thread that matching wakes, after those of the matching threads. If the matching threads, their
/// journals and the caller leave none of `count` cores idle, a system may run that thread in place of the one that
/// woke it.
pub fn for_woken(matching: usize, count: usize) -> Option<CoreId> {
    quietest_first().get(matching).copied().filter(|_| (2..=1 + 2 * matching).contains(&count))
}
// ANCHOR_END: quietest_first

/// Those that a thread may choose: some systems list their cores and permit no choice. A thread that ends at once tries.
fn permitted(mut cores: Vec<CoreId>) -> Vec<CoreId> {
    let tried = thread::Builder::new().spawn(move || {
        cores.retain(|core| core_affinity::set_for_current(*core));
        cores
    });
    tried.ok().and_then(|tried| tried.join().ok()).unwrap_or_default()
}

/// How often devices have interrupted each core since the system started. The first line names the cores, each
/// other one has a label and a count for each core; the labels of devices are numbers.
fn interrupts(table: &str) -> Vec<(usize, u64)> {
    let mut lines = table.lines();
    let names = lines.next().unwrap_or_default().split_whitespace();
    let mut cores: Vec<(usize, u64)> =
        names.filter_map(|name| Some((name.strip_prefix("CPU")?.parse().ok()?, 0))).collect();
    for line in lines {
        let Some((label, counts)) = line.split_once(':') else { continue };
        if label.trim().parse::<u32>().is_ok() {
            let counts = counts.split_whitespace().map_while(|count| count.parse::<u64>().ok());
            cores.iter_mut().zip(counts).for_each(|((_, sum), count)| *sum += count);
        }
    }
    cores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_counted_and_nothing_else() {
        let table = "           CPU0       CPU2\n 28:         10          1 PCI-MSIX-0 virtio1-req.0\n \
                     29:          0          4 PCI-MSIX-1 virtio2-input.0\nLOC:     900000      900000 Local timer\n";
        assert_eq!(interrupts(table), [(0, 10), (2, 5)]);
    }

    #[test]
    fn a_missing_or_unknown_table_is_ignored() {
        assert_eq!(interrupts(""), []);
        assert_eq!(interrupts("no cores here\n 1: 2 3\n"), []);
    }

    /// Other systems may permit none.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_core_that_the_system_does_not_permit_is_none() {
        let (there, missing) = (quietest_first()[0], CoreId { id: 1_023 });
        assert_eq!(permitted(vec![missing, there]), [there]);
    }

    fn order(table: &str) -> Vec<usize> {
        let cores = (0..3).map(|id| CoreId { id }).collect();
        by_interrupts(cores, table).iter().map(|core| core.id).collect()
    }

    #[test]
    fn the_core_with_the_fewest_interrupts_comes_first() {
        assert_eq!(order("CPU0 CPU1 CPU2\n 28: 5 1 9 disk\n 29: 0 2 0 network\n"), [1, 0, 2]);
    }

    #[test]
    fn among_equals_the_last_core_comes_first() {
        assert_eq!(order(""), [2, 1, 0]);
        assert_eq!(order("CPU0 CPU1 CPU2\n 28: 7 7 7 disk\n"), [2, 1, 0]);
    }
}
