//! 0x01: a tree of levels a side, a queue at each, a map from ids to orders.

chapter!("naive": accounts book exchange trading);
