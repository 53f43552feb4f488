//! `{{table stages 0x02}}`: where an order's time goes in one chapter.

use crate::format::{Format, duration};
use crate::lang::Lang;
use crate::sources::Sources;
use crate::table::cells::{caption, pair, row, wrap};
use market::engine::Stage;
use results::language::Language;
use results::record::{LadderRecord, Stages};
use results::words::stage_words;

/// The table of one chapter.
pub(super) fn table(s: &Sources, lang: Lang, chapter: &str) -> Result<String, String> {
    let folder = &s.chapters.find(chapter).map_err(|e| e.to_string())?.folder;
    let record: LadderRecord = s.reference.load()?;
    let times = times(&record, folder).ok_or_else(|| format!("the ladder's record has no stages of {folder}"))?;
    let own: Option<LadderRecord> = s.own.load().ok();
    let yours = own.as_ref().and_then(|own| self::times(own, folder));
    let language = lang.pick(Language::English, Language::Chinese);
    let mut rows = String::new();
    for stage in Stage::ALL {
        let time = |times: Stages| duration(times.of(stage), 3);
        let share = |times: Stages| Format::Percent(2).number(times.of(stage) / times.total(), lang);
        let cells = [&time as &dyn Fn(Stages) -> String, &share]
            .map(|show| pair(Some(&show(times)), yours.map(show).as_deref(), lang));
        rows += &row(stage_words(stage, language), &cells.concat());
    }
    let heads = [lang.pick("time per order", "每单耗时"), lang.pick("share", "占比")];
    let caption = caption(&record, None::<&LadderRecord>, lang);
    Ok(wrap(&caption, lang.pick("stage", "阶段"), &heads, &rows))
}

fn times(record: &LadderRecord, folder: &str) -> Option<Stages> {
    record.chapters.iter().find(|chapter| chapter.chapter == folder)?.stages_ns
}
