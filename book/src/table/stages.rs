//! `{{table stages 0x02}}`: where an order's time goes in one chapter.

use crate::figure::Figure;
use crate::format::Format;
use crate::sources::Sources;
use crate::table::cells::{Cells, row};
use market::engine::Stage;
use results::language::Language;
use results::record::LadderRecord;
use results::words::stage_words;

/// The table of one chapter.
pub(super) fn table(s: &Sources, lang: Language, chapter: &str) -> Result<String, String> {
    let folder = &s.chapters.find(chapter).map_err(|e| e.to_string())?.folder;
    let record: LadderRecord = s.reference.load()?;
    if !record.chapters.iter().any(|chapter| &chapter.chapter == folder && chapter.stages_ns.is_some()) {
        return Err(format!("the ladder's record has no stages of {folder}"));
    }
    let stages = format!("chapters[chapter={folder}].stages_ns");
    let cells = Cells::new::<LadderRecord>(s, lang, &stages);
    let at = |stage: Stage| format!("ladder:{stages}.{}", stage.key());
    let mut rows = String::new();
    for stage in Stage::ALL {
        let time = Figure::of(at(stage), Format::Time { unit_ns: 1, digits: 3 });
        let share = Figure::of(at(stage), Format::Percent(2)).over(Stage::ALL.map(at));
        rows += &row(stage_words(stage, lang), &[time, share].map(|figure| cells.cell(&[figure])).concat());
    }
    let heads = [lang.pick("time per order", "每单耗时"), lang.pick("share", "占比")];
    Ok(cells.wrap(&cells.caption(), lang.pick("stage", "阶段"), &heads, &rows))
}
