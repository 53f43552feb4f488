//! Runs any bytes through the log reader.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| contract::fuzz::log(bytes));
