//! The workload with the system's allocator. [`lab_work`] says what it does.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    lab_work::main()
}
