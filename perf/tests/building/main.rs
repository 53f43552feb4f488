//! Tests about building, in parallel: the exercises and the guard wait for compilers most of the time.

mod exercise;
mod features;
mod guard;
