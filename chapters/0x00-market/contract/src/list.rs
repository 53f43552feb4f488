//! The list of the contract's tests, which every chapter's engine must pass.

/// Makes the contract's tests for a chapter: `contract!(ch01::Chapter);` in its `tests/contract.rs`. A chapter whose
/// engine has shards says so, `contract!(ch07::Chapter, in shards);`, and is tested in shards as well.
#[macro_export]
macro_rules! contract {
    ($chapter:ty) => {
        $crate::contract!(@one_shard $chapter);

        #[test]
        fn has_no_shards() {
            assert!(!$crate::has_flag::<$chapter>("shards"), "run the contract `in shards`, then");
        }
    };
    ($chapter:ty, in shards) => {
        $crate::contract!(@one_shard $chapter);
        $crate::contract! { @tests $chapter:
            generated_streams_in_shards is differential::generated_streams_in_shards of Engine,
            a_first_start_cut_short_in_shards is opening::a_first_start_cut_short_in_shards of Engine,
            a_siblings_frame is damage::a_siblings_frame of Engine,
            one_log_of_several_is_refused is damage::one_log_of_several_is_refused of Engine,
            simulation_in_shards is simulation::many_seeds_in_shards of Engine,
            a_seed_replays_in_shards is simulation::a_seed_replays_in_shards of Engine,
        }
    };
    (@one_shard $chapter:ty) => {
        $crate::contract! { @tests $chapter:
            generated_streams is differential::generated_streams of Engine,
            flows is differential::flows of Engine,
            limits is differential::limits of Engine,
            ids_far_apart is differential::ids_far_apart of Engine,
            small_flows is snapshots::small_flows of Engine,
            a_cancel_is_matching is measuring::a_cancel_is_matching of Measured,
            measuring_changes_no_answer is snapshots::small_flows of Measured,
            digests is snapshots::digests of Engine,
            cut_at_every_byte is crash::cut_at_every_byte of Engine,
            cut_at_every_byte_of_single_frames is crash::cut_at_every_byte_of_single_frames of Engine,
            cut_in_reserved_space is crash::cut_in_reserved_space of Engine,
            cut_on_the_real_disk is crash::cut_on_the_real_disk of Engine,
            flip_every_bit is crash::flip_every_bit of Engine,
            frames_out_of_place is crash::frames_out_of_place of Engine,
            rot_before_a_torn_frame is damage::rot_before_a_torn_frame of Engine,
            rot_before_a_frame_cut_at_every_byte is damage::rot_before_a_frame_cut_at_every_byte of Engine,
            a_spoiled_sector is damage::a_spoiled_sector of Engine,
            a_sector_rots is decay::a_sector_rots of Engine,
            garbage_at_the_end is decay::garbage_at_the_end of Engine,
            a_misdirected_frame is decay::a_misdirected_frame of Engine,
            files_that_are_no_log is logs::files_that_are_no_log of Engine,
            a_refusal_changes_nothing is logs::a_refusal_changes_nothing of Engine,
            one_engine_at_a_time is opening::one_engine_at_a_time of Engine,
            names_are_synced_again is opening::names_are_synced_again of Engine,
            a_first_start_cut_short is opening::a_first_start_cut_short of Engine,
            another_number_of_shards is logs::another_number_of_shards of Engine,
            every_framing_replays is logs::every_framing_replays of Engine,
            its_log_is_read_by_the_format is logs::its_log_is_read_by_the_format of Engine,
            ledger_is_rebuilt is logs::ledger_is_rebuilt of Engine,
            a_log_in_segments is segments::a_log_in_segments of Engine,
            segments_that_do_not_follow is segments::segments_that_do_not_follow of Engine,
            a_log_of_version_1 is versions::a_log_of_version_1 of Engine,
            a_rewriting_cut_short is versions::a_rewriting_cut_short of Engine,
            a_log_that_ends_too_early is watermarks::a_log_that_ends_too_early of Engine,
            a_log_that_is_gone is watermarks::a_log_that_is_gone of Engine,
            a_loss_is_accepted is watermarks::a_loss_is_accepted of Engine,
            an_unusable_watermark_is_ignored is watermarks::an_unusable_watermark_is_ignored of Engine,
            a_watermark_is_never_ahead is watermarks::a_watermark_is_never_ahead of Engine,
            numbers_and_times is times::numbers_and_times of Engine,
            a_clock_that_is_behind is times::a_clock_that_is_behind of Engine,
            the_torn_end_is_kept is times::the_torn_end_is_kept of Engine,
            acknowledged_means_durable is failing::acknowledged_means_durable of Engine,
            a_sync_fails is failing::a_sync_fails of Engine,
            a_write_fails is failing::a_write_fails of Engine,
            the_disk_fills_up is failing::the_disk_fills_up of Engine,
            short_writes_are_completed is failing::short_writes_are_completed of Engine,
            recovery_fails_and_is_repeated is failing::recovery_fails_and_is_repeated of Engine,
            a_read_fails is reading::a_read_fails of Engine,
            nothing_after_a_disk_error is stopping::nothing_after_a_disk_error of Engine,
            nothing_after_a_panic_of_the_receiver is stopping::nothing_after_a_panic_of_the_receiver of Engine,
            nothing_after_a_ledger_error is stopping::nothing_after_a_ledger_error of Engine,
            a_short_ledger_is_written is stopping::a_short_ledger_is_written of Engine,
            simulation is simulation::many_seeds of Engine,
            a_seed_replays is simulation::a_seed_replays of Engine,
        }
    };
    (@tests $chapter:ty: $($test:ident is $room:ident::$what:ident of $engine:ident,)+) => {
        $(
            #[test]
            fn $test() {
                $crate::$room::$what::<<$chapter as $crate::Chapter>::$engine>();
            }
        )+
    };
}
