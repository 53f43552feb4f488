//! A machine of the venue, as a process of its own, and all its output.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::client::Client;

/// What has not come by then never will. Not a measurement.
const STUCK: Duration = Duration::from_secs(60);

/// A process. It is killed when this is dropped.
pub struct Machine {
    child: Child,
    said: Arc<Mutex<Vec<String>>>,
    readers: Vec<JoinHandle<()>>,
}

impl Machine {
    /// Starts a primary, or with `standby` in `role` a standby.
    pub fn start(role: &[&str], folder: &Path, replicas: &[String], more: &[&str]) -> Machine {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ch0e"));
        command.args(role).arg("--data-dir").arg(folder).args(["--replicas", &replicas.join(",")]);
        command.args(["--no-demo", "--orders-per-second", "0"]).args(more);
        Machine::of(&mut command)
    }

    /// Starts this.
    pub fn of(command: &mut Command) -> Machine {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Arc::<Mutex<Vec<String>>>::default();
        let readers = vec![read(child.stdout.take().unwrap(), &said), read(child.stderr.take().unwrap(), &said)];
        Machine { child, said, readers }
    }

    /// What follows these words in a line that it says. It waits for the line.
    pub fn wait_for(&mut self, words: &str) -> String {
        let began = Instant::now();
        loop {
            if let Some(rest) = self.find(words) {
                return rest;
            }
            let ended = self.child.try_wait().unwrap();
            if ended.is_some() || began.elapsed() > STUCK {
                // What it said last may be on its way.
                thread::sleep(Duration::from_millis(50));
                let found = self.find(words);
                return found.unwrap_or_else(|| panic!("it does not say {words:?}, ended: {ended:?}\n{}", self.said()));
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn find(&self, words: &str) -> Option<String> {
        let said = self.said.lock().unwrap();
        said.iter().find_map(|line| line.split_once(words).map(|(_, rest)| rest.to_owned()))
    }

    /// Where it listens, once it is a primary that is open.
    pub fn address(&mut self) -> SocketAddr {
        let rest = self.wait_for("open http://");
        rest.trim_end_matches('/').parse().unwrap()
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Whether it has said where it listens.
    pub fn has_opened(&self) -> bool {
        self.find("open http://").is_some()
    }

    pub fn client(&mut self) -> Client {
        Client::connect(self.address()).unwrap()
    }

    /// What Prometheus reads of it.
    pub fn metrics(&mut self) -> String {
        let address = self.wait_for("metrics http://").trim_end_matches("/metrics").parse().unwrap();
        let answer = Client::connect(address).unwrap().get("/metrics").unwrap();
        String::from_utf8(answer.body).unwrap()
    }

    /// The operator's key, which a first start shows.
    pub fn operator(&mut self) -> String {
        let rest = self.wait_for("operator's key, shown once: ");
        rest.trim().to_owned()
    }

    pub fn said(&self) -> String {
        self.said.lock().unwrap().join("\n")
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal by name.
    pub fn signal(&self, name: &str) {
        signal(self.id(), name);
    }

    /// Kills it without warning; the result is all that it said.
    pub fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.end().1
    }

    /// Waits until it has ended.
    pub fn end(mut self) -> (ExitStatus, String) {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < STUCK, "it does not end:\n{}", self.said());
            thread::sleep(Duration::from_millis(2));
        };
        self.readers.drain(..).for_each(|reader| reader.join().unwrap());
        let said = self.said();
        (status, said)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a process a signal by name.
pub fn signal(process: u32, name: &str) {
    let asked = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    assert!(asked.unwrap().success());
}

fn read(from: impl Read + Send + 'static, said: &Arc<Mutex<Vec<String>>>) -> JoinHandle<()> {
    let said = Arc::clone(said);
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            said.lock().unwrap().push(line);
        }
    })
}
