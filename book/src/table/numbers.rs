//! `{{table numbers}}`: how long the basic operations take here, beside what is commonly quoted.

use crate::figure::Figure;
use crate::format::{Format, duration};
use crate::html::escape;
use crate::sources::Sources;
use crate::table::cells::{Cells, row};
use results::language::Language;
use results::record::NumbersRecord;

/// The table of the basic operations.
pub(super) fn table(s: &Sources, lang: Language) -> Result<String, String> {
    let record: NumbersRecord = s.reference.load()?;
    let cells = Cells::new::<NumbersRecord>(s, lang, "numbers");
    let mut rows = String::new();
    for number in &record.numbers {
        let measured = format!("numbers:numbers[id={}].measured.median_ns", number.id);
        let measured = cells.cell(&[Figure::of(measured, Format::Time { unit_ns: 1, digits: 2 })]);
        let (name, scaled) = lang.pick((&number.name_en, &number.scaled_en), (&number.name_zh, &number.scaled_zh));
        let quoted = duration(number.reference_ns, 2);
        rows += &row(&escape(name), &format!("{measured}<td>{quoted}</td><td>{}</td>", escape(scaled)));
    }
    let heads = lang.pick(["measured", "commonly quoted", "if 1 ns were 1 s"], ["实测", "通行说法", "若 1 ns 是 1 秒"]);
    Ok(cells.wrap(&cells.caption(), lang.pick("operation", "操作"), &heads, &rows))
}
