//! The program as users run it: help, a flow of one's own, rejected arguments and exit codes.

use std::path::Path;
use std::process::{Command, Output};

fn program(arguments: &[&str], output: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ch0f"));
    command.args(arguments).arg("--output").arg(output).output().expect("the program starts")
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

#[test]
fn a_custom_flow_is_measured_and_recorded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let orders = folder.path().join("orders.csv");
    let rows: String = (0..200).map(|n| format!("limit,{n},{},{},5,gtc\n", ["bid", "ask"][n % 2], n % 7)).collect();
    let text = format!("command,id,side,price,quantity,time_in_force\n{rows}cancel,199,,,,\n");
    std::fs::write(&orders, text).expect("written");
    let ended = program(&["--rounds", "1", "--input", &orders.to_string_lossy()], folder.path());
    let words = printed(&ended);
    assert_eq!(ended.status.code(), Some(0), "{words}");
    assert!(words.contains("orders.csv: 201 messages") && words.contains("vectors"), "{words}");
    let record = std::fs::read_to_string(folder.path().join("any-price.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    assert_eq!(record["command"], "cargo run --release -- --rounds 1 --input orders.csv");
    assert_eq!(record["flows"][0]["engines"].as_array().map(Vec::len), Some(3));
}

#[test]
fn chosen_flows_and_engines_are_measured_in_either_language() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let few =
        ["--quick", "--rounds", "1", "--commands", "2000", "--flow", "calm,crash", "--engine", "ladder", "--plain"];
    let ended = program(&[&few[..], &["--lang", "zh"]].concat(), folder.path());
    let words = printed(&ended);
    assert_eq!(ended.status.code(), Some(0), "{words}");
    assert!(words.contains("calm：2000 条消息") && words.contains("crash：") && !words.contains("tree"), "{words}");
}

#[test]
fn bad_arguments_are_rejected_with_a_message_and_a_code() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bad = folder.path().join("bad.csv");
    std::fs::write(&bad, "command,id,side,price,quantity,time_in_force\nlimit,1,bid,1,x,gtc\n").expect("written");
    let bad = bad.to_string_lossy().into_owned();
    let empty = folder.path().join("empty.csv");
    std::fs::write(&empty, "command,id,side,price,quantity,time_in_force\n").expect("written");
    let empty = empty.to_string_lossy().into_owned();
    for (arguments, words) in [
        (&["--flow", "clam"][..], "there is no flow \"clam\"; there are calm, trend"),
        (&["--engine", "laddder"], "there is no engine \"laddder\"; there are ladder, tree, vectors"),
        (&["--input", &bad], "bad.csv, line 2: `quantity` is \"x\""),
        (&["--input", &empty], "empty.csv, line 2: there is no command after the header"),
        (&["--input", &bad, "--flow", "calm"], "cannot be used with '--flow"),
        (&["--input", &bad, "--plain"], "cannot be used with '--plain'"),
        (&["--input", &bad, "--commands", "9"], "cannot be used with '--commands <N>'"),
        (&["--input", &bad, "--seed", "2"], "cannot be used with '--seed <N>'"),
        (&["--flow", "scattered", "--engine", "vectors"], "no chosen engine can run scattered: vectors: a new level"),
        (&["--input", "/no/such.csv"], "cannot read /no/such.csv"),
        (&["--rounds", "0"], "0 is not in 1..=1000"),
        (&["--commands", "0"], "0 is not in"),
    ] {
        let ended = program(arguments, folder.path());
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}");
        assert!(printed(&ended).contains(words), "{arguments:?}: {}", printed(&ended));
    }
    let help = program(&["--help"], folder.path());
    assert_eq!(help.status.code(), Some(0));
    for flag in ["--flow", "--engine", "--input", "--commands", "--rounds", "--seed", "--quick", "--plain", "--lang"] {
        assert!(printed(&help).contains(flag), "the help does not mention {flag}");
    }
}
