//! What has to build something first, side by side: the exercises and the guard wait for compilers most of the time.

mod exercise;
mod guard;
