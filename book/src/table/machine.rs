//! `{{table machine}}`: the machine that the reference figures come from, and the reader's beside it.

use crate::figure::Figure;
use crate::format::Format;
use crate::sources::Sources;
use crate::table::cells::{Cells, row};
use results::language::Language;
use results::record::LadderRecord;

/// The machine's parts in the order of importance, in both languages.
const PARTS: [(&str, &str, &str, Format); 9] = [
    ("CPU", "CPU", "cpu", Format::Raw),
    ("cores", "核数", "cores", Format::Raw),
    ("memory", "内存", "memory_bytes", Format::Gibibytes),
    ("disk", "磁盘", "disk", Format::Raw),
    ("filesystem", "文件系统", "filesystem", Format::Raw),
    ("kernel", "内核", "kernel", Format::Raw),
    ("compiler", "编译器", "compiler", Format::Raw),
    ("system", "操作系统", "os", Format::Raw),
    ("architecture", "指令集", "arch", Format::Raw),
];

/// The table of the machine.
pub(super) fn table(s: &Sources, lang: Language) -> Result<String, String> {
    s.reference.load::<LadderRecord>()?;
    let cells = Cells::new::<LadderRecord>(s, lang, "machine");
    let mut rows = String::new();
    for (en, zh, part, format) in PARTS {
        let figure = Figure::of(format!("ladder:machine.{part}"), format);
        if cells.has(&figure) {
            rows += &row(lang.pick(en, zh), &cells.cell(&[figure]));
        }
    }
    let heads = [lang.pick("reference machine", "参考机器")];
    Ok(cells.wrap("", lang.pick("part", "部件"), &heads, &rows))
}
