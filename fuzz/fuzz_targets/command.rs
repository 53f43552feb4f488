//! Runs any bytes through the decoder of commands, and the model behind it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| contract::fuzz::command(bytes));
