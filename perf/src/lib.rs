//! The measuring tool's parts, as a library so that tests and benches can use them: what is
//! recorded ([`record`]), on which machine ([`machine`]) and in which state ([`probe`]), how it is
//! drawn ([`charts`]), and the latency numbers worth memorizing ([`numbers`]).

pub mod charts;
pub mod error;
pub mod language;
pub mod machine;
pub mod numbers;
pub mod probe;
pub mod record;
pub mod units;
