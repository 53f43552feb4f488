//! A handwritten client, so that a test sees each byte: HTTP/1.1 on one kept-alive connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// A longer wait means that something is stuck. Not a measurement.
const STUCK: Duration = Duration::from_secs(60);

/// One connection.
pub struct Client<S: Read + Write = TcpStream> {
    stream: BufReader<S>,
    pub key: Option<String>,
}

/// A complete answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// The head without its first line.
    pub headers: String,
    pub body: Vec<u8>,
}

impl Answer {
    /// A header's value; `name` in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.headers.lines().filter_map(|line| line.split_once(':'));
        lines.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// The body, which has to be JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// A problem's reason.
    pub fn reason(&self) -> String {
        self.json()["reason"].as_str().unwrap_or_else(|| panic!("no problem: {self:?}")).to_owned()
    }
}

impl Client {
    pub fn connect(address: SocketAddr) -> io::Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(STUCK))?;
        Ok(Client::over(stream))
    }
}

impl<S: Read + Write> Client<S> {
    pub fn over(stream: S) -> Client<S> {
        Client { stream: BufReader::new(stream), key: None }
    }

    pub fn with_key(self, key: &str) -> Client<S> {
        Client { key: Some(key.to_owned()), ..self }
    }

    pub fn get(&mut self, path: &str) -> io::Result<Answer> {
        self.ask("GET", path, "")
    }

    pub fn post(&mut self, path: &str, body: &Value) -> io::Result<Answer> {
        self.ask("POST", path, &body.to_string())
    }

    pub fn delete(&mut self, path: &str) -> io::Result<Answer> {
        self.ask("DELETE", path, "")
    }

    /// All open orders of the account, page by page.
    pub fn open_orders(&mut self) -> Vec<Value> {
        let (mut orders, mut query) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("/v1/orders{query}")).unwrap().json();
            orders.extend(page["orders"].as_array().unwrap().iter().cloned());
            let Some(next) = page["next"].as_str() else { return orders };
            query = format!("?after={next}");
        }
    }

    /// Sends a request, and reads the answer.
    pub fn ask(&mut self, method: &str, path: &str, body: &str) -> io::Result<Answer> {
        let key = self.key.as_ref().map_or(String::new(), |key| format!("Authorization: Bearer {key}\r\n"));
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: test\r\n{key}Content-Length: {length}\r\n\r\n");
        self.send((head + body).as_bytes())?;
        self.answer()
    }

    /// Sends bytes unchanged.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Reads one answer.
    pub fn answer(&mut self) -> io::Result<Answer> {
        let mut first = String::new();
        if self.stream.read_line(&mut first)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("no answer: {first:?}")))?;
        let mut headers = String::new();
        while !headers.ends_with("\r\n\r\n") && headers != "\r\n" {
            if self.stream.read_line(&mut headers)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let mut answer = Answer { status, headers, body: Vec::new() };
        let length = answer.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        answer.body.resize(length, 0);
        self.stream.read_exact(&mut answer.body)?;
        Ok(answer)
    }
}
