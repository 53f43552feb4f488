//! `{{table machine}}`: the machine that the reference figures come from, and the reader's beside it.

use crate::html::escape;
use crate::lang::Lang;
use crate::sources::Sources;
use crate::table::cells::{pair, row, wrap};
use results::machine::Machine;
use results::record::LadderRecord;

/// A part of a machine in words, where it is known.
type Part = fn(&Machine) -> Option<String>;

/// The machine's parts in the order in which they matter, in both languages.
const PARTS: [(&str, &str, Part); 9] = [
    ("CPU", "CPU", |machine| Some(escape(&machine.cpu))),
    ("cores", "核数", |machine| Some(machine.cores.to_string())),
    ("memory", "内存", |machine| machine.memory_bytes.map(gibibytes)),
    ("disk", "磁盘", |machine| Some(escape(&machine.disk))),
    ("filesystem", "文件系统", |machine| Some(escape(&machine.filesystem))),
    ("kernel", "内核", |machine| Some(escape(&machine.kernel))),
    ("compiler", "编译器", |machine| Some(escape(&machine.compiler))),
    ("system", "操作系统", |machine| Some(escape(&machine.os))),
    ("architecture", "指令集", |machine| Some(escape(&machine.arch))),
];

/// The table of the machine.
pub(super) fn table(s: &Sources, lang: Lang) -> Result<String, String> {
    let record: LadderRecord = s.reference.load()?;
    let own: Option<LadderRecord> = s.own.load().ok();
    let mut rows = String::new();
    for (en, zh, part) in PARTS {
        let yours = own.as_ref().map(|own| part(&own.machine).unwrap_or_default());
        if let Some(reference) = part(&record.machine) {
            rows += &row(lang.pick(en, zh), &pair(Some(&reference), yours.as_deref(), lang));
        }
    }
    let heads = [lang.pick("reference machine", "参考机器")];
    Ok(wrap("", lang.pick("part", "部件"), &heads, &rows))
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.0}\u{a0}GiB", bytes as f64 / f64::from(1_u32 << 30))
}
