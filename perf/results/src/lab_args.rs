//! What the lab can be told. Its own program takes these flags, and `perf lab` takes them too and hands them on: so
//! nobody who only climbs the ladder has to build what the experiments compare.

use std::path::PathBuf;

use crate::language::Language;

/// What `lab` can be told. The lab's own program takes the same.
#[derive(Debug, Clone, clap::Args)]
pub struct LabArgs {
    /// Run these experiments alone
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// List the experiments and run none
    #[arg(long)]
    pub list: bool,
    /// A first look: less work, fewer rounds
    #[arg(long)]
    pub quick: bool,
    /// Also build the workload with other compile options and compare them; takes several minutes more
    #[arg(long)]
    pub compile_options: bool,
    /// How often each variant runs [default: 7, and 3 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: Option<u32>,
    /// The tables' language
    #[arg(long, value_enum, default_value_t = Language::English)]
    pub lang: Language,
    /// The folder whose disk is measured [default: output]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// The file that the record is written to [default: output/lab.json]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

impl LabArgs {
    /// The flags that say the same to the lab's program.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let switches = [("--list", self.list), ("--quick", self.quick), ("--compile-options", self.compile_options)];
        flags.extend(switches.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag.to_string()));
        let values = [
            ("--only", (!self.only.is_empty()).then(|| self.only.join(","))),
            ("--rounds", self.rounds.map(|rounds| rounds.to_string())),
            ("--lang", (self.lang != Language::English).then(|| self.lang.tag().to_string())),
            ("--data-dir", self.data_dir.as_ref().map(|dir| dir.display().to_string())),
            ("--out", self.out.as_ref().map(|out| out.display().to_string())),
        ];
        for (flag, value) in values {
            flags.extend(value.into_iter().flat_map(|value| [flag.to_string(), value]));
        }
        flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        lab: LabArgs,
    }

    #[test]
    fn flags_say_the_same_again() {
        let said = ["--quick", "--only", "clock,ids", "--rounds", "2", "--lang", "zh", "--out", "x.json"];
        let args = Cli::try_parse_from(["lab"].iter().chain(&said)).expect("flags").lab;
        let again = Cli::try_parse_from(["lab".to_string()].into_iter().chain(args.flags())).expect("flags").lab;
        assert_eq!(format!("{args:?}"), format!("{again:?}"));
        assert_eq!(again.only, ["clock", "ids"]);
    }
}
