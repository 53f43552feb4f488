//! `flame`: a chapter's program, sampled while it runs, as a flame graph. A program of its own samples and draws, so that the
//! ladder is built without it.
//!
//! An engine runs a flow. A venue gets the load of its own program, and only the venue is sampled.

use std::path::Path;

use catalogue::{Chapter, Kind};
use program::Verdict;
use results::chapters;
use results::error::MeasureError;
use results::output::OutputArgs;
use results::programs::{self, Program};

use crate::flow_args::FlowArgs;
use crate::handed_on::{hand_on, measure};

/// With names of functions, and as fast as a release.
const PROFILE: &str = "profiling";

/// How many orders an engine runs.
const ORDERS: u32 = 3_000_000;

/// The arguments of `flame`.
#[derive(Debug, Clone, clap::Args)]
pub struct FlameArgs {
    /// Which chapter: an engine, or one with the venue
    #[arg(long, value_name = "CHAPTER")]
    pub chapter: String,
    /// How many orders an engine runs [default: 3000000]
    #[arg(long, conflicts_with = "input", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200_000_000))]
    pub orders: Option<u32>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub flow: FlowArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
    /// For a venue: flags of its load, as in `-- --rate 10000 --protocol websocket`
    #[arg(last = true, value_name = "FLAGS")]
    pub load: Vec<String>,
}

/// Builds the chapter, samples it, and draws `flame-CHAPTER.svg`.
///
/// # Errors
/// When the chapter can't be built, run or sampled, or the picture can't be written.
pub fn run(args: &FlameArgs) -> Result<Verdict, MeasureError> {
    let output = args.output.folder();
    let folder = output.join("flame");
    let catalogue = chapters::catalogue()?;
    let found = catalogue.find(&args.chapter)?;
    // The venue is the program of the chapter that `venue` measures, and of the services after it.
    let first = catalogue.find_verb("venue")?.number;
    let is_venue = |chapter: &Chapter| chapter.kind == Kind::Service && chapter.number >= first;
    let work = match found.kind {
        Kind::Engine => args.flow(found, &folder)?,
        _ if is_venue(found) => args.load(&folder)?,
        _ => {
            let known = catalogue.all().iter().filter(|chapter| chapter.is_engine() || is_venue(chapter));
            let known: Vec<&str> = known.map(|chapter| chapter.folder.as_str()).collect();
            let (name, known) = (&found.folder, known.join(", "));
            let words = format!("{name} has neither an engine nor a venue; the chapters that have one are {known}");
            return Err(MeasureError::Unusable(words));
        }
    };
    let chapter = Program { profile: PROFILE, ..Program::from(found) };
    let flame = Program { profile: PROFILE, ..Program::of_package("flame") };
    // A chapter takes minutes to build: whether samples can be taken here is known before.
    measure(&flame, &[])?;
    programs::build(std::slice::from_ref(&chapter))?;
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let name = &chapter.name;
    let svg = output.join(format!("flame-{name}.svg"));
    let title = format!("{name}: where the cores are busy");
    let mut flags = vec!["--title".into(), title, "--svg".into(), svg.display().to_string()];
    flags.extend(is_venue(found).then(|| "--venue".into()));
    flags.extend(["--".into(), chapter.path().display().to_string()]);
    flags.extend(work);
    hand_on(&flame, &flags)
}

impl FlameArgs {
    /// The flags with which an engine runs a flow, with its output in `folder`.
    fn flow(&self, chapter: &Chapter, folder: &Path) -> Result<Vec<String>, MeasureError> {
        if !self.load.is_empty() {
            let words = format!("{} is an engine and has no load: leave out what is behind `--`", chapter.folder);
            return Err(MeasureError::Unusable(words));
        }
        self.flow.check()?;
        let mut flags = self.flow.flags();
        flags.extend(self.flow.orders_flags(self.orders.unwrap_or(ORDERS)));
        flags.extend(["--pass", "throughput", "--quiet", "--output"].map(String::from));
        flags.push(folder.display().to_string());
        Ok(flags)
    }

    /// The flags with which a venue's program loads a venue, with its output in `folder`.
    fn load(&self, folder: &Path) -> Result<Vec<String>, MeasureError> {
        if self.orders.is_some() || self.flow.is_given() {
            let words = "a venue has a load in place of a flow: its flags stand behind `--`, as in `-- --rate 10000`";
            return Err(MeasureError::Unusable(words.into()));
        }
        let flags = ["load".into(), "--output".into(), folder.display().to_string()];
        Ok(flags.into_iter().chain(self.load.iter().cloned()).collect())
    }
}
