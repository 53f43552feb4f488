//! What has to do with building, side by side: the exercises and the guard wait for compilers most of the time.

mod exercise;
mod features;
mod guard;
