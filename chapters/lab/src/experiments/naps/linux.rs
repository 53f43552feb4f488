//! How long an order waits with one slack and another.

use std::num::NonZeroU64;
use std::path::Path;
use std::rc::Rc;
use std::thread::available_parallelism;
use std::time::Duration;

use ch06::Engine;
use ch06::metrics::Unmeasured;
use ch06::wait::Wait;
use market::flow::{DEFAULT_SEED, Flow, FlowName, generate};
use market::log::FRAME_COMMANDS_MAX;
use market::{DataDir, Engine as _, EngineError, Options};
use results::error::MeasureError;
use results::memory;
use runner::Timers;
use rustix::thread::{current_timer_slack, set_current_timer_slack};

use crate::error::LabError;
use crate::experiment::{Case, LeftOut, Prepared, Sample, Setting};
use crate::words::{Words, words};

/// The offered rate, in orders a second.
const RATE: u64 = 1_000_000;
/// Space in memory for a run's log and ledger, twice over.
const ROOM: u64 = 256 << 20;
/// A slack, in nanoseconds: 0 asks for the system's own.
const SLACKS: [u64; 2] = [0, 1_000];

pub fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let mut prepared = Prepared::default();
    if Wait::for_machine(3, available_parallelism().map_or(1, usize::from)) != Wait::Park {
        let reason = words("each thread has a core here, so none sleeps", "这里每个线程都有自己的核，没有线程睡眠");
        prepared.left_out.push(LeftOut { name: "slack", reason });
        return Ok(prepared);
    }
    let flow = Rc::new(generate(FlowName::Classic, setting.size.of(2 * RATE as usize), DEFAULT_SEED));
    let disk = words("the log on the disk", "日志在盘上");
    prepared.cases.push(case("disk", disk, setting.data_dir.clone(), &flow));
    match memory::folder(ROOM) {
        Ok(memory) => prepared.cases.push(case("memory", words("the log in memory", "日志在内存里"), memory, &flow)),
        Err(reason) => prepared.left_out.push(LeftOut { name: "memory", reason }),
    }
    Ok(prepared)
}

/// The variants on logs in this folder, which is kept as long as they are.
fn case(name: &str, label: Words, folder: impl AsRef<Path> + 'static, flow: &Rc<Flow>) -> Case {
    let folder = Rc::new(folder);
    let [system, short] = SLACKS.map(|slack| {
        let (folder, flow) = (Rc::clone(&folder), Rc::clone(flow));
        move || with_slack(slack, || wait_of_an_order((*folder).as_ref(), &flow))
    });
    Case::new(name, label).with("slack_50", words("the system's slack, 50 µs", "系统的余量，50 µs"), system).with(
        "slack_1",
        words("a slack of 1 µs", "余量 1 µs"),
        short,
    )
}

// ANCHOR: slack
/// Runs `work` with this slack: threads that it starts inherit this thread's slack.
fn with_slack<T>(nanoseconds: u64, work: impl FnOnce() -> Result<T, LabError>) -> Result<T, LabError> {
    let unable = |error| MeasureError::Unusable(format!("no slack of a timer can be set: {error}"));
    let before = current_timer_slack().map_err(unable)?;
    set_current_timer_slack(NonZeroU64::new(nanoseconds)).map_err(unable)?;
    let done = work();
    set_current_timer_slack(NonZeroU64::new(before)).map_err(unable)?;
    done
}
// ANCHOR_END: slack

fn wait_of_an_order(folder: &Path, flow: &Flow) -> Result<Sample, LabError> {
    let unable = |error: EngineError| LabError::from(MeasureError::Disk(error.to_string()));
    let fresh =
        tempfile::tempdir_in(folder).map_err(|error| MeasureError::disk("create a folder in", folder, &error))?;
    let commands = flow.setup.len() + flow.body.len();
    let options = Options {
        batch_max: FRAME_COMMANDS_MAX,
        reserve_commands: commands,
        pin_threads: true,
        ..Options::new(fresh.path())
    };
    let first_start = || DataDir::open(&*options.disk, &options.data_dir)?.first_start(&options, &flow.setup);
    first_start().map_err(unable)?;
    let timers = Timers::new();
    let opened = Engine::<Unmeasured>::open(&options, &mut |shard| Box::new(timers.receiver(shard, commands)));
    let (engine, _) = opened.map_err(unable)?;
    let offered = runner::offer(engine, &timers, &flow.body, RATE, Duration::from_secs(60), |_| {});
    let (latency, _) = offered.map_err(unable)?;
    Ok(Sample { ns: latency.histogram.value_at_quantile(0.5) as f64, answer: latency.histogram.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_are_started_meanwhile_have_the_slack_and_afterwards_it_is_as_before() {
        let before = current_timer_slack().expect("Linux tells");
        let seen = with_slack(1_234, || Ok(std::thread::spawn(current_timer_slack).join().expect("it ends")));
        assert_eq!(seen.expect("it can be set").expect("Linux tells"), 1_234);
        assert_eq!(current_timer_slack().expect("Linux tells"), before);
    }
}
