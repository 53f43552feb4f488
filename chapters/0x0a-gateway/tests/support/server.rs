//! The program as a process of its own, and all its output.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::client::Client;

/// This chapter's program, or that of a later chapter, which is held to the same.
pub const PROGRAM: &str = {
    let programs = [
        option_env!("CARGO_BIN_EXE_ch0a"),
        option_env!("CARGO_BIN_EXE_ch0b"),
        option_env!("CARGO_BIN_EXE_ch0c"),
        option_env!("CARGO_BIN_EXE_ch0d"),
        option_env!("CARGO_BIN_EXE_ch0e"),
    ];
    let mut at = 0;
    loop {
        assert!(at < programs.len(), "cargo names the program of the package under test");
        if let Some(program) = programs[at] {
            break program;
        }
        at += 1;
    }
};

/// A program that takes longer is stuck. Not a measurement.
const STUCK: Duration = Duration::from_secs(60);

/// Runs the program when it has to end by itself.
pub fn ended(command: &mut Command) -> Output {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > STUCK {
            child.kill().unwrap();
            panic!("it does not end: {command:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().unwrap()
}

/// The lines of both outputs so far.
type Said = Arc<Mutex<Vec<String>>>;

/// A running venue. It is killed when this is dropped.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    /// Shown at the first start only.
    pub operator: Option<String>,
    said: Said,
    readers: Vec<JoinHandle<()>>,
}

impl Server {
    /// Starts it on this data directory, without demo, and waits until it is open.
    pub fn start(data_dir: &Path, more: &[&str]) -> Server {
        let mut command = Command::new(PROGRAM);
        command.arg("--no-demo").arg("--data-dir").arg(data_dir).args(more);
        Server::of(&mut command)
    }

    pub fn of(command: &mut Command) -> Server {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (said, (lines, told)) = (Said::default(), channel());
        let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let readers =
            vec![read(stdout, &said, move |line| drop(lines.send(line.to_owned()))), read(stderr, &said, |_| {})];
        let (address, operator) = opened(&told).unwrap_or_else(|| {
            let _ = child.kill();
            panic!("it does not open: {:?}", child.wait().map(|_| said.lock().unwrap().join("\n")))
        });
        Server { child, address, operator, said, readers }
    }

    pub fn client(&self) -> Client {
        Client::connect(self.address).unwrap()
    }

    /// What it has said so far.
    pub fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it without warning; returns its output.
    pub fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.end().1
    }

    /// Asks it to stop as Ctrl-C does, and waits until it has; returns its output.
    #[cfg(unix)]
    pub fn interrupt(self) -> (ExitStatus, String) {
        let asked = Command::new("kill").args(["-INT", &self.id().to_string()]).status();
        assert!(asked.unwrap().success());
        self.end()
    }

    /// Waits until it has ended.
    pub fn end(mut self) -> (ExitStatus, String) {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < STUCK, "it does not end");
            std::thread::sleep(Duration::from_millis(2));
        };
        self.readers.drain(..).for_each(|reader| reader.join().unwrap());
        (status, self.said.lock().unwrap().join("\n"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(from: impl Read + Send + 'static, said: &Said, mut each: impl FnMut(&str) + Send + 'static) -> JoinHandle<()> {
    let said = Arc::clone(said);
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            each(&line);
            said.lock().unwrap().push(line);
        }
    })
}

/// The address that it prints, and the operator's key if it is shown.
fn opened(told: &Receiver<String>) -> Option<(SocketAddr, Option<String>)> {
    let mut operator = None;
    loop {
        let line = told.recv_timeout(STUCK).ok()?;
        if line.contains("operator") {
            let key = line.split_whitespace().find(|word| word.starts_with("nnc_"));
            operator = key.map(str::to_owned).or(operator);
        }
        let url = line.strip_prefix("open ").and_then(|url| url.split_once("://"));
        if let Some((_, rest)) = url {
            let address = rest.split('/').next()?;
            return Some((address.parse().ok()?, operator));
        }
    }
}
