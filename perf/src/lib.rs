//! The measuring tool's parts, as a library so that tests and benches can use them: what is
//! recorded ([`record`]), on which machine ([`machine`]) and in which state ([`probe`]), how it is
//! drawn ([`charts`]), and what the subcommands do.
#![forbid(unsafe_code)]

pub mod chapters;
pub mod charts;
pub mod compare;
pub mod error;
pub mod exercise;
pub mod flow_args;
pub mod generate;
pub mod guard;
pub mod lab;
pub mod ladder;
pub mod language;
pub mod latency;
pub mod machine;
pub mod numbers;
pub mod probe;
pub mod record;
pub mod scale;
pub mod sweep;
pub mod units;
pub mod verify;
