//! `flame`: a chapter's program, sampled while it runs, as a flame graph. A program of its own samples and draws, so that the
//! ladder is built without it.

use program::Verdict;
use results::chapters;
use results::error::MeasureError;
use results::output::OutputArgs;
use results::programs::{self, Program};

use crate::flow_args::FlowArgs;
use crate::handed_on::hand_on;

/// With names of functions, and as fast as a release.
const PROFILE: &str = "profiling";

/// The arguments of `flame`.
#[derive(Debug, Clone, clap::Args)]
pub struct FlameArgs {
    /// Which chapter
    #[arg(long, value_name = "CHAPTER")]
    pub chapter: String,
    /// How many orders it runs
    #[arg(long, default_value_t = 3_000_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200_000_000))]
    pub orders: u32,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub flow: FlowArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
}

/// Builds the chapter, samples it over a flow, and draws `flame-CHAPTER.svg`.
///
/// # Errors
/// When the chapter can't be built, run or sampled, or the picture can't be written.
pub fn run(args: &FlameArgs) -> Result<Verdict, MeasureError> {
    let output = args.output.folder();
    let catalogue = chapters::catalogue()?;
    let chapter = Program { profile: PROFILE, ..Program::from(catalogue.find_engine(&args.chapter)?) };
    args.flow.check()?;
    let flame = Program { profile: PROFILE, ..Program::of_package("flame") };
    programs::build(&[chapter.clone(), flame.clone()])?;
    let folder = output.join("flame");
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let name = &chapter.name;
    let svg = output.join(format!("flame-{name}.svg"));
    let title = format!("{name}: where the cores are busy");
    let mut flags = vec!["--title".into(), title, "--svg".into(), svg.display().to_string(), "--".into()];
    flags.push(chapter.path().display().to_string());
    flags.extend(args.flow.flags());
    flags.extend(args.flow.orders_flags(args.orders));
    flags.extend(["--pass", "throughput", "--quiet", "--output"].map(String::from));
    flags.push(folder.display().to_string());
    hand_on(&flame, &flags)
}
