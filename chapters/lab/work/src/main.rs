//! The workload with the system's allocator; see [`lab_work`].
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    lab_work::main()
}
