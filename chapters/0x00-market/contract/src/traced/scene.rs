//! A scene: what a program did, and how the states that a crash may leave of it are judged.

use std::path::{Path, PathBuf};
use std::thread;

use runner::Chapter;

use super::judge::{History, Reshard};
use super::planted::Mistake;
use super::recording::{Recording, Stage};
use super::search::{Effort, Found, Judge, Which, search};
use super::steps::Step;

/// A recording, and how the states that may be left of it are judged.
pub struct Scene<C> {
    pub name: &'static str,
    pub history: History<C>,
    /// How many commands of each shard had been promised before.
    pub promised: Vec<usize>,
    pub data_dir: PathBuf,
    pub recording: Recording,
    pub judged: Judged,
}

/// What a state must lead to.
pub enum Judged {
    /// Everything that was promised is recovered.
    ComesBack,
    /// Everything that was promised is recovered, though parts of the log are gone.
    ComesBackWithoutAll,
    /// The engine refuses, and nothing has changed.
    IsRefused,
    /// The directory ends up with this many shards, perhaps after a second resharding.
    IsResharded(u16, Reshard),
}

impl<C: Chapter> Scene<C> {
    /// Tests the states of the recording, as many as were asked for.
    pub fn look(&self, test: &str, program: &str) {
        let only = std::env::var("CRASH_STATE").ok();
        let only = only.map(|text| Which::parse(&text).expect("CRASH_STATE is `seed` or `moment.number`"));
        let effort = only.map_or_else(Effort::asked, Effort::Only);
        let mistake = std::env::var("CRASH_MISTAKE").ok();
        let known = || format!("CRASH_MISTAKE is one of {:?}", Mistake::ALL);
        let planted = mistake.as_ref().map(|name| Mistake::named(name).unwrap_or_else(|| panic!("{}", known())));
        let steps = &self.recording.steps;
        let steps = planted.map_or(steps.clone(), |mistake| mistake.plant(steps, &self.data_dir));
        let (kept, package) = (place(program, self.name), std::env::var("CARGO_PKG_NAME").unwrap_or_default());
        // Kept before it is known to be needed: a program that hangs can't do it later.
        if only.is_none() {
            self.recording.keep(&kept);
        }
        let mistake = mistake.map_or(String::new(), |name| format!("CRASH_MISTAKE={name} "));
        let (name, kept, test) = (self.name, kept.display().to_string(), test.to_string());
        let told = move |which: Which, complaint: &str| {
            format!(
                "{name}, state {which}: {complaint}\nreplay it with: CRASH_RECORDING={kept} CRASH_STATE={which} \
                 {mistake}cargo test -p {package} {test} -- --exact"
            )
        };
        let hangs = told.clone();
        match self.search(&steps, effort, move |which| hangs(which, "the engine hangs")) {
            Ok(states) => println!("{}: {} steps, {states} states", self.name, steps.len()),
            Err(found) => panic!("{}", told(found.which, &found.complaint)),
        }
    }

    /// Each of these mistakes is found. The searches run in parallel.
    pub fn finds(&self, mistakes: &[Mistake]) {
        thread::scope(|scope| {
            mistakes.iter().for_each(|&mistake| drop(scope.spawn(move || self.finds_one(mistake))));
        });
    }

    fn finds_one(&self, mistake: Mistake) {
        let planted = mistake.plant(&self.recording.steps, &self.data_dir);
        assert!(planted != self.recording.steps, "{mistake:?}: {} has no step to plant it in", self.name);
        let name = self.name;
        let hangs = move |which| format!("{mistake:?} in {name}, state {which}: the engine hangs");
        match self.search(&planted, Effort::asked(), hangs) {
            Ok(states) => panic!("{mistake:?} in {} was not found in {states} states", self.name),
            Err(found) => println!("{mistake:?} in {}, state {}: {}", self.name, found.which, found.complaint),
        }
    }

    fn search(
        &self,
        steps: &[Step],
        effort: Effort,
        hangs: impl Fn(Which) -> String + Send + 'static,
    ) -> Result<usize, Found> {
        let (history, recording) = (&self.history, &self.recording);
        let judge: &Judge<'_> = match self.judged {
            Judged::ComesBack => &|left, promised, rules| history.comes_back(left, promised, rules),
            Judged::ComesBackWithoutAll => {
                &|left, promised, rules| history.comes_back_without_all(left, promised, rules)
            }
            Judged::IsRefused => &|left, _, _| history.is_refused(&recording.durable, left),
            Judged::IsResharded(after, reshard) => &move |left, _, _| history.is_resharded(left, after, reshard),
        };
        search(&recording.before, steps, &self.promised, effort, judge, hangs)
    }
}

/// Watches the program in folders that `prepare` fills; it also returns the program's arguments. With
/// `CRASH_RECORDING`, opens the recording named there instead, and other scenes have none.
pub fn record(program: &str, name: &str, code: i32, prepare: impl FnOnce(&Stage) -> Vec<String>) -> Option<Recording> {
    let recording = match std::env::var_os("CRASH_RECORDING").map(PathBuf::from) {
        Some(kept) if kept.file_name() != place(program, name).file_name() => return None,
        Some(kept) => Recording::again(&kept),
        None => {
            let stage = Stage::new();
            let arguments = prepare(&stage);
            stage.watch(program, &arguments, code)
        }
    };
    Some(recording.unwrap_or_else(|complaint| panic!("{name}: {complaint}")))
}

/// Where the recording of a scene is kept: beside the program.
pub fn place(program: &str, name: &str) -> PathBuf {
    let program = Path::new(program);
    let chapter = program.file_stem().unwrap_or_default().to_string_lossy();
    program.with_file_name("crash-states").join(format!("{chapter}-{name}"))
}
