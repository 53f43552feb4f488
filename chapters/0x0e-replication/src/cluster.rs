//! Three `nats-server` processes on this machine, for a reader who wants to try it, and for tests and measurements.
//!
//! They listen on loopback only, at ports that the system chose, keep their streams in folders of their own, and end with the
//! program that started them. On one disk they show how replication works, and not what it survives.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::ReplicaError;

/// How many servers there are.
pub const SERVERS: usize = 3;

/// How large a message may be, in bytes.
const PAYLOAD_MAX: &str = "8MB";

/// How long the servers may need to answer.
const START: Duration = Duration::from_secs(20);

/// How many times to choose other ports.
const TRIES: u32 = 5;

/// Where a server listens.
#[derive(Clone, Copy, Debug)]
pub struct Ports {
    /// For clients.
    pub client: u16,
    /// For the other servers.
    pub cluster: u16,
}

/// Three servers. They are killed when this is dropped.
pub struct Cluster {
    folder: PathBuf,
    ports: Vec<Ports>,
    children: Vec<Option<Child>>,
}

impl Cluster {
    /// Starts three servers that keep their streams below `folder`, and returns when all of them answer.
    ///
    /// # Errors
    /// [`ReplicaError::Cluster`], when there is no `nats-server` or one of them does not start.
    pub fn start(folder: &Path) -> Result<Cluster, ReplicaError> {
        Cluster::start_at(folder, free_ports)
    }

    /// The same, at ports that `choose` finds. It chooses again if another program takes one of them before the server
    /// does.
    ///
    /// # Errors
    /// As [`start`](Cluster::start).
    pub fn start_at(
        folder: &Path,
        mut choose: impl FnMut() -> io::Result<Vec<Ports>>,
    ) -> Result<Cluster, ReplicaError> {
        let mut tries = 0..TRIES;
        loop {
            let ports = choose().map_err(|error| ReplicaError::Cluster(format!("no port is free: {error}")))?;
            let routes: Vec<u16> = ports.iter().map(|ports| ports.cluster).collect();
            match Cluster::start_with(folder, ports, |_| routes.clone()) {
                Err(ReplicaError::Cluster(why)) if why.contains("address already in use") && tries.next().is_some() => {
                }
                started => return started,
            }
        }
    }

    /// The same, where the test chooses the ports, and says through which each server reaches the others.
    ///
    /// # Errors
    /// As [`start`](Cluster::start).
    pub fn start_with(
        folder: &Path,
        ports: Vec<Ports>,
        routes: impl Fn(usize) -> Vec<u16>,
    ) -> Result<Cluster, ReplicaError> {
        let failed = |error: io::Error| ReplicaError::Cluster(format!("{}: {error}", folder.display()));
        fs::create_dir_all(folder).map_err(failed)?;
        for (number, own) in ports.iter().enumerate() {
            let file = folder.join(format!("server-{number}.conf"));
            fs::write(file, settings(number, *own, &routes(number), &folder.join(number.to_string())))
                .map_err(failed)?;
        }
        let children = ports.iter().map(|_| None).collect();
        let mut cluster = Cluster { folder: folder.to_path_buf(), ports, children };
        (0..cluster.ports.len()).try_for_each(|number| cluster.start_one(number))?;
        cluster.wait()?;
        Ok(cluster)
    }

    /// Starts a server again that was killed.
    ///
    /// # Errors
    /// [`ReplicaError::Cluster`].
    pub fn start_one(&mut self, number: usize) -> Result<(), ReplicaError> {
        let log = fs::File::create(self.folder.join(format!("server-{number}.log")));
        let log = log.map_err(|error| ReplicaError::Cluster(format!("{}: {error}", self.folder.display())))?;
        let mut command = Command::new(program());
        command.arg("-c").arg(self.folder.join(format!("server-{number}.conf")));
        // Ctrl-C is for the program that started them: it ends them.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        let child = child.map_err(|error| ReplicaError::Cluster(missing(&error)))?;
        self.children[number] = Some(child);
        Ok(())
    }

    /// Kills a server without warning, and says which process it was.
    pub fn kill(&mut self, number: usize) {
        if let Some(mut child) = self.children[number].take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// The process of a server that runs.
    pub fn process(&self, number: usize) -> Option<u32> {
        self.children[number].as_ref().map(Child::id)
    }

    /// The folder of a server's streams.
    pub fn store(&self, number: usize) -> PathBuf {
        self.folder.join(number.to_string())
    }

    /// The addresses for clients, as `--replicas` takes them.
    pub fn addresses(&self) -> Vec<String> {
        self.ports.iter().map(|ports| format!("nats://127.0.0.1:{}", ports.client)).collect()
    }

    /// Which server has ended by itself, if one has.
    pub fn ended(&mut self) -> Option<usize> {
        let has_ended = |child: &mut Option<Child>| child.as_mut().is_some_and(|c| !matches!(c.try_wait(), Ok(None)));
        self.children.iter_mut().position(has_ended)
    }

    /// Waits until all answer.
    fn wait(&mut self) -> Result<(), ReplicaError> {
        let began = Instant::now();
        let answers = |ports: &Ports| std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, ports.client)).is_ok();
        while !self.ports.iter().all(answers) {
            let ended = self.ended();
            if ended.is_some() || began.elapsed() > START {
                let number = ended.unwrap_or(0);
                let said = fs::read_to_string(self.folder.join(format!("server-{number}.log"))).unwrap_or_default();
                let last = said.lines().last().unwrap_or("it says nothing").to_owned();
                return Err(ReplicaError::Cluster(format!("server {number} does not start: {last}")));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        (0..self.children.len()).for_each(|number| self.kill(number));
    }
}

/// Whether `nats-server` can be started here. The error says how to get it.
///
/// # Errors
/// When it can't.
pub fn available() -> Result<(), String> {
    let version = Command::new(program()).arg("--version").stdin(Stdio::null()).output();
    version.map(drop).map_err(|error| missing(&error))
}

/// `nats-server` on the path, or where `go install` leaves it.
fn program() -> PathBuf {
    let is_on_path = |path: std::ffi::OsString| std::env::split_paths(&path).any(|at| at.join(PROGRAM).is_file());
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("go/bin").join(PROGRAM));
    match home {
        Some(home) if home.is_file() && !std::env::var_os("PATH").is_some_and(is_on_path) => home,
        _ => PathBuf::from(PROGRAM),
    }
}

const PROGRAM: &str = if cfg!(windows) { "nats-server.exe" } else { "nats-server" };

fn missing(error: &io::Error) -> String {
    format!(
        "nats-server can't be started: {error}; install it with `go install github.com/nats-io/nats-server/v2@v2.15.3`, which \
         puts it into ~/go/bin"
    )
}

/// The settings of a server, as its file says them.
fn settings(number: usize, own: Ports, routes: &[u16], store: &Path) -> String {
    let routes = routes.iter().map(|port| format!("nats-route://127.0.0.1:{port}"));
    let routes = routes.collect::<Vec<_>>().join(", ");
    format!(
        "server_name: replica-{number}\nlisten: 127.0.0.1:{}\nmax_payload: {PAYLOAD_MAX}\n\
         jetstream {{ store_dir: {store:?}, sync_interval: always }}\n\
         cluster {{ name: cents, listen: 127.0.0.1:{}, routes: [ {routes} ] }}\n",
        own.client, own.cluster
    )
}

/// Ports that are free now. All are held until the last is found, so that no two are the same.
pub fn free_ports() -> io::Result<Vec<Ports>> {
    let listen = || TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let held = (0..2 * SERVERS).map(|_| listen()).collect::<io::Result<Vec<_>>>()?;
    let ports = held.iter().map(|held| Ok(held.local_addr()?.port())).collect::<io::Result<Vec<_>>>()?;
    Ok(ports.chunks_exact(2).map(|pair| Ports { client: pair[0], cluster: pair[1] }).collect())
}
