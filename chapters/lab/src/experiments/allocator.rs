//! The system's allocator against mimalloc, under a whole engine.
//!
//! **Expected:** another allocator is one line, and makes engines faster.
//!
//! **Compared:** the same workload in two programs that differ only in their allocator: the engine of 0x01, which
//! allocates for every command, and that of 0x05, which does not once it is warm. Both in memory, without a log.
//!
//! **Left out:** other allocators, memory use, and threads that free what others allocated. mimalloc is built from C,
//! so where there is no C compiler it is left out too.

use std::path::PathBuf;

use crate::error::LabError;
use crate::experiment::{Case, Experiment, LeftOut, Prepared, Setting, Size};
use crate::programs;
use crate::words::words;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "allocator",
    title: ("Is another allocator free speed?", "换一个分配器，白捡速度吗？"),
    per: ("a command", "每条命令"),
    on_request: false,
    prepare,
};

/// The engines that the workload runs.
pub const ENGINES: [(&str, &str, &str); 2] =
    [("naive", "0x01, allocates", "0x01，不断分配"), ("array", "0x05, does not", "0x05，不分配")];

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    if setting.size == Size::Tiny {
        return Ok(inside(setting.size.of(1_000_000)));
    }
    setting.say("building lab-work");
    programs::build(&[], &[])?;
    let orders = setting.size.of(1_000_000);
    let mimalloc = programs::build(&["--features", "mimalloc", "--bin", "lab-work-mimalloc"], &[]);
    let cases = ENGINES.into_iter().map(|(engine, en, zh)| {
        let run = |program: PathBuf| move || programs::run(&program, engine, orders);
        let case = Case::new(engine, words(en, zh)).with(
            "system",
            words("system allocator", "系统分配器"),
            run(programs::work_program()),
        );
        match &mimalloc {
            Ok(()) => case.with("mimalloc", words("mimalloc", "mimalloc"), run(programs::mimalloc_program())),
            Err(_) => case,
        }
    });
    let left_out = mimalloc.as_ref().err().map(|error| LeftOut {
        name: "mimalloc",
        reason: words(format!("it needs a C compiler to build ({error})"), format!("编译它需要 C 编译器（{error}）")),
    });
    Ok(Prepared { cases: cases.collect(), left_out: left_out.into_iter().collect() })
}

/// The workload inside this program, when there is no time to build others: both engines agree.
fn inside(orders: usize) -> Prepared {
    let work = move |engine: &'static str| {
        move || {
            let worked = lab_work::work(engine, orders).unwrap_or(lab_work::Worked { ns: f64::NAN, answer: 0 });
            Ok(crate::experiment::Sample { ns: worked.ns, answer: worked.answer })
        }
    };
    let case = ENGINES.into_iter().fold(Case::new("engines", words("engines", "引擎")), |case, (engine, en, zh)| {
        case.with(engine, words(en, zh), work(engine))
    });
    Prepared { cases: vec![case], left_out: Vec::new() }
}
