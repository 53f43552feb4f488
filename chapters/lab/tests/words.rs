//! The output of the lab's program, word for word: its help, its list, one refusal of each kind, and the exit code of
//! each.
//!
//! After an intended change, `INSTA_UPDATE=always cargo test -p lab --test words` writes the snapshots again, and
//! `git diff` shows what a reader will see.

use std::process::Command;

use insta::assert_snapshot;
use program::said::{
    ends_quietly_on_a_closed_pipe, ends_with_a_sentence_on_a_full_disk, ends_with_its_code_when_it_cannot_complain,
    said,
};

fn lab(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.args(arguments.split(' '));
    command
}

fn words(arguments: &str) -> String {
    said(&mut lab(arguments), &[])
}

#[test]
fn help() {
    assert_snapshot!("help", words("--help"));
    assert_snapshot!("list", words("--list"));
    assert_snapshot!("list in Chinese", words("--list --lang zh"));
}

#[test]
fn refusals() {
    let refused = ["--only nothing", "--olny clock", "--rounds 0", "--lang de", "--disk Cargo.toml --only clock"];
    assert_snapshot!("refusals", refused.map(words).join("\n\n"));
}

#[test]
fn output_is_closed() {
    for printing in ["--help", "--list"] {
        ends_quietly_on_a_closed_pipe(&mut lab(printing));
        ends_with_a_sentence_on_a_full_disk(&mut lab(printing));
    }
    for complaining in ["--rounds 0", "--only nothing"] {
        ends_with_its_code_when_it_cannot_complain(&mut lab(complaining), 2);
    }
}
