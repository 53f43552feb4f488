//! Huge pages under a large table.
//!
//! **Expected:** a page of 2 MiB instead of 4 KiB saves the processor the walk through the page table, so random
//! reads of a large table get faster.
//!
//! **Compared:** reads at random places of 256 MiB, each depending on the one before, with the kernel told to use
//! huge pages for this memory and told not to.
//!
//! **Left out:** pages of 1 GiB and pages reserved in advance, which take a privileged set-up; and systems other than
//! Linux. The kernel may decline the advice when memory is fragmented; then both variants measure the same.

use crate::error::LabError;
use crate::experiment::{Experiment, Prepared, Setting};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "huge_pages",
    title: ("Do huge pages make random reads faster?", "大页能让随机读变快吗？"),
    per: ("a read", "每次读"),
    on_request: false,
    prepare,
};

#[cfg(not(target_os = "linux"))]
fn prepare(_setting: &Setting) -> Result<Prepared, LabError> {
    Ok(left_out("the advice to the kernel is Linux's", "这种内核提示只有 Linux 才有"))
}

#[cfg(target_os = "linux")]
fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let policy = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    match policy.contains("[never]") || policy.is_empty() {
        true => Ok(left_out("this kernel is set to give none", "这个内核设为不提供大页")),
        false => Ok(linux::prepare(setting)),
    }
}

fn left_out(en: &str, zh: &str) -> Prepared {
    let reason = crate::words::words(en, zh);
    Prepared { cases: Vec::new(), left_out: vec![crate::experiment::LeftOut { name: "huge_pages", reason }] }
}

/// Through a crate that wraps `mmap` and `madvise`: private anonymous memory needs no `unsafe` there.
#[cfg(target_os = "linux")]
mod linux {
    use memmap2::{Advice, MmapMut};
    use results::error::MeasureError;

    use super::*;
    use crate::experiment::{Case, Sample, Size, timed};
    use crate::pattern::Pattern;
    use crate::words::words;

    const SMALL_PAGE: usize = 4_096;

    // ANCHOR: advise
    /// Memory in which every page has been written to, so that the kernel had to provide all of it.
    fn table(bytes: usize, advice: Advice) -> Result<MmapMut, MeasureError> {
        let failed = |error| MeasureError::Unusable(format!("cannot map {bytes} bytes of memory: {error}"));
        let mut table = MmapMut::map_anon(bytes).map_err(failed)?;
        table.advise(advice).map_err(failed)?;
        for (page, bytes) in table.chunks_mut(SMALL_PAGE).enumerate() {
            bytes[0] = page as u8;
        }
        Ok(table)
    }
    // ANCHOR_END: advise

    fn read(bytes: usize, reads: usize, advice: Advice) -> Result<Sample, LabError> {
        let table = table(bytes, advice)?;
        let mut pattern = Pattern::new(11);
        Ok(timed(reads, || {
            let (mut sum, mut last) = (0, 0);
            for _ in 0..reads {
                // The first byte of a page, offset by what was read before: the next read has to wait for
                // it.
                let page = (pattern.below(bytes) + last) % bytes / SMALL_PAGE;
                last = usize::from(table[page * SMALL_PAGE]);
                sum += last as u64;
            }
            sum
        }))
    }

    pub fn prepare(setting: &Setting) -> Prepared {
        let bytes = if setting.size == Size::Tiny { 4 << 20 } else { 256 << 20 };
        let reads = setting.size.of(2_000_000);
        let mut case = Case::new("random_reads", words("random reads of 256 MiB", "随机读 256 MiB"))
            .with("small", words("pages of 4 KiB", "4 KiB 的页"), move || read(bytes, reads, Advice::NoHugePage))
            .with("huge", words("pages of 2 MiB", "2 MiB 的页"), move || read(bytes, reads, Advice::HugePage));
        case.figures.insert("bytes".into(), bytes as f64);
        Prepared { cases: vec![case], left_out: Vec::new() }
    }
}
