//! All chapters, in the order of their numbers.

use std::fs;
use std::path::Path;

use crate::chapter::{Chapter, Kind};
use crate::error::CatalogueError;
use crate::manifest;

/// All chapters. They are consistent: numbers and packages are unique, and each comes after one that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    chapters: Vec<Chapter>,
}

impl Catalogue {
    /// Reads the manifests of all folders `0x…` in this folder of chapters.
    ///
    /// # Errors
    /// [`CatalogueError`] for the first file that can't be read or is invalid.
    pub fn read(folder: &Path) -> Result<Catalogue, CatalogueError> {
        let unreadable = |error| manifest::unreadable(folder, error);
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            names.push(entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned());
        }
        names.retain(|name| name.starts_with("0x"));
        let mut chapters =
            names.iter().map(|name| manifest::read(&folder.join(name))).collect::<Result<Vec<_>, _>>()?;
        chapters.sort_by(|a, b| (a.number, &a.folder).cmp(&(b.number, &b.folder)));
        for chapter in &chapters {
            if let Some(reason) = fault(chapter, &chapters) {
                return Err(CatalogueError::Manifest { path: folder.join(&chapter.folder).join("Cargo.toml"), reason });
            }
        }
        Ok(Catalogue { chapters })
    }

    /// All chapters, by their numbers.
    pub fn all(&self) -> &[Chapter] {
        &self.chapters
    }

    /// The rungs of the ladder, from the first to the last.
    pub fn engines(&self) -> impl DoubleEndedIterator<Item = &Chapter> {
        self.chapters.iter().filter(|chapter| chapter.is_engine())
    }

    /// The chapter of this name: `0x03`, `0x03-group-commit` or `ch03`.
    ///
    /// # Errors
    /// [`CatalogueError::Unknown`] with all existing names.
    pub fn find(&self, name: &str) -> Result<&Chapter, CatalogueError> {
        let known = || CatalogueError::Unknown { name: name.to_owned(), known: folders(self.chapters.iter()) };
        self.chapters.iter().find(|chapter| chapter.is_called(name)).ok_or_else(known)
    }

    /// The same, for a caller that wants to run it.
    ///
    /// # Errors
    /// [`CatalogueError::Unknown`], or [`CatalogueError::NoEngine`] when the chapter is not a rung of the
    /// ladder.
    pub fn find_engine(&self, name: &str) -> Result<&Chapter, CatalogueError> {
        let chapter = self.find(name)?;
        let none = || CatalogueError::NoEngine { name: chapter.folder.clone(), known: folders(self.engines()) };
        chapter.is_engine().then_some(chapter).ok_or_else(none)
    }

    /// The chapter that this subcommand of the tool measures.
    ///
    /// # Errors
    /// [`CatalogueError::Unmeasured`] when no manifest names it.
    pub fn find_verb(&self, verb: &str) -> Result<&Chapter, CatalogueError> {
        let measures = |chapter: &&Chapter| chapter.verb.as_deref() == Some(verb);
        self.chapters.iter().find(measures).ok_or_else(|| CatalogueError::Unmeasured { verb: verb.to_owned() })
    }

    /// The engine that this engine is a near-copy of. The first has none, and nothing else has one.
    pub fn engine_before(&self, chapter: &Chapter) -> Option<&Chapter> {
        let after = chapter.after.filter(|_| chapter.is_engine())?;
        self.engines().find(|other| other.number == after)
    }

    /// The steps from an engine to the next: before and after.
    pub fn steps(&self) -> impl Iterator<Item = (&Chapter, &Chapter)> {
        self.engines().filter_map(|after| Some((self.engine_before(after)?, after)))
    }
}

fn folders<'a>(chapters: impl Iterator<Item = &'a Chapter>) -> String {
    chapters.map(|chapter| chapter.folder.as_str()).collect::<Vec<_>>().join(", ")
}

/// What is wrong with a chapter compared with the others.
fn fault(chapter: &Chapter, all: &[Chapter]) -> Option<String> {
    // Chapters are sorted: if two share something, the second is reported.
    let mut others = all.iter().take_while(|other| other.folder != chapter.folder);
    if let Some(other) = others.find(|other| other.number == chapter.number || other.package == chapter.package) {
        return Some(format!(
            "{} has the number {} and the package {} already; rename one of them",
            other.folder, other.number, other.package
        ));
    }
    let Some(after) = chapter.after else {
        let first = all.first().map_or("", |first| &first.folder);
        return (chapter.folder != first)
            .then(|| format!("it has no `after`; only the first chapter, {first}, comes after none"));
    };
    let Some(before) = all.iter().find(|other| other.number == after) else {
        return Some(format!("`after` is {after}, but there is no such chapter; there are {}", folders(all.iter())));
    };
    // A ladder: a rung on a service or a study would be compared with something that has other events.
    let kind = match before.kind {
        Kind::Service => "service",
        Kind::Study => "study",
        Kind::Contract | Kind::Engine => return None,
    };
    chapter.is_engine().then(|| format!("it is an engine, but `after` names {}, a {kind}", before.folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chapter::Number;

    /// The catalogue of a made-up tree: folders, and the lines of their entries that differ from a valid one.
    fn read(chapters: &[(&str, &str)]) -> Result<Catalogue, String> {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for (folder, lines) in chapters {
            let folder = dir.path().join(folder);
            fs::create_dir_all(folder.join("src")).expect("written");
            fs::write(folder.join("src/lib.rs"), "").expect("written");
            let number = folder.file_name().map_or(String::new(), |name| name.to_string_lossy()[2..4].to_owned());
            let mut text = format!("[package]\nname = \"ch{number}\"\n[package.metadata.chapter]\n");
            let sound = [
                "part = 1",
                "kind = \"engine\"",
                "title = { en = \"e\", zh = \"z\" }",
                "lesson = \"src/lib.rs\"",
                "budget = 0",
            ];
            let key = |line: &str| line.split(" =").next().unwrap_or_default().to_owned();
            let said = |line: &&&str| !lines.lines().any(|own| key(own).trim_start_matches('-') == key(line));
            text += &format!("number = 0x{number}\n");
            sound.iter().filter(said).for_each(|line| text += &format!("{line}\n"));
            lines.lines().filter(|line| !line.starts_with('-')).for_each(|line| text += &format!("{line}\n"));
            fs::write(folder.join("Cargo.toml"), text).expect("written");
        }
        fs::create_dir_all(dir.path().join("lab")).expect("written");
        Catalogue::read(dir.path()).map_err(|error| error.to_string())
    }

    const CONTRACT: (&str, &str) = ("0x00-market", "kind = \"contract\"\n-budget");

    fn refused(chapters: &[(&str, &str)], words: &[&str]) {
        let said = read(chapters).expect_err("this can't be");
        for words in words {
            assert!(said.contains(words), "{said}\nlacks {words:?}");
        }
    }

    #[test]
    fn chapters_are_found_by_any_of_their_names() {
        let all = read(&[
            CONTRACT,
            ("0x0a-ten", "after = 0x00\nshards = true"),
            ("0x0b-door", "after = 0x0a\nkind = \"service\"\n-budget"),
        ]);
        let all = all.expect("sound");
        for name in ["0x0a", "0x0a-ten", "ch0a"] {
            assert_eq!(all.find(name).expect("found").number, Number(0x0a));
        }
        let said = all.find("0x0").expect_err("no such chapter").to_string();
        assert!(said.contains("\"0x0\"") && said.contains("0x0a-ten"), "{said}");
        let said = all.find_engine("0x0b").expect_err("a service").to_string();
        assert!(said.contains("0x0b-door has no engine") && said.contains("0x0a-ten"), "{said}");
        assert!(all.find_engine("ch0a").expect("an engine").shards);
    }

    #[test]
    fn a_verb_of_the_tool_leads_to_its_chapter() {
        let all = read(&[CONTRACT, ("0x01-a", "after = 0x00\nverb = \"weigh\"")]).expect("sound");
        assert_eq!(all.find_verb("weigh").expect("found").folder, "0x01-a");
        let said = all.find_verb("sing").expect_err("no chapter sings").to_string();
        assert!(said.contains("sing measures no chapter"), "{said}");
    }

    #[test]
    fn steps_are_between_engines_alone() {
        let service = "after = 0x02\nkind = \"service\"\n-budget";
        let study = "after = 0x02\nkind = \"study\"\n-budget";
        let engines = [CONTRACT, ("0x01-a", "after = 0x00"), ("0x02-b", "after = 0x01")];
        let all = [&engines[..], &[("0x08-c", service), ("0x0f-d", study)]].concat();
        let all = read(&all).expect("sound");
        let steps: Vec<_> = all.steps().map(|(before, after)| (before.number.0, after.number.0)).collect();
        assert_eq!(steps, [(1, 2)]);
        assert_eq!(all.engines().count(), 2);
        assert_eq!(all.engine_before(&all.all()[3]), None);
        assert_eq!(all.engine_before(&all.all()[4]), None);
        assert!(all.find_engine("0x0f").is_err());
    }

    #[test]
    fn mistakes_in_a_manifest_are_reported_with_its_file() {
        let one = |lines| [CONTRACT, ("0x01-a", lines)];
        let file = "0x01-a/Cargo.toml";
        refused(&one("after = 0x00\nkind = \"engin\""), &[file, "engin", "`service`"]);
        refused(&one("after = 0x00\n-title"), &[file, "missing field `title`"]);
        refused(&one("after = 0x00\ntitle = { en = \"a\" }"), &[file, "missing field `zh`"]);
        refused(&one("after = 0x00\ntitle = { en = \"a\", zh = \" \" }"), &[file, "both languages"]);
        refused(&one("after = 0x00\npart = 3"), &[file, "part 1 and part 2"]);
        refused(&one("after = 0x00\nlesson = \"src/gone.rs\""), &[file, "`lesson` names src/gone.rs"]);
        refused(&one("after = 0x00\n-budget"), &[file, "no `budget`"]);
        refused(&one("after = 0x00\nkind = \"service\""), &[file, "only an engine"]);
        refused(&one("after = 0x00\nshard = true"), &[file, "unknown field `shard`"]);
        refused(&one("after = 0x01"), &[file, "does not come before 0x01"]);
        refused(&one(""), &[file, "no `after`", "0x00-market"]);
    }

    #[test]
    fn chapters_that_do_not_fit_together_are_reported() {
        let after_nothing = [CONTRACT, ("0x01-a", "after = 0x00"), ("0x03-b", "after = 0x02")];
        refused(&after_nothing, &["0x03-b/Cargo.toml", "`after` is 0x02", "there are 0x00-market, 0x01-a"]);
        let twice = [CONTRACT, ("0x01-a", "after = 0x00"), ("0x01-b", "after = 0x00")];
        refused(&twice, &["0x01-b/Cargo.toml", "0x01-a has the number 0x01"]);
        let service = "after = 0x00\nkind = \"service\"\n-budget";
        let on_a_service = [CONTRACT, ("0x01-a", service), ("0x02-b", "after = 0x01")];
        refused(&on_a_service, &["0x02-b/Cargo.toml", "0x01-a, a service"]);
        let study = "after = 0x00\nkind = \"study\"\n-budget";
        let on_a_study = [CONTRACT, ("0x01-a", study), ("0x02-b", "after = 0x01")];
        refused(&on_a_study, &["0x02-b/Cargo.toml", "0x01-a, a study"]);
    }

    #[test]
    fn a_folder_without_the_table_and_one_without_a_manifest_are_reported() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(dir.path().join("0x01-a")).expect("written");
        let said = Catalogue::read(dir.path()).expect_err("no manifest").to_string();
        assert!(said.contains("cannot read") && said.contains("0x01-a"), "{said}");
        fs::write(dir.path().join("0x01-a/Cargo.toml"), "[package]\nname = \"ch01\"\n").expect("written");
        let said = Catalogue::read(dir.path()).expect_err("no table").to_string();
        assert!(said.contains("has no `[package.metadata.chapter]`"), "{said}");
    }

    #[test]
    fn the_repositorys_own_manifests_are_sound() {
        let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let all = Catalogue::read(&chapters).expect("sound");
        assert_eq!(all.all()[0].kind, Kind::Contract);
        assert!(all.engines().count() >= 7 && all.steps().count() + 1 == all.engines().count());
    }
}
