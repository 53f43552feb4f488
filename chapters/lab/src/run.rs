//! A run of the lab: which experiments, its progress, its results.

use std::fs;

use program::{Unprinted, Verdict, print};
use results::error::MeasureError;
use results::lab_args::LabArgs;
use results::language::Language;
use results::machine;
use results::output::OutputArgs;
use results::progress::{progress_bar, say};
use results::record::{LabRecord, Record};

use crate::error::LabError;
use crate::experiment::{Experiment, Setting, Size};
use crate::experiments;
use crate::measure::measure;
use crate::table;

/// Runs what `args` ask for, prints a table for each experiment, and writes the record.
///
/// # Errors
/// [`LabError::Disagree`] when variants compute different answers, and [`MeasureError`] for names that no experiment
/// has and for disks that can't be written.
pub fn run(args: &LabArgs) -> Result<Verdict, LabError> {
    let chosen = choose(&args.only, args.compile_options)?;
    if args.list {
        list(args.lang)?;
        return Ok(Verdict::Yes);
    }
    let size = if args.quick { Size::Quick } else { Size::Full };
    let rounds = args.rounds.unwrap_or(if args.quick { 3 } else { 7 });
    let output = args.output.folder();
    let data_dir = args.disk.clone().unwrap_or_else(|| output.clone());
    fs::create_dir_all(&data_dir).map_err(|error| MeasureError::disk("make the folder", &data_dir, &error))?;
    let folder =
        tempfile::tempdir_in(&data_dir).map_err(|error| MeasureError::disk("create a folder in", &data_dir, &error))?;
    let bar = progress_bar(chosen.len() as u64 * 100);
    let setting = Setting { size, data_dir: folder.path().to_path_buf(), bar: bar.clone() };

    let mut records = Vec::with_capacity(chosen.len());
    for (at, experiment) in chosen.iter().enumerate() {
        say(&bar, experiment.name);
        let mut done = 0;
        let record = measure(experiment, &setting, rounds, |case, count| {
            bar.set_position((at * 100 + done * 100 / count.max(1)) as u64);
            bar.set_message(format!("{}, {}", experiment.name, case.label.pick(args.lang)));
            done += 1;
        })?;
        bar.suspend(|| print(format_args!("\n{}\n", table::text(&record, args.lang))))?;
        records.push(record);
    }
    bar.finish_and_clear();

    let record = LabRecord {
        machine: machine::describe(&data_dir),
        commit: machine::commit(),
        command: command_line(args),
        rounds,
        experiments: records,
    };
    let out = output.join("lab.json");
    record.save(&out)?;
    print(format_args!("\n{}\nrecord  {}\n", record.machine.summary(), out.display()))?;
    Ok(Verdict::Yes)
}

/// The experiments with these names; without names all, except those that run only on request.
fn choose(names: &[String], compile_options: bool) -> Result<Vec<Experiment>, MeasureError> {
    let asked = |experiment: &Experiment| match names {
        [] => !experiment.on_request || compile_options,
        names => names.iter().any(|name| name == experiment.name) || (experiment.on_request && compile_options),
    };
    if let Some(name) = names.iter().find(|name| !experiments::ALL.iter().any(|known| known.name == **name)) {
        let known: Vec<&str> = experiments::ALL.iter().map(|known| known.name).collect();
        return Err(MeasureError::Unusable(format!("there is no experiment {name:?}; there are {}", known.join(", "))));
    }
    Ok(experiments::ALL.iter().copied().filter(asked).collect())
}

fn list(language: Language) -> Result<(), Unprinted> {
    for experiment in experiments::ALL {
        let title = language.pick(experiment.title.0, experiment.title.1);
        let note = match experiment.on_request {
            true => language.pick(" (only with --compile-options)", "（仅在 --compile-options 下运行）"),
            false => "",
        };
        print(format_args!("{:16} {title}{note}\n", experiment.name))?;
    }
    Ok(())
}

/// The command that repeats this run, without this machine's folders.
fn command_line(args: &LabArgs) -> String {
    let shown = LabArgs { disk: None, output: OutputArgs::default(), ..args.clone() };
    [vec!["cargo run --release -- lab".to_string()], shown.flags()].concat().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str], compile_options: bool) -> Vec<&'static str> {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        choose(&names, compile_options).expect("known").iter().map(|experiment| experiment.name).collect()
    }

    #[test]
    fn experiments_are_chosen_by_name() {
        assert_eq!(chosen(&["ids", "clock"], false), ["clock", "ids"]);
        assert!(!chosen(&[], false).contains(&"compile_options"));
        assert!(chosen(&[], true).contains(&"compile_options"));
        assert_eq!(chosen(&["compile_options"], false), ["compile_options"]);
        let error = choose(&["nothing".into()], false).expect_err("unknown").to_string();
        assert!(error.contains("\"nothing\"") && error.contains("clock"), "{error}");
    }

    #[test]
    fn a_record_names_no_folder_of_its_machine() {
        let args = LabArgs {
            only: vec!["ids".into()],
            list: false,
            quick: true,
            compile_options: false,
            rounds: None,
            lang: Language::English,
            disk: Some("/somewhere".into()),
            output: OutputArgs { output: Some("/elsewhere".into()) },
        };
        assert_eq!(command_line(&args), "cargo run --release -- lab --quick --only ids");
    }
}
