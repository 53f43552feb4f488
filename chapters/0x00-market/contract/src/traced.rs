//! The states in which a crash may leave what the real program wrote.
//!
//! The simulated disk only behaves as it was written to, and holds only the log. Here the chapter's program is
//! watched while it creates its folders, starts for the first time, works, recovers, refuses and reshards: the trace
//! has every system call that creates, writes, names or syncs a file, with all its bytes, and every acknowledgement.
//! From it follow the states that a crash could have left at any moment, under the weak rules that POSIX guarantees
//! of a file system. An engine is opened on each state and judged as after a kill. (The idea comes from ALICE, OSDI
//! 2014.)
//!
//! Nothing here knows the format of a log: the engine says what a log holds, and the acknowledgements say what was
//! promised.
//!
//! - `CRASH_STATES=2000` draws this many states for each recording, and enumerates all states of a moment that has
//!   few.
//! - A state that fails is printed with the command that replays it, on the recording that was kept.
//! - `CRASH_MISTAKE=DirectorySync` plants one of the mistakes, to see how it is reported.

mod choices;
mod contents;
mod judge;
mod planted;
mod recording;
mod scene;
mod scenes;
mod search;
mod steps;
mod strace;
mod weak_disk;

use crate::program::{skip, strace_works};
pub use judge::Reshard;
use planted::Mistake;
pub use recording::copy;
use runner::Chapter;
use scenes::{dealing, first_start, recovery, refusal, resharding, segments, snapshot};

/// Tests every state that a crash may leave of a first start, of work, of a recovery from a torn tail, and of a
/// refusal.
///
/// # Panics
/// At the first state in which a promise is broken, with the command that replays it.
pub fn crash_states<C: Chapter>(program: &str) {
    if !strace_works() {
        return skip("strace is missing, or may not trace: no crash state of a real program was tested");
    }
    let scenes = [first_start::<C>, recovery::<C>, refusal::<C>];
    scenes.iter().filter_map(|scene| scene(program)).for_each(|scene| scene.look("crash_states", program));
}

/// The same for a resharding.
///
/// # Panics
/// As [`crash_states`].
pub fn crash_states_of_resharding<C: Chapter>(program: &str, reshard: Reshard) {
    if !strace_works() {
        return skip("strace is missing, or may not trace: no crash state of a resharding was tested");
    }
    if let Some(scene) = resharding::<C>(program, reshard) {
        scene.look("crash_states_of_resharding", program);
    }
}

/// The same for a resharding of logs that have lost their beginnings: `working` are the flags of a run that works,
/// `alone` those of a run that only snapshots.
///
/// # Panics
/// As [`crash_states`].
pub fn crash_states_of_dealing<C: Chapter>(program: &str, working: &[&str], alone: &[&str], reshard: Reshard) {
    if !strace_works() {
        return skip("strace is missing, or may not trace: no crash state of a resharding was tested");
    }
    if let Some(scene) = dealing::<C>(program, working, alone, reshard) {
        scene.look("crash_states_of_dealing", program);
    }
}

/// The same for a program that cuts its log into segments, follows it with snapshots and removes what is no
/// longer needed: while it works, with the flags `working`, and as a program that does nothing else, with the
/// flags `alone`.
///
/// # Panics
/// As [`crash_states`].
pub fn crash_states_of_snapshots<C: Chapter>(program: &str, working: &[&str], alone: &[&str]) {
    if !strace_works() {
        return skip("strace is missing, or may not trace: no crash state of a snapshot was tested");
    }
    let scenes = [segments::<C>(program, working), snapshot::<C>(program, working, alone)];
    scenes.iter().flatten().for_each(|scene| scene.look("crash_states_of_snapshots", program));
}

/// Plants known mistakes in the recording, each of which has cost real data elsewhere, and checks that some
/// state exposes each.
///
/// # Panics
/// When one is not found.
pub fn planted_mistakes<C: Chapter>(program: &str) {
    if !strace_works() {
        return skip("strace is missing, or may not trace: it is unknown whether the crash states find mistakes");
    }
    let first = [Mistake::FileSync, Mistake::DirectorySync, Mistake::ParentSync, Mistake::RenameBeforeSync];
    first_start::<C>(program).iter().for_each(|scene| scene.finds(&first));
    refusal::<C>(program).iter().for_each(|scene| scene.finds(&[Mistake::LedgerFirst]));
    recovery::<C>(program).iter().for_each(|scene| scene.finds(&[Mistake::WatermarkFirst]));
}

/// The same for a resharding.
///
/// # Panics
/// When one is not found.
pub fn planted_mistakes_of_resharding<C: Chapter>(program: &str, reshard: Reshard) {
    if !strace_works() {
        return skip("strace is missing, or may not trace: it is unknown whether the crash states find mistakes");
    }
    let mistakes = [Mistake::OldSetFirst, Mistake::FileSync, Mistake::DirectorySync];
    resharding::<C>(program, reshard).iter().for_each(|scene| scene.finds(&mistakes));
}

/// The same for a resharding of logs that have lost their beginnings.
///
/// # Panics
/// When one is not found.
pub fn planted_mistakes_of_dealing<C: Chapter>(program: &str, working: &[&str], alone: &[&str], reshard: Reshard) {
    if !strace_works() {
        return skip("strace is missing, or may not trace: it is unknown whether the crash states find mistakes");
    }
    let mistakes = [Mistake::OldSetFirst, Mistake::FileSync, Mistake::DirectorySync];
    dealing::<C>(program, working, alone, reshard).iter().for_each(|scene| scene.finds(&mistakes));
}

/// The same for a program that makes segments and snapshots while it works.
///
/// # Panics
/// When one is not found.
pub fn planted_mistakes_of_snapshots<C: Chapter>(program: &str, working: &[&str]) {
    if !strace_works() {
        return skip("strace is missing, or may not trace: it is unknown whether the crash states find mistakes");
    }
    segments::<C>(program, working).iter().for_each(|scene| scene.finds(&[Mistake::FileSync]));
}
