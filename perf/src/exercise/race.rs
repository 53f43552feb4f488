//! The race of an exercise against the chapter before, judged like two ladders: by the gap between their rounds.

use std::fs;

use catalogue::Chapter;
use program::print;
use results::error::MeasureError;
use results::figures::figure;
use results::language::Language;
use results::output::OutputArgs;
use results::programs::{self, Program};
use results::record::Spread;
use results::units::{factor_text, grouped};

use super::cargo::{cargo, target};
use super::laid_out::LaidOut;
use crate::compare::{Judgement, judge};

/// How often each program runs, in turn.
const ROUNDS: usize = 4;

/// Builds both programs, runs them in turn, and prints the throughput of each and whether they
/// differ.
///
/// # Errors
/// When one of them can't be built or run.
pub fn run(chapter: &Chapter, before: &Chapter, exercise: &LaidOut, language: Language) -> Result<(), MeasureError> {
    let before_program = Program::from(before);
    programs::build(std::slice::from_ref(&before_program))?;
    if !cargo(exercise.folder(), &["build", "--release"])?.0 {
        return Err(MeasureError::Unusable(language.pick(
            "your program does not build in release; the compiler's message is above".into(),
            "你的程序用 release 编译不过，编译器的信息在上面".into(),
        )));
    }
    let output = OutputArgs::default().folder().join("exercise");
    fs::create_dir_all(&output).map_err(|error| MeasureError::disk("make the folder", &output, &error))?;
    let own = format!("{}{}", chapter.package, std::env::consts::EXE_SUFFIX);
    let own = target(exercise.folder()).join("release").join(own);
    let flags = ["--pass", "throughput", "--orders", "300000", "--max-seconds", "2"].map(String::from);
    let mut speeds = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (speeds, program) in speeds.iter_mut().zip([before_program.path(), own.clone()]) {
            let figures = Program::from(chapter).measure_program(&program, &flags, &output)?;
            speeds.push(figure(&figures, "throughput_ops", &chapter.folder)?);
        }
    }
    let [old, new] = speeds.map(|speeds| Spread::of(&speeds));
    let no_number = || MeasureError::Unusable("a throughput is not a number; build both again".into());
    let (old, new) = (old.ok_or_else(no_number)?, new.ok_or_else(no_number)?);
    print(format_args!("{}", verdict(&before.folder, &old, &new, language)))?;
    Ok(())
}

/// The throughput of both, and whether one of them is faster.
fn verdict(before: &str, old: &Spread, new: &Spread, language: Language) -> String {
    let line = |name: &str, of: &Spread| {
        let [median, min, max] = [of.median, of.min, of.max].map(grouped);
        language.pick(
            format!("{name}: {median} orders/s (rounds from {min} to {max})\n"),
            format!("{name}：每秒 {median} 单（各轮 {min} 至 {max}）\n"),
        )
    };
    let factor = factor_text(new.median / old.median);
    let words = match judge(old, new, true) {
        Judgement::Same | Judgement::NotJudged => language.pick("no difference seen".into(), "未见差别".into()),
        Judgement::Better => language.pick(format!("yours is faster: {factor}"), format!("你的更快：{factor}")),
        Judgement::Worse => language.pick(format!("yours is slower: {factor}"), format!("你的更慢：{factor}")),
    };
    format!("{}{}{words}\n", line(before, old), line(language.pick("yours", "你的"), new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_inside_the_noise_is_none() {
        let spread = |rounds: [f64; 4]| Spread::of(&rounds).expect("numbers");
        let old = spread([1_000.0, 1_100.0, 1_200.0, 1_300.0]);
        let said = |rounds| verdict("0x03-group-commit", &old, &spread(rounds), Language::English);
        assert!(said([1_250.0, 1_500.0, 1_600.0, 1_700.0]).ends_with("\nno difference seen\n"));
        assert!(said([2_300.0; 4]).ends_with("\nyours is faster: ×2.00\n"));
        assert!(said([2_300.0; 4]).starts_with("0x03-group-commit: 1,150 orders/s (rounds from 1,000 to 1,300)\n"));
        assert!(said([115.0; 4]).ends_with("\nyours is slower: ×0.10\n"));
    }
}
