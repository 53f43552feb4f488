//! The list of numbers: the name of each, its reference figure, and the function that measures it.

use std::path::Path;

use super::{book, disk, memory, threads};
use results::error::MeasureError;
use results::record::ReferenceFrom::{List, Typical};
use results::record::{Measured, ReferenceFrom};

/// Measures one number, with the disk under a folder where it needs one.
type Measure = fn(&Path) -> Result<Option<Measured>, MeasureError>;

/// One number of the list.
pub(crate) struct Number {
    pub id: &'static str,
    pub english: &'static str,
    pub chinese: &'static str,
    pub reference_ns: f64,
    pub reference_from: ReferenceFrom,
    pub measure: Measure,
}

const fn number(
    id: &'static str,
    [english, chinese]: [&'static str; 2],
    reference_ns: f64,
    reference_from: ReferenceFrom,
    measure: Measure,
) -> Number {
    Number { id, english, chinese, reference_ns, reference_from, measure }
}

/// All of them, from the fastest to the slowest by their references; the batched sync comes last, next
/// to the one that it is compared with.
#[rustfmt::skip]
pub(crate) const NUMBERS: [Number; 19] = [
    number("l1_hit", ["L1 cache hit", "L1 缓存命中"], 0.5, List, |_| Ok(memory::l1())),
    number("vec_reused", ["push to a reused Vec", "向复用的 Vec 追加"], 1.0, Typical, |_| Ok(memory::vec_reused())),
    number("array_level_update", ["price level update, array and bitmap, with best price", "价格档更新：数组加位图，含最优价"], 2.0, Typical, |_| Ok(book::array_level())),
    number("halves_read_whole", ["write two halves, read the whole", "分两半写入，整个读出"], 4.0, Typical, |_| Ok(memory::halves_read_whole())),
    number("l2_hit", ["L2 cache hit", "L2 缓存命中"], 7.0, List, |_| Ok(memory::l2())),
    number("branch_mispredict", ["branch mispredict", "分支预测失败"], 5.0, List, |_| Ok(memory::branch_mispredict())),
    number("l3_hit", ["L3 cache hit", "L3 缓存命中"], 15.0, Typical, |_| Ok(memory::l3())),
    number("vec_new", ["Vec::new, push, drop", "Vec::new、追加、释放"], 20.0, Typical, |_| Ok(memory::vec_new())),
    number("mutex", ["uncontended mutex, lock and unlock", "无竞争互斥锁，加锁并解锁"], 25.0, List, |_| Ok(threads::mutex())),
    number("clock_read", ["clock read, Instant::now", "读取时钟 Instant::now"], 25.0, Typical, |_| Ok(threads::clock_read())),
    number("btree_level_update", ["price level update, BTreeMap, with best price", "价格档更新：BTreeMap，含最优价"], 30.0, Typical, |_| Ok(book::btree_level())),
    number("ram_read", ["RAM random read", "内存随机读"], 100.0, List, |_| Ok(memory::ram())),
    number("cache_line_round_trip", ["cache line round trip between two cores", "缓存行在两核之间往返"], 100.0, Typical, |_| Ok(threads::cache_line())),
    number("system_call", ["small system call, file position", "小型系统调用：文件位置"], 100.0, Typical, disk::system_call),
    number("write_no_sync", ["append 24 bytes to a file, no sync", "向文件追加 24 字节，不落盘"], 1_000.0, Typical, disk::append),
    number("thread_hand_off", ["thread hand-off, park and unpark", "线程交接 park/unpark"], 5_000.0, Typical, |_| Ok(threads::hand_off())),
    number("random_read", ["random 4 KiB read from disk", "磁盘随机读 4 KiB"], 150_000.0, List, disk::random_read),
    number("unbatched_sync", ["unbatched sync, append 24 bytes and wait", "单条落盘：追加 24 字节并等待"], 150_000.0, Typical, disk::unbatched_sync),
    number("batched_sync", ["batched sync, per command of 1,024", "批量落盘，1,024 条命令中的每条"], 150.0, Typical, disk::batched_sync),
];
