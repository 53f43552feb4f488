//! The chapters, and what each is: read from their manifests, and stored nowhere else.
//!
//! A chapter is a folder `chapters/0xNN-name` whose `Cargo.toml` has this table:
//!
//! ```toml
//! [package.metadata.chapter]
//! number = 0x03                                    # as its folder begins
//! part = 1                                         # 1 is the engine, 2 is what stands around it
//! kind = "engine"                                  # or "service", "study", or "contract": what all engines satisfy
//! after = 0x02                                     # the chapter that it comes after; the first has none
//! title = { en = "group commit", zh = "组提交" }
//! measures = true                                  # has a breakdown by stages; left out: false
//! batches = true                                   # takes --batch; left out: false
//! shards = false                                   # takes --shards; left out: false
//! verb = "venue"                                   # the verb of the tool that measures it, if it has one
//! lesson = "src/engine.rs"                         # the file to read first
//! lesson_test = "tests/lesson.rs"                  # the test that only this chapter passes, if there is one
//! adds = []                                        # the files that differ from the chapter before
//! changes = ["src/engine.rs"]
//! removes = []
//! budget = 150                                     # and how many lines under src that may take
//! ```
//!
//! Only engines are rungs of the ladder, and only between engines does the step (`adds` to `budget`) mean anything: a
//! service or a study is not a copy of anything. [`Catalogue::read`] checks all of it, so what it returns is
//! consistent.
#![forbid(unsafe_code)]

mod catalogue;
mod chapter;
mod error;
mod manifest;

pub use catalogue::Catalogue;
pub use chapter::{Chapter, Kind, Number, Step, Title};
pub use error::CatalogueError;
