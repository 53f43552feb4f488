//! Runs any bytes as commands through the ladder of 0x0f and its model.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| any_price::fuzz::orders(bytes));
