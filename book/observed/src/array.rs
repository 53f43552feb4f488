//! 0x05: an array of levels a side, a bitmap, links through a slab, a table from ids to slots.

chapter!("array": accounts book exchange id_table metrics slab trading);
