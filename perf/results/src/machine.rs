//! A description of the machine that a figure belongs to: a number without its machine says
//! nothing. Everything that differs between operating systems is in the module `platform` at the
//! end; what cannot be found out is "unknown" and never an error. Paths, user and host names are
//! left out.

use std::path::Path;
use std::process::Command;
use std::{env, thread};

use serde::{Deserialize, Serialize};

/// The value where the platform does not report one.
pub const UNKNOWN: &str = "unknown";

/// The compiler that built this crate, and with it the running program: `rustc 1.95.0 (…)`.
pub const COMPILER: &str = env!("BUILT_BY");

/// A machine, as far as it matters for a figure.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Machine {
    /// The CPU's model.
    pub cpu: String,
    /// Logical cores that this program may use.
    pub cores: usize,
    /// Memory in bytes; `None` when unknown.
    pub memory_bytes: Option<u64>,
    /// The device under the folder that the logs are written to.
    pub disk: String,
    /// That folder's filesystem.
    pub filesystem: String,
    /// The kernel's version.
    pub kernel: String,
    /// The compiler that built this program.
    pub compiler: String,
    /// The operating system.
    pub os: String,
    /// The instruction set.
    pub arch: String,
}

impl Machine {
    /// One line for people: "AMD EPYC, 2 cores, 24 GiB, ext4 on vda, linux x86_64".
    pub fn summary(&self) -> String {
        let plural = if self.cores == 1 { "" } else { "s" };
        let mut parts = vec![self.cpu.clone(), format!("{} core{plural}", self.cores)];
        if let Some(bytes) = self.memory_bytes {
            parts.push(format!("{:.0} GiB", bytes as f64 / f64::from(1_u32 << 30)));
        }
        match (self.filesystem.as_str(), self.disk.as_str()) {
            (UNKNOWN, _) => {}
            (filesystem, UNKNOWN) => parts.push(filesystem.to_string()),
            (filesystem, disk) => parts.push(format!("{filesystem} on {disk}")),
        }
        parts.push(format!("{} {}", self.os, self.arch));
        parts.join(", ")
    }
}

/// Describes this machine and the disk under `data_dir`.
pub fn describe(data_dir: &Path) -> Machine {
    let (filesystem, disk) = platform::filesystem(data_dir).unwrap_or_default();
    Machine {
        cpu: or_unknown(platform::cpu()),
        cores: thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: platform::memory_bytes(),
        disk: or_unknown(Some(disk)),
        filesystem: or_unknown(Some(filesystem)),
        kernel: or_unknown(platform::kernel()),
        compiler: COMPILER.to_string(),
        os: env::consts::OS.to_string(),
        arch: env::consts::ARCH.to_string(),
    }
}

/// The commit of the source tree that this was built from, from [`program::repository::commit`].
pub fn commit() -> String {
    program::repository::commit(Path::new(env!("CARGO_MANIFEST_DIR")))
}

fn or_unknown(text: Option<String>) -> String {
    text.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| UNKNOWN.to_string())
}

/// The first line that a program prints; `None` when it fails or prints nothing.
#[cfg_attr(target_os = "linux", allow(dead_code, reason = "Linux has files for what other systems report by programs"))]
fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_string())
}

/// The mount of `(mount point, filesystem, device)` that holds `path`: the longest mount point that
/// the path starts with, the later one when two are equal.
#[cfg_attr(windows, allow(dead_code, reason = "drives are not mount points"))]
fn mount_of(path: &Path, mounts: Vec<(String, String, String)>) -> Option<(String, String)> {
    mounts
        .into_iter()
        .filter(|(point, ..)| path.starts_with(point))
        .max_by_key(|(point, ..)| point.len())
        .map(|(_, filesystem, device)| (filesystem, device_name(&device)))
}

/// A device's own name; a network share or a pool is named by its filesystem only.
#[cfg_attr(windows, allow(dead_code, reason = "drives are not mount points"))]
fn device_name(device: &str) -> String {
    match device.strip_prefix("/dev/") {
        Some(name) => name.rsplit('/').next().unwrap_or(name).to_string(),
        None => String::new(),
    }
}

/// Reads `/proc/self/mountinfo`: `id parent major:minor root POINT options … - TYPE DEVICE options`.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "Linux's format"))]
fn parse_mountinfo(text: &str) -> Vec<(String, String, String)> {
    let parse = |line: &str| {
        let (before, after) = line.split_once(" - ")?;
        let point = before.split(' ').nth(4)?.replace("\\040", " ");
        let mut after = after.split(' ');
        Some((point, after.next()?.to_string(), after.next()?.to_string()))
    };
    text.lines().filter_map(parse).collect()
}

/// Reads what macOS's `mount` prints: `/dev/disk3s1 on /System/Volumes/Data (apfs, local, …)`.
#[cfg_attr(not(target_os = "macos"), allow(dead_code, reason = "macOS's format"))]
fn parse_mount(text: &str) -> Vec<(String, String, String)> {
    let parse = |line: &str| {
        let (device, rest) = line.split_once(" on ")?;
        let (point, options) = rest.rsplit_once(" (")?;
        let filesystem = options.split([',', ')']).next()?;
        Some((point.to_string(), filesystem.to_string(), device.to_string()))
    };
    text.lines().filter_map(parse).collect()
}

/// The value of `key: value` in `/proc/cpuinfo` or `/proc/meminfo`.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "Linux's format"))]
fn proc_value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

/// Linux, through `/proc`.
#[cfg(target_os = "linux")]
mod platform {
    use std::fs;

    use super::*;

    pub fn cpu() -> Option<String> {
        let text = fs::read_to_string("/proc/cpuinfo").ok()?;
        if let Some(model) = proc_value(&text, "model name") {
            return Some(model.to_string());
        }
        // 64-bit Arm gives no model, only the core's designer and its part number.
        let implementer = proc_value(&text, "CPU implementer")?;
        Some(format!("CPU implementer {implementer} part {}", proc_value(&text, "CPU part")?))
    }

    pub fn memory_bytes() -> Option<u64> {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        let kibibytes: u64 = proc_value(&text, "MemTotal")?.strip_suffix(" kB")?.parse().ok()?;
        kibibytes.checked_mul(1024)
    }

    pub fn kernel() -> Option<String> {
        fs::read_to_string("/proc/sys/kernel/osrelease").ok()
    }

    pub fn filesystem(data_dir: &Path) -> Option<(String, String)> {
        let path = data_dir.canonicalize().ok()?;
        mount_of(&path, parse_mountinfo(&fs::read_to_string("/proc/self/mountinfo").ok()?))
    }
}

/// macOS, through its own programs.
#[cfg(target_os = "macos")]
mod platform {
    use super::*;

    pub fn cpu() -> Option<String> {
        first_line("sysctl", &["-n", "machdep.cpu.brand_string"])
    }

    pub fn memory_bytes() -> Option<u64> {
        first_line("sysctl", &["-n", "hw.memsize"])?.parse().ok()
    }

    pub fn kernel() -> Option<String> {
        first_line("uname", &["-r"])
    }

    pub fn filesystem(data_dir: &Path) -> Option<(String, String)> {
        let path = data_dir.canonicalize().ok()?;
        let output = Command::new("mount").output().ok()?;
        mount_of(&path, parse_mount(&String::from_utf8_lossy(&output.stdout)))
    }
}

/// Windows and the rest: what the environment and common tools report.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod platform {
    use super::*;

    pub fn cpu() -> Option<String> {
        env::var("PROCESSOR_IDENTIFIER").ok()
    }

    pub fn memory_bytes() -> Option<u64> {
        None
    }

    pub fn kernel() -> Option<String> {
        if cfg!(windows) {
            let output = Command::new("cmd").args(["/C", "ver"]).output().ok()?;
            return Some(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        first_line("uname", &["-r"])
    }

    pub fn filesystem(_data_dir: &Path) -> Option<(String, String)> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_mount_point_holds_a_path() {
        let text = "22 1 254:1 / / rw - ext4 /dev/vda1 rw\n\
                    30 22 0:5 / /my\\040data rw,relatime shared:1 - xfs /dev/mapper/fast rw\n\
                    31 22 0:6 / /my rw - tmpfs tmpfs rw";
        let mount = |path: &str| mount_of(Path::new(path), parse_mountinfo(text));
        assert_eq!(mount("/home"), Some(("ext4".into(), "vda1".into())));
        assert_eq!(mount("/my data/logs"), Some(("xfs".into(), "fast".into())));
        assert_eq!(mount("/my/logs"), Some(("tmpfs".into(), String::new())));
        assert_eq!(mount("/mystery"), Some(("ext4".into(), "vda1".into())));
    }

    #[test]
    fn the_mount_table_of_macos_is_read() {
        let text = "/dev/disk3s1s1 on / (apfs, sealed, local)\n\
                    /dev/disk3s5 on /System/Volumes/Data (apfs, local)\n\
                    //guest@host/share on /Volumes/share (smbfs)";
        let mount = |path: &str| mount_of(Path::new(path), parse_mount(text));
        assert_eq!(mount("/var"), Some(("apfs".into(), "disk3s1s1".into())));
        assert_eq!(mount("/Volumes/share/x"), Some(("smbfs".into(), String::new())));
    }

    #[test]
    fn proc_files_are_read_by_key() {
        let text = "processor\t: 0\nmodel name\t: A CPU: fast\nMemTotal:       24 kB\n";
        assert_eq!(proc_value(text, "model name"), Some("A CPU: fast"));
        assert_eq!(proc_value(text, "MemTotal"), Some("24 kB"));
        assert_eq!(proc_value(text, "cores"), None);
    }

    #[test]
    fn this_machine_is_described_without_paths() {
        let machine = describe(&env::temp_dir());
        assert!(machine.cores >= 1);
        let text = serde_json::to_string(&machine).unwrap();
        assert!(!text.contains('/'), "a path or a share in {text}");
        assert!(machine.compiler == UNKNOWN || machine.compiler.starts_with("rustc "));
        assert!(machine.summary().contains(&machine.arch));
        if cfg!(target_os = "linux") {
            assert!(machine.memory_bytes.is_some());
            assert_ne!(machine.kernel, UNKNOWN);
        }
    }
}
