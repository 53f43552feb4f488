//! What several subcommands print about themselves: how to repeat them.

use std::path::Path;

/// The command that repeats this run, without the folders that its flags name.
pub fn command_line() -> String {
    without_folders(std::env::args().skip(1))
}

/// The command with these arguments: an input is its file's name, and the folder for results is left out.
fn without_folders(arguments: impl Iterator<Item = String>) -> String {
    let mut words = vec!["cargo run --release --".to_owned()];
    // The value of a flag is behind a `=`, or is the next argument.
    let mut arguments = arguments.flat_map(|argument| match argument.split_once('=') {
        Some((flag, value)) if flag.starts_with("--") => vec![flag.to_owned(), value.to_owned()],
        _ => vec![argument],
    });
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--output" => drop(arguments.next()),
            "--input" => {
                let file = arguments.next().unwrap_or_default();
                let name = Path::new(&file).file_name().unwrap_or_default();
                words.extend([argument, name.to_string_lossy().into_owned()]);
            }
            _ => words.push(argument),
        }
    }
    words.join(" ").trim_end_matches(" --").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_no_folder_of_this_machine() {
        let line = |arguments: &str| without_folders(arguments.split_whitespace().map(str::to_owned));
        assert_eq!(line(""), "cargo run --release");
        assert_eq!(line("ladder --rounds 10"), "cargo run --release -- ladder --rounds 10");
        assert_eq!(line("ladder --output /srv/ann --rounds=10"), "cargo run --release -- ladder --rounds 10");
        assert_eq!(line("--output=/srv/ann"), "cargo run --release");
        for input in ["--input /srv/ann/orders.csv", "--input=../ann/orders.csv"] {
            assert_eq!(line(&format!("{input} --quick")), "cargo run --release -- --input orders.csv --quick");
        }
    }
}
