//! Rounds over all variants of a case, each in a random order: B A C, C B A, A C B.

use results::error::MeasureError;
use results::pairs::drawn_order;
use results::record::Spread;

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Setting, Size};
use results::record::{CaseRecord, ExperimentRecord, LeftOutRecord, VariantRecord};

/// Prepares an experiment and runs its cases, calling `on_case` before each with its number and how many
/// there are.
///
/// # Errors
/// [`LabError::Disagree`] when two variants of a case compute different answers, and errors of the variants.
pub fn measure(
    experiment: &Experiment,
    setting: &Setting,
    rounds: u32,
    mut on_case: impl FnMut(&Case, usize),
) -> Result<ExperimentRecord, LabError> {
    let Prepared { cases, left_out } = (experiment.prepare)(setting)?;
    let count = cases.len();
    let mut records = Vec::with_capacity(count);
    for mut case in cases {
        on_case(&case, count);
        records.push(measure_case(experiment.name, &mut case, setting.size, rounds)?);
    }
    let left_out = left_out.into_iter().map(|left| LeftOutRecord { name: left.name.into(), reason: left.reason });
    Ok(ExperimentRecord {
        name: experiment.name.into(),
        title: crate::words::words(experiment.title.0, experiment.title.1),
        per: crate::words::words(experiment.per.0, experiment.per.1),
        cases: records,
        left_out: left_out.collect(),
    })
}

/// Runs a case's variants in turn, and stops if they disagree.
fn measure_case(experiment: &'static str, case: &mut Case, size: Size, rounds: u32) -> Result<CaseRecord, LabError> {
    // ANCHOR: rounds
    // The first round meets cold caches and untouched memory. It does not count.
    let warm_up = u32::from(size != Size::Tiny);
    let (mut seen, mut expected) = (vec![Vec::new(); case.variants.len()], None);
    for round in 0..warm_up + rounds {
        for at in drawn_order(case.variants.len()) {
            let variant = &mut case.variants[at];
            let sample = (variant.run)()?;
            let (first, expected) = *expected.get_or_insert((variant.name, sample.answer));
            if sample.answer != expected {
                let (case, variant, answer) = (case.name.clone(), variant.name, sample.answer);
                return Err(LabError::Disagree { experiment, case, variant, answer, first, expected });
            }
            if round >= warm_up {
                seen[at].push(sample.ns);
            }
        }
    }
    // ANCHOR_END: rounds
    let variants = case.variants.iter().zip(&seen).map(|(variant, seen)| {
        let no_number = || MeasureError::Unusable(format!("{experiment}, {}: a round gave no number", variant.name));
        let ns = Spread::of(seen).ok_or_else(no_number)?;
        Ok(VariantRecord { name: variant.name.into(), label: variant.label.clone(), ns })
    });
    Ok(CaseRecord {
        name: case.name.clone(),
        label: case.label.clone(),
        figures: case.figures.clone(),
        variants: variants.collect::<Result<_, MeasureError>>()?,
    })
}

#[cfg(test)]
mod tests {
    use program::Failure;

    use super::*;
    use crate::experiment::Sample;
    use crate::words::words;

    fn setting() -> Setting {
        Setting { size: Size::Quick, data_dir: std::env::temp_dir(), bar: indicatif::ProgressBar::hidden() }
    }

    fn experiment(prepare: fn(&Setting) -> Result<Prepared, LabError>) -> Experiment {
        Experiment { name: "made_up", title: ("", ""), per: ("", ""), on_request: false, prepare }
    }

    fn case(answers: [u64; 2]) -> Prepared {
        let sample = |ns, answer| move || Ok(Sample { ns, answer });
        let case = Case::new("one", words("", "")).with("a", words("", ""), sample(1.0, answers[0])).with(
            "b",
            words("", ""),
            sample(2.0, answers[1]),
        );
        Prepared { cases: vec![case], left_out: Vec::new() }
    }

    #[test]
    fn every_variant_has_all_rounds() {
        let record = measure(&experiment(|_| Ok(case([7, 7]))), &setting(), 3, |_, _| {}).expect("agreed");
        let rounds: Vec<usize> = record.cases[0].variants.iter().map(|variant| variant.ns.rounds.len()).collect();
        assert_eq!(rounds, [3, 3]);
        assert_eq!(record.cases[0].variants[1].ns.median, 2.0);
    }

    #[test]
    fn variants_that_disagree_stop_the_lab() {
        let error = measure(&experiment(|_| Ok(case([7, 8]))), &setting(), 3, |_, _| {}).expect_err("disagreed");
        assert_eq!(error.exit_code(), 1);
        let either = ["`b` computed 8, but `a` computed 7", "`a` computed 7, but `b` computed 8"];
        assert!(either.iter().any(|words| error.to_string().contains(words)), "{error}");
    }
}
