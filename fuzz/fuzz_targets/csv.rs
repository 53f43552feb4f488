//! Any bytes, to the CSV reader.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| market::contract::fuzz::csv(bytes));
