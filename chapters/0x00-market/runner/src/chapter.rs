//! A chapter, as its program sees it.

use market::Engine;

use crate::flags::Flags;

/// A chapter, as its program sees it.
pub trait Chapter {
    /// The chapter's folder, such as `0x01-naive`.
    const NAME: &'static str;
    /// How many orders it runs by default: about a second's worth, but at least the 100,000 of the
    /// classic flow.
    const ORDERS: usize;
    /// The flags that its program has beyond those of every chapter.
    type Flags: Flags;
    /// The engine, with no instrumentation.
    type Engine: Engine + 'static;
    /// The engine that measures its stages. Before 0x02 it is the same.
    type Measured: Engine + 'static;
}

/// Whether the chapter has an engine that measures its stages.
pub fn measures<C: Chapter>() -> bool {
    std::any::TypeId::of::<C::Engine>() != std::any::TypeId::of::<C::Measured>()
}

/// Whether the chapter's own flags have one of this name, such as `shards`.
pub fn has_flag<C: Chapter>(name: &str) -> bool {
    let flags = <C::Flags as clap::Args>::augment_args(clap::Command::new(C::NAME));
    flags.get_arguments().any(|flag| flag.get_long() == Some(name))
}
