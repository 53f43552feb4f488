//! Runs any bytes through the CSV reader.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| contract::fuzz::csv(bytes));
