//! The arguments of the lab. Its own program takes these flags, and `perf lab` takes them too and passes them on:
//! so a reader who only runs the ladder need not build what the experiments compare.

use std::path::PathBuf;

use crate::handed_on::{given, shown};
use crate::language::Language;
use crate::output::OutputArgs;

/// The arguments of `lab`. The lab's own program takes the same.
#[derive(Debug, Clone, clap::Args)]
pub struct LabArgs {
    /// Run only these experiments
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
    /// A folder on the disk to measure [default: that of --output]
    #[arg(long, value_name = "DIR")]
    pub disk: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
}

impl LabArgs {
    /// The flags that pass the same arguments to the lab's program.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let switches = [("--list", self.list), ("--quick", self.quick), ("--compile-options", self.compile_options)];
        flags.extend(switches.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag.to_string()));
        let values = [
            ("--only", (!self.only.is_empty()).then(|| self.only.join(","))),
            ("--rounds", self.rounds.map(|rounds| rounds.to_string())),
            ("--disk", self.disk.as_ref().map(|dir| dir.display().to_string())),
        ];
        flags.extend(given(values));
        flags.extend(shown(self.lang, &self.output));
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
        let said = ["--quick", "--only", "clock,ids", "--rounds", "2", "--lang", "zh", "--output", "x"];
        let args = Cli::try_parse_from(["lab"].iter().chain(&said)).expect("flags").lab;
        let again = Cli::try_parse_from(["lab".to_string()].into_iter().chain(args.flags())).expect("flags").lab;
        assert_eq!(format!("{args:?}"), format!("{again:?}"));
        assert_eq!(again.only, ["clock", "ids"]);
    }
}
