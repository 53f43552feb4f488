//! The ladder for everybody who can call C: [`ffi`] is what `include/any_price.h` declares.
#![deny(unsafe_code)] // but for the calls themselves

#[allow(unsafe_code)]
pub mod ffi;
