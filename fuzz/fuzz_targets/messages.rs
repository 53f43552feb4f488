//! Runs any bytes through the reader of market data's messages and a view.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| market_data::fuzz::messages(bytes));
