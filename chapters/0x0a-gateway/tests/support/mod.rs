//! Shared by the tests of the program: the program itself as a process, and a small client.
#![allow(dead_code, reason = "each test uses its part")]

pub mod client;
pub mod feed;
pub mod frames;
pub mod honest;
pub mod server;
