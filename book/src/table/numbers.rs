//! `{{table numbers}}`: how long the basic operations take here, beside what is commonly quoted.

use crate::format::duration;
use crate::html::escape;
use crate::lang::Lang;
use crate::sources::Sources;
use crate::table::cells::{caption, pair, row, wrap};
use results::record::{NumberRecord, NumbersRecord};

/// The table of the basic operations.
pub(super) fn table(s: &Sources, lang: Lang) -> Result<String, String> {
    let record: NumbersRecord = s.reference.load()?;
    let own: Option<NumbersRecord> = s.own.load().ok();
    let measured = |number: &NumberRecord| number.measured.as_ref().map(|measured| duration(measured.median_ns, 2));
    let mut rows = String::new();
    for number in &record.numbers {
        let yours = own.as_ref().map(|own| {
            let same = own.numbers.iter().find(|other| other.id == number.id);
            same.and_then(measured).unwrap_or_default()
        });
        let (name, scaled) = lang.pick((&number.name_en, &number.scaled_en), (&number.name_zh, &number.scaled_zh));
        let quoted = duration(number.reference_ns, 2);
        let cells = pair(measured(number).as_deref(), yours.as_deref(), lang);
        rows += &row(&escape(name), &format!("{cells}<td>{quoted}</td><td>{}</td>", escape(scaled)));
    }
    let heads = lang.pick(["measured", "commonly quoted", "if 1 ns were 1 s"], ["实测", "通行说法", "若 1 ns 是 1 秒"]);
    Ok(wrap(&caption(&record, own.as_ref(), lang), lang.pick("operation", "操作"), &heads, &rows))
}
