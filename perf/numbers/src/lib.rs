//! The latency numbers worth memorizing, measured on this machine beside the well-known figures: an estimate on
//! the back of an envelope is only as good as the numbers it starts from. Each is the median of several samples
//! with their spread; all of them together take under 10 seconds.
//!
//! The tool itself is compiled quickly, the code that it times is compiled for speed: so this is a separate
//! crate.
#![forbid(unsafe_code)]

mod book;
mod disk;
mod measured;
mod memory;
mod names;
mod threads;
mod words;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::{fs, io};

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, Table};
use indicatif::{ProgressBar, ProgressStyle};

use names::{NUMBERS, Number};
use program::{Verdict, print, tell};
use results::error::MeasureError;
use results::json;
use results::language::Language;
use results::machine;
use results::output::OutputArgs;
use results::record::{Measured, NumberRecord, NumbersRecord, Record, ReferenceFrom};
use results::units::duration_text;
pub use words::if_a_nanosecond_were_a_second;

/// The arguments of `numbers`.
#[derive(Debug, Clone, clap::Args)]
pub struct NumbersArgs {
    /// Print the record as JSON instead of the table
    #[arg(long)]
    pub json: bool,
    /// The table's language
    #[arg(long, value_enum, default_value_t = Language::English)]
    pub lang: Language,
    /// A folder on the disk to measure [default: that of --output]
    #[arg(long, value_name = "DIR")]
    pub disk: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
}

/// Measures all numbers, writes the record, and prints the table or the record.
///
/// # Errors
/// [`MeasureError::Disk`] when the folder or the record cannot be written.
pub fn run(args: &NumbersArgs) -> Result<Verdict, MeasureError> {
    let output = args.output.folder();
    let disk = args.disk.as_ref().unwrap_or(&output);
    fs::create_dir_all(disk).map_err(|error| MeasureError::disk("create the folder", disk, &error))?;
    let record = measure(disk, args.lang)?;
    record.save(&output.join("numbers.json"))?;
    if args.json {
        print(format_args!("{}", json::text(&record)?))?;
        return Ok(Verdict::Yes);
    }
    print(format_args!("{}\n", record.machine.summary()))?;
    print(format_args!("{}\n", table(&record, args.lang)))?;
    print(format_args!("{}\n", notes(&record, args.lang)))?;
    Ok(Verdict::Yes)
}

/// Measures all numbers with the disk under `dir`, showing progress on the error output.
///
/// # Errors
/// [`MeasureError::Disk`] when a file in `dir` cannot be written, synced or read.
pub fn measure(dir: &Path, language: Language) -> Result<NumbersRecord, MeasureError> {
    let steps = Steps::new(NUMBERS.len(), language);
    let mut numbers = Vec::with_capacity(NUMBERS.len());
    for number in &NUMBERS {
        steps.start(number);
        numbers.push(record_of(number, (number.measure)(dir)?));
        steps.finish();
    }
    steps.end();
    Ok(NumbersRecord { machine: machine::describe(dir), commit: machine::commit(), numbers })
}

fn record_of(number: &Number, measured: Option<Measured>) -> NumberRecord {
    let scaled = |language| {
        let words = |measured: &Measured| if_a_nanosecond_were_a_second(measured.median_ns, language);
        measured.as_ref().map_or_else(String::new, words)
    };
    let (scaled_en, scaled_zh) = (scaled(Language::English), scaled(Language::Chinese));
    NumberRecord {
        id: number.id.into(),
        name_en: number.english.into(),
        name_zh: number.chinese.into(),
        measured,
        reference_ns: number.reference_ns,
        reference_from: number.reference_from,
        scaled_en,
        scaled_zh,
    }
}

/// A progress bar on a terminal, a plain line for each number elsewhere; both on the error output.
struct Steps {
    bar: ProgressBar,
    language: Language,
}

impl Steps {
    fn new(count: usize, language: Language) -> Self {
        let bar = if io::stderr().is_terminal() { ProgressBar::new(count as u64) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Self { bar, language }
    }

    fn start(&self, number: &Number) {
        let name = self.language.pick(number.english, number.chinese);
        if self.bar.is_hidden() {
            tell(format_args!("{name}"));
        }
        self.bar.set_message(name);
    }

    fn finish(&self) {
        self.bar.inc(1);
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}

fn table(record: &NumbersRecord, language: Language) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_header(language.pick(
        ["number", "median", "p10 to p90", "reference", "if 1 ns were 1 s"],
        ["数字", "中位数", "p10 至 p90", "参考值", "假如 1 纳秒是 1 秒"],
    ));
    let text = |ns: f64| duration_text(ns, language);
    for number in &record.numbers {
        let name = language.pick(&number.name_en, &number.name_zh);
        let mark = if number.measured.as_ref().is_some_and(|m| m.cached) { " *" } else { "" };
        let (median, spread, scaled) = match &number.measured {
            Some(measured) => (
                text(measured.median_ns),
                format!("{} {} {}", text(measured.p10_ns), language.pick("to", "至"), text(measured.p90_ns)),
                language.pick(&number.scaled_en, &number.scaled_zh).clone(),
            ),
            None => (language.pick("not here", "无法测量").into(), String::new(), String::new()),
        };
        let about = match number.reference_from {
            ReferenceFrom::List => "",
            ReferenceFrom::Typical => "~ ",
        };
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        table.add_row(vec![
            Cell::new(format!("{name}{mark}")),
            right(median),
            right(spread),
            right(format!("{about}{}", text(number.reference_ns))),
            right(scaled),
        ]);
    }
    table
}

fn notes(record: &NumbersRecord, language: Language) -> String {
    let mut notes = vec![language.pick(
        "Reference: the list that Dean, Norvig and Scott made known, about 2012; with ~ only an order of\n\
         magnitude of current servers. Compare orders of magnitude, not digits.",
        "参考值：Dean、Norvig、Scott 约 2012 年整理的延迟列表；带 ~ 的只是当前服务器的数量级。\n\
         请比较数量级，而不是具体数字。",
    )];
    if record.numbers.iter().any(|number| number.measured.as_ref().is_some_and(|m| m.cached)) {
        notes.push(language.pick(
            "* The system's file cache could not be bypassed here: this is a read from memory.",
            "* 此处无法绕过系统的文件缓存：读到的是内存。",
        ));
    }
    notes.join("\n")
}

#[cfg(test)]
mod tests;
