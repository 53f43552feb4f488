//! The figures of a chart as a table, for a record that a reader drops in the page: no script draws the chart anew, so
//! theirs stand under ours here. It is hidden until then.

use crate::figure::Figure;
use crate::format::Format;
use crate::lang::Lang;
use crate::sources::Sources;
use crate::table::cells::{Cells, row, spread};
use crate::table::ladder::{gains, latency, name};
use market::engine::Stage;
use results::language::Language;
use results::record::{FeedRecord, LadderRecord, Record, ScaleRecord, SweepRecord};
use results::words::stage_words;

const NS: Format = Format::Time { unit_ns: 1, digits: 3 };
const MS: Format = Format::Time { unit_ns: 1_000_000, digits: 3 };

/// The table of the chart `chart`; nothing for one whose record the book does not know.
pub fn table(s: &Sources, lang: Lang, chart: &str) -> Result<String, String> {
    match chart {
        "throughput" | "gain" | "latency" | "stages" => ladder(s, lang, chart),
        "sweep" => sweep(s, lang),
        "scale" => scale(s, lang),
        "feed-event" | "feed-last" => feed(s, lang, chart),
        _ => Ok(String::new()),
    }
}

/// A table in its hidden box. `heads` are the corner and the columns.
fn boxed<R: Record>(
    s: &Sources,
    lang: Lang,
    gate: &str,
    heads: &[&str],
    rows: impl Iterator<Item = (String, Vec<Vec<Figure>>)>,
) -> String {
    let cells = Cells::new::<R>(s, lang, gate);
    let rows = rows.map(|(head, figures)| {
        let row_cells: String = figures.iter().map(|figures| cells.cell(figures)).collect();
        row(&head, &row_cells)
    });
    let told = lang.pick("The chart's figures, yours under ours.", "图里的数字，你的排在参考的下面。");
    let caption = format!("<span>{told}</span> {}", cells.caption());
    let rows: String = rows.collect();
    let table = cells.wrap(&caption, heads[0], &heads[1..], &rows);
    table.replacen("<div class=\"table-wrapper record\">", "<div class=\"table-wrapper record charted\" hidden>", 1)
}

fn ladder(s: &Sources, lang: Lang, chart: &str) -> Result<String, String> {
    let record: LadderRecord = s.reference.load()?;
    let chapters: Vec<&str> = record.chapters.iter().map(|chapter| chapter.chapter.as_str()).collect();
    let language = lang.pick(Language::English, Language::Chinese);
    let heads: Vec<&str> = match chart {
        "throughput" => vec![lang.pick("orders/s", "订单/秒")],
        "gain" => vec![lang.pick("× previous", "是上一章的"), lang.pick("× first", "是第一章的")],
        "latency" => vec!["p50", "p99", "p99.9", lang.pick("max", "最大")],
        _ => Stage::ALL.map(|stage| stage_words(stage, language)).to_vec(),
    };
    let of = |at: usize, folder: &str| -> Vec<Vec<Figure>> {
        let path = format!("ladder:chapters[chapter={folder}]");
        match chart {
            "throughput" => vec![spread(&format!("{path}.orders_per_s"), Format::Si(3)).to_vec()],
            "gain" => gains(&chapters, at).map(Vec::from_iter).to_vec(),
            "latency" => ["p50", "p99", "p999", "max"].map(|of| vec![latency(folder, of)]).to_vec(),
            _ => Stage::ALL.map(|stage| vec![Figure::of(format!("{path}.stages_ns.{}", stage.key()), NS)]).to_vec(),
        }
    };
    let shown = record.chapters.iter().enumerate().filter(|(_, chapter)| match chart {
        "latency" => chapter.latency_ns.is_some(),
        "stages" => chapter.stages_ns.is_some(),
        _ => true,
    });
    let rows = shown.map(|(at, chapter)| (name(s, lang, &chapter.chapter), of(at, &chapter.chapter)));
    let heads = [vec![lang.pick("chapter", "章节")], heads].concat();
    Ok(boxed::<LadderRecord>(s, lang, "chapters", &heads, rows))
}

fn sweep(s: &Sources, lang: Lang) -> Result<String, String> {
    let record: SweepRecord = s.reference.load()?;
    let rows = record.sizes.iter().map(|size| {
        let path = format!("sweep:sizes[batch={}]", size.batch);
        let of = |key: &str, format| spread(&format!("{path}.{key}"), format).to_vec();
        (size.batch.to_string(), vec![of("orders_per_s", Format::Si(3)), of("p50_ns", NS), of("p99_ns", NS)])
    });
    let heads = [lang.pick("batch", "批次"), lang.pick("orders/s", "订单/秒"), "p50", "p99"];
    Ok(boxed::<SweepRecord>(s, lang, "sizes", &heads, rows))
}

fn scale(s: &Sources, lang: Lang) -> Result<String, String> {
    let record: ScaleRecord = s.reference.load()?;
    let rows = record.shards.iter().map(|shards| {
        let path = format!("scale:shards[shards={}].orders_per_s", shards.shards);
        (shards.shards.to_string(), vec![spread(&path, Format::Si(3)).to_vec()])
    });
    let heads = [lang.pick("shards", "分片"), lang.pick("orders/s", "订单/秒")];
    Ok(boxed::<ScaleRecord>(s, lang, "shards", &heads, rows))
}

fn feed(s: &Sources, lang: Lang, chart: &str) -> Result<String, String> {
    let record: FeedRecord = s.reference.load()?;
    let of_event = chart == "feed-event";
    let rows = record.cases.iter().map(|case| {
        let figures = ["mask", "channels"].map(|way| {
            let path = format!("feed:cases[name={}].{way}", case.name);
            if of_event {
                vec![spread(&format!("{path}.event_ns"), NS).to_vec()]
            } else {
                let late = |of: &str| vec![Figure::of(format!("{path}.from_acknowledgement.{of}"), MS)];
                vec![late("p50_ms"), late("p99_ms")]
            }
        });
        (case.readers.to_string(), figures.concat())
    });
    let (mask, channels) = (lang.pick("a mask", "掩码"), lang.pick("a channel each", "各一条通道"));
    let late = [mask, channels].map(|way| ["p50", "p99"].map(|of| format!("{way}, {of}")));
    let late: Vec<String> = late.concat();
    let readers = lang.pick("readers", "读者");
    let heads = if of_event {
        vec![readers, mask, channels]
    } else {
        [readers].into_iter().chain(late.iter().map(String::as_str)).collect()
    };
    Ok(boxed::<FeedRecord>(s, lang, "cases", &heads, rows))
}
