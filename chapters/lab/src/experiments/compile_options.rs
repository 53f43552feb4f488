//! Compile options: how much of the speed comes from the compiler, and does any option change the ranking?
//!
//! **Expected:** LTO, one codegen unit, `target-cpu=native` and profiles from a run each gain a few per cent.
//!
//! **Compared:** the workload of the experiment `allocator`, built again with one option changed at a time. Each
//! build has its own folder under `target/lab`.
//!
//! **Left out:** debug information, which is off, because it changes no instruction; the size of the programs and the
//! time to build them; a profile, if `llvm-profdata` is missing or belongs to another LLVM.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use results::chapters::repository;
use results::error::MeasureError;

use crate::error::LabError;
use crate::experiment::{Case, Experiment, LeftOut, Prepared, Sample, Setting, Size};
use crate::experiments::allocator::ENGINES;
use crate::programs;
use crate::words::{Words, words};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "compile_options",
    title: ("What do the compile options bring?", "编译选项能带来多少？"),
    per: ("a command", "每条命令"),
    on_request: true,
    prepare,
};

// ANCHOR: options
/// A build that differs from the workspace's profile `whole` only in what it names.
struct Build {
    name: &'static str,
    label: (&'static str, &'static str),
    /// Settings of the profile, as `key=value`.
    profile: &'static [&'static str],
    flags: &'static str,
}

const BUILDS: [Build; 7] = [
    build("opt_level_2", ("opt-level 2", "opt-level 2"), &["opt-level=2"], ""),
    build("opt_level_1", ("opt-level 1", "opt-level 1"), &["opt-level=1"], ""),
    build("lto_off", ("no LTO", "关闭 LTO"), &["lto=\"off\""], ""),
    build("codegen_units_16", ("16 codegen units", "16 个 codegen unit"), &["codegen-units=16"], ""),
    build("defaults", ("cargo's own release profile", "cargo 默认的 release"), &["lto=false", "codegen-units=16"], ""),
    build("panic_abort", ("panic = abort", "panic = abort"), &["panic=\"abort\""], ""),
    build("native", ("target-cpu=native", "target-cpu=native"), &[], "-Ctarget-cpu=native"),
];
// ANCHOR_END: options

const fn build(
    name: &'static str,
    label: (&'static str, &'static str),
    profile: &'static [&'static str],
    flags: &'static str,
) -> Build {
    Build { name, label, profile, flags }
}

/// Builds the workload into its own folder, and returns the program's path.
fn program(name: &str, profile: &[&str], flags: &str) -> Result<PathBuf, MeasureError> {
    let folder = repository().join("target/lab").join(name);
    let mut args = vec!["--bin".to_string(), "lab-work".to_string(), "--target-dir".to_string()];
    args.push(folder.display().to_string());
    for setting in profile {
        args.extend(["--config".to_string(), format!("profile.whole.{setting}")]);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let variables = [("RUSTFLAGS", flags)];
    programs::build(&args, if flags.is_empty() { &[] } else { &variables })?;
    Ok(folder.join(format!("whole/lab-work{}", std::env::consts::EXE_SUFFIX)))
}

/// The workload built with the profile of a first build's run.
fn profiled(orders: usize) -> Result<PathBuf, MeasureError> {
    let tool = profile_tool()?;
    let folder = repository().join("target/lab/profile_data");
    let flags = |what: &str, path: &Path| format!("-Cprofile-{what}={}", path.display());
    let watched = program("profile_generate", &[], &flags("generate", &folder))?;
    // Building also ran helper programs of the build, which left profiles too. Only the workload's
    // count.
    let _ = fs::remove_dir_all(&folder);
    for (engine, ..) in ENGINES {
        programs::run(&watched, engine, orders).map_err(|error| MeasureError::Unusable(error.to_string()))?;
    }
    let merged = folder.join("merged.profdata");
    let mut merge = Command::new(tool);
    merge.arg("merge").arg("-o").arg(&merged).arg(&folder).stdin(Stdio::null());
    if !merge.output().is_ok_and(|ended| ended.status.success()) {
        return Err(MeasureError::Unusable("llvm-profdata could not read the profile".into()));
    }
    program("profile_use", &[], &flags("use", &merged))
}

/// The toolchain's `llvm-profdata`, or the one on the path. It can't read the profiles of a newer LLVM than its own.
fn profile_tool() -> Result<PathBuf, MeasureError> {
    let missing = |what: &str| {
        MeasureError::Unusable(format!("{what}; `rustup component add llvm-tools` brings the compiler's own"))
    };
    let compiler = said("rustc".as_ref(), &["-v", "-V"]).unwrap_or_default();
    let tool = toolchains_own(&compiler).unwrap_or_else(|| "llvm-profdata".into());
    let version = said(&tool, &["merge", "--version"]).ok_or_else(|| missing("llvm-profdata is missing"))?;
    match llvm_major(&version) >= llvm_major(&compiler) {
        true => Ok(tool),
        false => Err(missing("the llvm-profdata here is of an older LLVM than the compiler's")),
    }
}

fn toolchains_own(compiler: &str) -> Option<PathBuf> {
    let sysroot = said("rustc".as_ref(), &["--print", "sysroot"])?;
    let host = compiler.lines().find_map(|line| line.strip_prefix("host: "))?;
    let tool = Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin/llvm-profdata");
    Some(tool.with_extension(std::env::consts::EXE_EXTENSION)).filter(|tool| tool.is_file())
}

/// What a program prints; `None` when it does not run.
fn said(program: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The number after "LLVM version", with or without a colon.
fn llvm_major(words: &str) -> Option<u32> {
    let (_, version) = words.split_once("LLVM version")?;
    let digits = version.trim_start_matches([':', ' ']).split('.').next()?;
    digits.parse().ok()
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    if setting.size == Size::Tiny {
        return Ok(Prepared::default());
    }
    let orders = setting.size.of(1_000_000);
    setting.say("building lab-work");
    programs::build(&[], &[])?;
    let mut built: Vec<(&'static str, Words, PathBuf)> =
        vec![("as_committed", words("as in Cargo.toml", "按 Cargo.toml"), programs::work_program())];
    for Build { name, label, profile, flags } in &BUILDS {
        setting.say(&format!("building lab-work: {}", label.0));
        built.push((name, words(label.0, label.1), program(name, profile, flags)?));
    }
    setting.say("building lab-work: a profile of a run");
    let mut left_out = Vec::new();
    match profiled(orders) {
        Ok(program) => built.push(("profile", words("a profile of a run", "用运行画像优化（PGO）"), program)),
        Err(error) => {
            let reason = words(error.to_string(), format!("做不了：{error}"));
            left_out.push(LeftOut { name: "profile", reason });
        }
    }
    let cases = ENGINES.into_iter().map(|(engine, en, zh)| {
        built.iter().fold(Case::new(engine, words(en, zh)), |case, (name, label, program)| {
            let program = program.clone();
            let run = move || -> Result<Sample, LabError> { programs::run(&program, engine, orders) };
            case.with(name, label.clone(), run)
        })
    });
    Ok(Prepared { cases: cases.collect(), left_out })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_llvm_are_read() {
        assert_eq!(llvm_major("rustc 1.90.0\nhost: x\nLLVM version: 21.1.0\n"), Some(21));
        assert_eq!(llvm_major("Debian LLVM version 14.0.6\n  Optimized build."), Some(14));
        assert_eq!(llvm_major("nothing"), None);
    }
}
