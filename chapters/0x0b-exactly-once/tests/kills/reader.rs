//! A reader of an account's notices, over server-sent events: it keeps its cursor beside what it has read, and sends it when
//! it reconnects.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::trader::Account;

/// A notice that has not come by then is missing. Not a measurement.
const IN_TIME: Duration = Duration::from_secs(60);

/// What was read so far: notices, and the cursor after the last.
#[derive(Default)]
struct Read {
    notices: Vec<Value>,
    cursor: Option<String>,
    connections: u32,
}

pub struct Reader {
    read: Arc<Mutex<Read>>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Reader {
    /// Reads everything from the first notice on, over any number of connections.
    pub fn start(account: &Arc<Account>, address: SocketAddr) -> Reader {
        let (read, stop) = (Arc::new(Mutex::new(Read::default())), Arc::new(AtomicBool::new(false)));
        let (own, account, ends) = (Arc::clone(&read), Arc::clone(account), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                let _ = connection(&own, &account.key, address, &ends);
                thread::sleep(Duration::from_millis(1));
            }
        });
        Reader { read, stop, thread }
    }

    /// Waits until it has read up to these sequences, and hands over what it has.
    pub fn read_to(self, end: &[u64]) -> Vec<Value> {
        let began = Instant::now();
        while !has_come_to(self.read.lock().unwrap().cursor.as_deref(), end) {
            let cursor = self.read.lock().unwrap().cursor.clone();
            assert!(began.elapsed() < IN_TIME, "notices are missing: {cursor:?} of {end:?}");
            thread::sleep(Duration::from_millis(2));
        }
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
        std::mem::take(&mut self.read.lock().unwrap().notices)
    }
}

/// Whether a cursor has come to these sequences, one for each shard.
fn has_come_to(cursor: Option<&str>, end: &[u64]) -> bool {
    let Some((_, places)) = cursor.and_then(|cursor| cursor.split_once('.')) else { return false };
    let read = places.split('-').map(|place| place.split('.').next().unwrap().parse::<u64>().unwrap());
    read.zip(end).all(|(read, end)| read >= *end)
}

/// One connection, until it breaks.
fn connection(read: &Mutex<Read>, key: &str, address: SocketAddr, stop: &AtomicBool) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let after = read.lock().unwrap().cursor.clone();
    read.lock().unwrap().connections += 1;
    // The address asks for everything. Later connections also send the cursor, as a browser does.
    let last = after.map_or(String::new(), |after| format!("Last-Event-ID: {after}\r\n"));
    let head = format!("Host: test\r\nAuthorization: Bearer {key}\r\n{last}\r\n");
    stream.write_all(format!("GET /v1/notices?after=first HTTP/1.1\r\n{head}").as_bytes())?;
    let mut lines = BufReader::new(stream);
    let (mut line, mut id, mut kind, mut data) = (Vec::new(), None, String::new(), String::new());
    let mut is_first = true;
    loop {
        match lines.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(()),
            // A line that the connection cut off is ignored.
            Ok(_) if line.last() != Some(&b'\n') => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                if stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                continue;
            }
            Err(error) => return Err(error),
        }
        let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
        line.clear();
        if std::mem::replace(&mut is_first, false) && !text.contains(" 200 ") {
            return Ok(());
        }
        if let Some(value) = text.strip_prefix("id: ") {
            id = Some(value.to_owned());
        } else if let Some(value) = text.strip_prefix("event: ") {
            kind = value.to_owned();
        } else if let Some(value) = text.strip_prefix("data: ") {
            data = value.to_owned();
        } else if text.is_empty() && id.is_some() {
            // The cursor and what it led to, together.
            let mut read = read.lock().unwrap();
            read.cursor = id.take();
            if kind == "notice" {
                read.notices.push(serde_json::from_str(&data).map_err(std::io::Error::other)?);
            }
            kind.clear();
            data.clear();
        }
    }
}
