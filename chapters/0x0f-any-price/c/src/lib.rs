//! The ladder for programs that can call C: [`ffi`] implements the declarations of `include/any_price.h`, and [`words`]
//! translates commands and events.
#![deny(unsafe_code)] // but for the calls themselves

#[allow(unsafe_code)]
pub mod ffi;
pub mod words;
