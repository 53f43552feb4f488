//! Three machines that are network namespaces, on one switch. Everything runs inside namespaces that the test makes for itself, so
//! whatever becomes of it, the system's own network stays as it is, and all processes end with the first of them.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use replication::cluster;

use super::machine::Machine;

/// How long the whole test may take. Not a measurement.
const STUCK: Duration = Duration::from_secs(180);

/// Where the test finds its folder once it is inside.
const FOLDER: &str = "REPLICATION_NETWORK";

const NAMESPACES: [&str; 6] = ["--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child"];

/// `ip` keeps the names of namespaces under /run, which is the test's own here.
const SWITCH: &str = "
    mount -t tmpfs none /run
    ip link set lo up
    ip link add switch type bridge
    ip link set switch up
    for machine in a=10.0.0.1 b=10.0.0.2 c=10.0.0.3; do
        name=${machine%=*}
        ip netns add $name
        ip link add to-$name type veth peer name eth0 netns $name
        ip link set to-$name master switch up
        ip -n $name addr add ${machine#*=}/24 dev eth0
        ip -n $name link set eth0 up
        ip -n $name link set lo up
    done";

/// Runs the test of this name again, inside. There the result is its folder; outside it is none, when all is over.
pub fn enter(test: &str) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return Some(folder.into());
    }
    if let Err(reason) = possible() {
        assert!(std::env::var_os("CI").is_none() || !cfg!(target_os = "linux"), "CI tests this: {reason}");
        println!("skipped: {reason}");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("unshare");
    command.args(NAMESPACES).arg(std::env::current_exe().unwrap()).args([test, "--exact", "--nocapture"]);
    let mut inside = command.env(FOLDER, folder.path()).stdin(Stdio::null()).spawn().unwrap();
    let status = wait(&mut inside).unwrap_or_else(|| {
        let _ = inside.kill();
        let _ = inside.wait();
        panic!("it does not end");
    });
    assert!(status, "see above: the same test failed inside its namespaces");
    None
}

/// Whether it ended well; none when it does not end.
fn wait(child: &mut Child) -> Option<bool> {
    let began = Instant::now();
    while began.elapsed() < STUCK {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status.success());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

/// Why there can be no such network here.
fn possible() -> Result<(), String> {
    cluster::available()?;
    let runs = |line: &str| {
        let mut words = line.split(' ');
        let mut command = Command::new(words.next().unwrap_or_default());
        let status = command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success()).then_some(()).ok_or(format!("`{line}` fails"))
    };
    ["openssl version", "curl --version", "nsenter --version"].into_iter().try_for_each(runs)?;
    let ip = "ip link add switch type bridge";
    let words = "no network namespaces with a bridge can be made here";
    runs(&format!("unshare {} {ip}", NAMESPACES.join(" "))).map_err(|reason| format!("{words}: {reason}"))
}

/// Three machines on one switch, each with a folder.
pub struct Network {
    folder: PathBuf,
}

impl Network {
    /// Inside only.
    pub fn new(folder: &Path) -> Network {
        let status = Command::new("sh").args(["-e", "-c", SWITCH]).status().unwrap();
        assert!(status.success(), "the network can't be made");
        Network { folder: folder.to_path_buf() }
    }

    /// The folder of a machine, or of the operator's own computer, which has no name.
    pub fn folder(&self, machine: &str) -> PathBuf {
        self.folder.join(machine)
    }

    /// Plugs a machine in, or pulls its plug.
    pub fn plug(&self, machine: &str, is_in: bool) {
        let state = if is_in { "up" } else { "down" };
        let status = Command::new("ip").args(["link", "set", &format!("to-{machine}"), state]).status().unwrap();
        assert!(status.success());
    }

    /// Cuts a machine's power: its cable carries nothing more, not even that its connections end, and all that it ran is gone.
    pub fn cut(&self, machine: &str, running: Vec<Machine>) {
        self.plug(machine, false);
        for process in running {
            let group = format!("-{}", process.id());
            assert!(Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
            process.end();
        }
    }

    /// Starts these lines on a machine.
    pub fn start(&self, machine: &str, lines: &str, variables: &[(&str, &str)]) -> Machine {
        let mut command = Command::new("nsenter");
        if machine.is_empty() {
            command = Command::new("env");
        } else {
            command.arg(format!("--net=/run/netns/{machine}"));
        }
        command.args(["bash", "-c", lines]).current_dir(self.folder(machine)).env("PATH", path());
        command.envs(variables.iter().copied());
        Machine::of(command.process_group(0))
    }

    /// Runs these lines on a machine to their end: whether they went well, and what they said.
    pub fn run(&self, machine: &str, lines: &str, variables: &[(&str, &str)]) -> (bool, String) {
        let (status, said) = self.start(machine, lines, variables).end();
        (status.success(), said)
    }
}

/// Where the program is found, and `nats-server` if only Go knows where.
fn path() -> std::ffi::OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_ch0e")).parent().unwrap().to_path_buf();
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("go/bin"));
    let known = std::env::var_os("PATH").unwrap_or_default();
    let known = std::env::split_paths(&known).collect::<Vec<_>>();
    std::env::join_paths([own].into_iter().chain(known).chain(home)).unwrap()
}
