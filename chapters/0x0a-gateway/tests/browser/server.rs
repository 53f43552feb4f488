//! The program as people start it, on a port of its own.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

pub struct Server {
    child: Child,
    pub address: SocketAddr,
    /// The operator's key; shown at the first start of a folder only.
    pub operator: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts it over a folder, on any port that is free.
    pub fn start(folder: &TempDir) -> Server {
        Server::start_at(folder.path(), "127.0.0.1:0")
    }

    /// Starts it where another one was.
    pub fn start_at(folder: &Path, address: &str) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ch0a"))
            .args(["--no-demo", "--listen", address, "--data-dir"])
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut operator = String::new();
        let address = loop {
            let line = lines.next().expect("the server says where it is");
            if let Some((_, key)) = line.split_once("operator's key, shown once: ") {
                key.clone_into(&mut operator);
            }
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.trim_end_matches('/').parse().unwrap();
            }
        };
        std::thread::spawn(move || lines.for_each(drop));
        Server { child, address, operator }
    }

    /// Ends it as a power cut would.
    pub fn kill(mut self) -> SocketAddr {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.address
    }

    /// Lets it sleep, or go on.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success(), "kill -{name}");
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What the operator asks, over a connection of its own; gives the answer's body.
    pub fn operate(&self, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let (length, key) = (body.len(), &self.operator);
        let mut stream = TcpStream::connect(self.address).unwrap();
        let head = format!("POST {path} HTTP/1.1\r\nHost: {0}\r\nAuthorization: Bearer {key}\r\n", self.address);
        let rest =
            format!("Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        stream.write_all((head + &rest).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 2"), "{path}: {answer}");
        serde_json::from_str(body).unwrap_or(Value::Null)
    }

    /// Opens a market and gives its number.
    pub fn open_market(&self, en: &str, zh: &str) -> u64 {
        self.operate("/v1/markets", &json!({"question": {"en": en, "zh": zh}}))["market"].as_u64().unwrap()
    }
}
