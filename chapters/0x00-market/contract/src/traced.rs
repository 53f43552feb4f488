//! The states in which a crash may leave what the real program wrote.
//!
//! The simulated disk does what it was taught about systems, and only the log is on it. Here the chapter's program is
//! watched while it makes its folders, starts for the first time, works, recovers, refuses and reshards: every system
//! call that makes, writes, names or syncs a file, with all its bytes, and every acknowledgement among them. From
//! that follows which states a crash could have left at any moment, if of the file system no more is known than the
//! weak rules of POSIX. An engine is opened on each of them and judged as after a kill. (The idea is that of ALICE,
//! OSDI 2014.)
//!
//! Nothing here knows the format of a log. What is in one the engine says, and what was promised the acknowledgements.
//!
//! - `CRASH_STATES=2000` draws so many states a recording, and counts through those of every moment that has few.
//! - A state that fails is printed with the command that replays it, on the recording that was kept.
//! - `CRASH_MISTAKE=DirectorySync` makes one of the planted mistakes, to see what is said of it.

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
use runner::Chapter;
use scenes::{dealing, first_start, recovery, refusal, resharding, segments, snapshot};

/// Every state that a crash may leave of a first start, of work, of a recovery from a torn tail, and of a refusal.
///
/// # Panics
/// At the first state in which a promise is broken, with the command that replays it.
pub fn crash_states<C: Chapter>(program: &str) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: no crash state of a real program was looked at");
    }
    let scenes = [first_start::<C>, recovery::<C>, refusal::<C>];
    scenes.iter().filter_map(|scene| scene(program)).for_each(|scene| scene.look("crash_states", program));
}

/// The same of a resharding.
///
/// # Panics
/// As [`crash_states`].
pub fn crash_states_of_resharding<C: Chapter>(program: &str, reshard: Reshard) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: no crash state of a resharding was looked at");
    }
    if let Some(scene) = resharding::<C>(program, reshard) {
        scene.look("crash_states_of_resharding", program);
    }
}

/// The same of a resharding where logs have lost their beginnings, in lives with these flags, and with these alone.
///
/// # Panics
/// As [`crash_states`].
pub fn crash_states_of_dealing<C: Chapter>(program: &str, working: &[&str], alone: &[&str], reshard: Reshard) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: no crash state of a resharding was looked at");
    }
    if let Some(scene) = dealing::<C>(program, working, alone, reshard) {
        scene.look("crash_states_of_dealing", program);
    }
}

/// The same of a program that cuts its log into segments, follows it with snapshots and removes what they make
/// needless: while it works, as these flags ask for, and as a program of its own that does nothing else.
///
/// # Panics
/// As [`crash_states`].
pub fn crash_states_of_snapshots<C: Chapter>(program: &str, working: &[&str], alone: &[&str]) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: no crash state of a snapshot was looked at");
    }
    let scenes = [segments::<C>(program, working), snapshot::<C>(program, working, alone)];
    scenes.iter().flatten().for_each(|scene| scene.look("crash_states_of_snapshots", program));
}

/// Mistakes that cost others their data, each made in what was recorded, are found by looking at the states.
///
/// # Panics
/// When one is not found.
pub fn planted_mistakes<C: Chapter>(program: &str) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: nobody knows whether the crash states bite");
    }
    let first = [Mistake::FileSync, Mistake::DirectorySync, Mistake::ParentSync, Mistake::RenameBeforeSync];
    first_start::<C>(program).iter().for_each(|scene| scene.finds(&first));
    refusal::<C>(program).iter().for_each(|scene| scene.finds(&[Mistake::LedgerFirst]));
    recovery::<C>(program).iter().for_each(|scene| scene.finds(&[Mistake::WatermarkFirst]));
}

/// The same of a resharding.
///
/// # Panics
/// When one is not found.
pub fn planted_mistakes_of_resharding<C: Chapter>(program: &str, reshard: Reshard) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: nobody knows whether the crash states bite");
    }
    let mistakes = [Mistake::OldSetFirst, Mistake::FileSync, Mistake::DirectorySync];
    resharding::<C>(program, reshard).iter().for_each(|scene| scene.finds(&mistakes));
}

/// The same of a resharding where logs have lost their beginnings.
///
/// # Panics
/// When one is not found.
pub fn planted_mistakes_of_dealing<C: Chapter>(program: &str, working: &[&str], alone: &[&str], reshard: Reshard) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: nobody knows whether the crash states bite");
    }
    let mistakes = [Mistake::OldSetFirst, Mistake::FileSync, Mistake::DirectorySync];
    dealing::<C>(program, working, alone, reshard).iter().for_each(|scene| scene.finds(&mistakes));
}

/// The same of a program that makes segments and snapshots while it works.
///
/// # Panics
/// When one is not found.
pub fn planted_mistakes_of_snapshots<C: Chapter>(program: &str, working: &[&str]) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: nobody knows whether the crash states bite");
    }
    segments::<C>(program, working).iter().for_each(|scene| scene.finds(&[Mistake::FileSync]));
}
