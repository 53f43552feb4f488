//! Runs any bytes through the snapshot reader.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| contract::fuzz::snapshot(bytes));
