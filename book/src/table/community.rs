//! `{{table community}}`: the machines that readers sent records from, beside the reference machine. Without a record, a
//! sentence that says so.

use crate::format::Format;
use crate::html::escape;
use crate::sources::Sources;
use results::community;
use results::language::Language;
use results::record::LadderRecord;

/// Chapters with a column each.
const SPEEDS: [&str; 3] = ["0x01-naive", "0x05-array-book", "0x06-pinned-ring"];

/// Pairs of chapters with a column for the gain of the first over the second.
const GAINS: [[&str; 2]; 2] = [["0x03-group-commit", "0x02-perf-metrics"], ["0x06-pinned-ring", "0x05-array-book"]];

/// The table of all machines.
pub(super) fn table(s: &Sources, lang: Language) -> Result<String, String> {
    let read = |file| community::read(file, &s.chapters).map_err(|error| error.to_string());
    let sent: Vec<LadderRecord> =
        community::files(s.project.root()).iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    if sent.is_empty() {
        let words = lang.pick(
            "No reader has sent a record yet, so there is no table here. Yours would be the first.",
            "还没有读者寄来记录，所以这里没有表。你的会是第一份。",
        );
        return Ok(format!("<p class=\"empty\">{words}</p>\n"));
    }
    let reference: LadderRecord = s.reference.load()?;
    let rows: String = std::iter::once(&reference).chain(&sent).map(|record| row(record, lang)).collect();
    let number = |chapter: &'static str| chapter.split('-').next().unwrap_or(chapter);
    let heads = SPEEDS.map(|chapter| number(chapter).to_owned()).into_iter();
    let heads = heads.chain(GAINS.map(|[above, below]| format!("{} ÷ {}", number(above), number(below))));
    let heads: String = heads.map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    let (corner, caption) = lang.pick(
        ("machine", "The reference machine stands first. Compare the gains; the rest depends on the machine."),
        ("机器", "第一行是参考机器。可以比的是倍数，其余取决于机器。"),
    );
    Ok(format!(
        "<div class=\"table-wrapper record versions\"><table><caption>{caption}</caption><thead><tr><th scope=\"col\">{corner}</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>\n"
    ))
}

fn row(record: &LadderRecord, lang: Language) -> String {
    let median = |chapter: &str| {
        let found = record.chapters.iter().find(|known| known.chapter == chapter);
        found.map(|found| found.orders_per_s.median)
    };
    let speeds = SPEEDS.into_iter().map(|chapter| median(chapter).map(|speed| Format::Si(3).number(speed, lang)));
    let gains =
        GAINS.into_iter().map(|[above, below]| Some(Format::Times(2).number(median(above)? / median(below)?, lang)));
    let cells: String =
        speeds.chain(gains).map(|cell| format!("<td>{}</td>", escape(&cell.unwrap_or("–".into())))).collect();
    let commit: String = record.commit.chars().take(12).collect();
    format!(
        "<tr><th scope=\"row\">{}<span class=\"title\"><code>{}</code></span></th>{cells}</tr>",
        escape(&record.machine.summary()),
        escape(&commit)
    )
}
