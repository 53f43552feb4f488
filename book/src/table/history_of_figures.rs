//! `{{table history-of-figures}}`: the ladder at each commit that measured it, with what was changed before it. The
//! sentences are in `book/history-of-figures.toml`, by the commit that was measured.

use crate::format::{Format, duration};
use crate::html::escape;
use crate::sentences::{self, Sentences, VERSIONS};
use crate::sources::Sources;
use results::language::Language;
use results::record::{HistoryOfFigures, LadderVersion};
use std::path::Path;

/// The two chapters with columns of their own: the last on one thread, and the first on several.
const SHOWN: [&str; 2] = ["0x05-array-book", "0x06-pinned-ring"];

/// The columns, in both languages.
const COLUMNS: [(&str, &str); 6] = [
    ("a sync", "一次落盘"),
    ("fixed loop", "固定循环"),
    ("0x05", "0x05"),
    ("0x06", "0x06"),
    ("0x06 ÷ 0x05", "0x06 ÷ 0x05"),
    ("faster than before", "比之前快的章"),
];

/// The table of all versions.
pub(super) fn table(s: &Sources, lang: Language) -> Result<String, String> {
    let history: HistoryOfFigures = s.reference.load()?;
    let said = sentences::read(&s.project, Path::new(VERSIONS))?;
    explained(&history, &said)?;
    let machines = history.machines();
    let mut rows = String::new();
    for (at, version) in history.versions.iter().enumerate() {
        if at == 0 || machines[at - 1] != machines[at] {
            rows += &machine_row(version, machines[at], lang);
        }
        rows += &version_row(&history, at, &said, lang);
    }
    let corner = lang.pick("measured", "测量的版本");
    let heads: String =
        COLUMNS.iter().map(|(en, zh)| format!("<th scope=\"col\">{}</th>", lang.pick(en, zh))).collect();
    Ok(format!(
        "<div class=\"table-wrapper record versions\"><table><thead><tr><th scope=\"col\">{corner}</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>\n"
    ))
}

/// Checks that each version has its sentence, and each sentence its version.
fn explained(history: &HistoryOfFigures, said: &Sentences) -> Result<(), String> {
    let digits = |version: &'_ LadderVersion| version.digits().to_owned();
    if let Some(version) = history.versions.iter().map(digits).find(|version| said.get(version).is_none()) {
        return Err(format!("{VERSIONS} does not say what was changed before {version} was measured"));
    }
    let idle = said.0.iter().find(|(commit, _)| history.versions.iter().all(|version| version.digits() != commit));
    idle.map_or(Ok(()), |(commit, _)| Err(format!("{VERSIONS} has a sentence for {commit}, which is no version")))
}

/// A line over the versions of one machine.
fn machine_row(version: &LadderVersion, machine: usize, lang: Language) -> String {
    let letter = char::from(b'A' + (machine % 26) as u8);
    let (name, join) = lang.pick(("machine", ": "), ("机器", "："));
    let (kernel, comma) = (lang.pick("kernel", "内核"), lang.pick(", ", "，"));
    let words = format!("{}{comma}{kernel} {}", version.machine.summary(), version.machine.kernel);
    format!("<tr><th scope=\"rowgroup\" colspan=\"7\">{name} {letter}{join}{}</th></tr>", escape(&words))
}

fn version_row(history: &HistoryOfFigures, at: usize, said: &Sentences, lang: Language) -> String {
    let version = &history.versions[at];
    let sentence = said.get(version.digits()).map_or("", |sentence| lang.pick(&sentence.en, &sentence.zh));
    let date = version.date.as_ref().map_or(String::new(), |date| format!("{} ", escape(date)));
    let median = |chapter: &str| version.orders_per_s.get(chapter).map(|speed| speed.median);
    let [one_thread, several] = SHOWN.map(median);
    let ratio =
        several.zip(one_thread).map(|(several, one_thread)| Format::Times(2).number(several / one_thread, lang));
    let probed = [version.probe.map(|probe| probe.sync_ns), version.probe.map(|probe| probe.spin_ns)];
    let times = probed.into_iter().map(|ns| ns.map(|ns| duration(ns, 3)));
    let speeds = [one_thread, several].into_iter().map(|speed| speed.map(|speed| Format::Si(3).number(speed, lang)));
    let cells = times.chain(speeds).chain([ratio, faster(history, at, lang)]);
    let cells: String = cells.map(|cell| format!("<td>{}</td>", escape(&cell.unwrap_or("–".into())))).collect();
    let commit: String = version.commit.chars().take(12).collect();
    format!(
        "<tr><th scope=\"row\">{date}<code>{}</code><span class=\"title\">{}</span></th>{cells}</tr>",
        escape(&commit),
        escape(sentence)
    )
}

/// The numbers of the chapters that are faster than before on this machine.
fn faster(history: &HistoryOfFigures, at: usize, lang: Language) -> Option<String> {
    let faster = history.faster(at)?;
    let numbers: Vec<&str> = faster.iter().filter_map(|chapter| chapter.split('-').next()).collect();
    Some(match numbers.len() {
        0 => lang.pick("none", "没有").to_owned(),
        all if all == history.versions[at].orders_per_s.len() => lang.pick("all", "全部").to_owned(),
        _ => numbers.join(lang.pick(", ", "、")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentences::Sentence;

    #[test]
    fn a_version_without_a_sentence_and_a_sentence_without_a_version_are_refused() {
        let version = LadderVersion {
            commit: "0a1b+dirty".into(),
            date: None,
            machine: Default::default(),
            rounds: 1,
            probe: None,
            orders_per_s: Default::default(),
        };
        let history = HistoryOfFigures { versions: vec![version] };
        let said = |commits: &[&str]| {
            let sentence = || Sentence { en: "a".into(), zh: "甲".into() };
            Sentences(commits.iter().map(|commit| ((*commit).to_owned(), sentence())).collect())
        };
        assert_eq!(explained(&history, &said(&["0a1b"])), Ok(()));
        assert!(explained(&history, &said(&[])).is_err_and(|reason| reason.contains("0a1b was measured")));
        assert!(explained(&history, &said(&["0a1b", "ffff"])).is_err_and(|reason| reason.contains("for ffff")));
    }
}
