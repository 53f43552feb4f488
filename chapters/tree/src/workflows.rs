//! Whatever CI does can be run anywhere: a step of a workflow calls one of our scripts, and nothing
//! more.

use std::path::Path;

use crate::files::read;

/// What turns a line that should be a call into a program.
const LOGIC: [&str; 6] = ["&&", "||", ";", "|", "$(", "`"];

/// How many steps run something, and which of them do more than call an existing script.
pub fn check(root: &Path) -> (usize, Vec<String>) {
    let (mut steps, mut problems) = (0, Vec::new());
    for (path, text) in read(root, &[".github/workflows"]) {
        for (at, line) in text.lines().enumerate() {
            let Some(run) = line.trim_start().trim_start_matches("- ").strip_prefix("run:") else { continue };
            steps += 1;
            let script = run.split_whitespace().next().unwrap_or_default();
            let is_ours = script == ".ci/run" || script.starts_with("scripts/");
            if !is_ours || !root.join(script).is_file() || LOGIC.iter().any(|sign| run.contains(sign)) {
                problems.push(format!(
                    "{path}:{}: `{}` is not a call of one of our scripts.\n  Move what it does into `scripts`, \
                     where it can be run anywhere.",
                    at + 1,
                    run.trim()
                ));
            }
        }
    }
    (steps, problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write;

    #[test]
    fn a_step_that_is_more_than_a_call_is_found() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        write(dir.path(), &[("scripts/test", ""), (".ci/run", "")]);
        let workflow = |run: &str| {
            let text = format!("jobs:\n  all:\n    steps:\n      - uses: a/b@v1\n      - run: {run}\n");
            write(dir.path(), &[(".github/workflows/a.yml", &text)]);
            check(dir.path())
        };
        for run in ["scripts/test", ".ci/run", "scripts/test \"$SITE\" site"] {
            assert_eq!(workflow(run), (1, Vec::new()), "{run}");
        }
        for run in ["|", "cargo test", "scripts/gone", "scripts/test && scripts/test", "scripts/test | tee log"] {
            let (steps, problems) = workflow(run);
            let found = problems.len() == 1 && problems[0].starts_with(".github/workflows/a.yml:5: ");
            assert!(steps == 1 && found, "{run}: {problems:?}");
        }
    }
}
