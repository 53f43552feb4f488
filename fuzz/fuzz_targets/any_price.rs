//! Any bytes as commands, to the ladder of 0x0f and to its model.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| any_price::fuzz::orders(bytes));
