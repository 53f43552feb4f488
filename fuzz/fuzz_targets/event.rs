//! Runs any bytes through the decoder of events.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| contract::fuzz::event(bytes));
