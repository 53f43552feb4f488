//! The contract, kept by this chapter's engine. What is asked of it is in `contract`.

use ch01::Chapter;
use contract::{crash, differential, failing, logs, simulation, snapshots};

type Engine = <Chapter as runner::Chapter>::Engine;
type Measured = <Chapter as runner::Chapter>::Measured;

#[test]
fn generated_streams() {
    differential::generated_streams::<Engine>();
}

#[test]
fn generated_streams_in_shards() {
    differential::generated_streams_in_shards::<Engine>();
}

#[test]
fn flows() {
    differential::flows::<Engine>();
}

#[test]
fn limits() {
    differential::limits::<Engine>();
}

#[test]
fn ids_far_apart() {
    differential::ids_far_apart::<Engine>();
}

#[test]
fn small_flows() {
    snapshots::small_flows::<Engine>();
}

#[test]
fn measuring_changes_no_answer() {
    snapshots::small_flows::<Measured>();
}

#[test]
fn digests() {
    snapshots::digests::<Engine>();
}

#[test]
fn cut_at_every_byte() {
    crash::cut_at_every_byte::<Engine>();
}

#[test]
fn cut_at_every_byte_of_single_frames() {
    crash::cut_at_every_byte_of_single_frames::<Engine>();
}

#[test]
fn cut_in_reserved_space() {
    crash::cut_in_reserved_space::<Engine>();
}

#[test]
fn cut_on_the_real_disk() {
    crash::cut_on_the_real_disk::<Engine>();
}

#[test]
fn flip_every_bit() {
    crash::flip_every_bit::<Engine>();
}

#[test]
fn frames_out_of_place() {
    crash::frames_out_of_place::<Engine>();
}

#[test]
fn files_that_are_no_log() {
    logs::files_that_are_no_log::<Engine>();
}

#[test]
fn another_number_of_shards() {
    logs::another_number_of_shards::<Engine>();
}

#[test]
fn every_framing_replays() {
    logs::every_framing_replays::<Engine>();
}

#[test]
fn its_log_is_everyones() {
    logs::its_log_is_everyones::<Engine>();
}

#[test]
fn ledger_is_rebuilt() {
    logs::ledger_is_rebuilt::<Engine>();
}

#[test]
fn acknowledged_means_durable() {
    failing::acknowledged_means_durable::<Engine>();
}

#[test]
fn a_sync_fails() {
    failing::a_sync_fails::<Engine>();
}

#[test]
fn a_write_fails() {
    failing::a_write_fails::<Engine>();
}

#[test]
fn the_disk_fills_up() {
    failing::the_disk_fills_up::<Engine>();
}

#[test]
fn short_writes_are_completed() {
    failing::short_writes_are_completed::<Engine>();
}

#[test]
fn recovery_fails_and_is_repeated() {
    failing::recovery_fails_and_is_repeated::<Engine>();
}

#[test]
fn simulation() {
    simulation::many_seeds::<Engine>();
}

#[test]
fn simulation_in_shards() {
    simulation::many_seeds_in_shards::<Engine>();
}
