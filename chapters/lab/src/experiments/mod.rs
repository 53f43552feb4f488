//! All experiments, in the order in which the book discusses them.

pub mod ahead;
pub mod allocator;
pub mod clock;
pub mod compile_options;
pub mod depth;
pub mod disk_sync;
pub mod encoding;
pub mod huge_pages;
pub mod ids;
pub mod locks;
pub mod maps;
pub mod names;
pub mod naps;
pub mod partitions;
pub mod pool;
pub mod skip_list;
pub mod trades;

use crate::experiment::Experiment;

/// Every experiment. A new one gets a line here.
pub const ALL: &[Experiment] = &[
    names::EXPERIMENT,
    trades::EXPERIMENT,
    clock::EXPERIMENT,
    partitions::EXPERIMENT,
    locks::EXPERIMENT,
    maps::EXPERIMENT,
    skip_list::EXPERIMENT,
    encoding::EXPERIMENT,
    ids::EXPERIMENT,
    ahead::EXPERIMENT,
    allocator::EXPERIMENT,
    pool::EXPERIMENT,
    depth::EXPERIMENT,
    huge_pages::EXPERIMENT,
    disk_sync::EXPERIMENT,
    naps::EXPERIMENT,
    compile_options::EXPERIMENT,
];
