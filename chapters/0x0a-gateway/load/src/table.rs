//! The results of a load, and whether they count.

use comfy_table::Cell;
use results::language::Language;
use results::record::LoadRecord;
use results::units::count_text;

use crate::cells::{ms, right, table};

/// The figures, and the verdict.
pub fn text(record: &LoadRecord, language: Language) -> String {
    let head = language.pick(
        ["engine", "connections", "cancels", "offered/s", "answered/s", "p50", "p99", "p99.9", "server", "load"],
        ["引擎", "连接", "撤单", "每秒供单", "每秒应答", "p50", "p99", "p99.9", "服务端", "压测端"],
    );
    let late = &record.late;
    let count = |count: f64| right(count_text(count, language));
    let cores = |cores: Option<f64>| {
        right(cores.map_or("-".into(), |cores| format!("{cores:.2} {}", language.pick("cores", "核"))))
    };
    let mut table = table(&head);
    table.add_row([
        Cell::new(&record.engine),
        count(record.connections as f64),
        right(format!("{} %", record.cancels)),
        count(late.offered_per_s as f64),
        count(late.achieved_per_s),
        ms(late.p50_ms, language),
        ms(late.p99_ms, language),
        ms(late.p999_ms, language),
        cores(record.server_cores),
        cores(late.load.as_ref().and_then(|load| load.cores)),
    ]);
    let verdict = match record.is_void() {
        false => language.pick(
            "Each wait began when its request was due, and ended with the answer, which means that the command is on disk.",
            "每次等待从请求该到的时刻算起，到落盘的应答为止。",
        ),
        true => language.pick(
            "VOID: the load itself was the limit. Choose a lower --rate, or use a machine with more cores.",
            "作废：压测端自己就是瓶颈。把 --rate 调低，或者换一台核更多的机器。",
        ),
    };
    format!("{table}\n{verdict}")
}
