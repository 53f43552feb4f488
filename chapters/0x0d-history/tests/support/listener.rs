//! A reader of an account's notices, over server-sent events.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A notice that has not come by then is missing. No measurement.
const STUCK: Duration = Duration::from_secs(60);

/// What was heard.
#[derive(Debug, Default)]
pub struct Heard {
    /// The notices.
    pub notices: Vec<Value>,
    /// The cursor after the last thing that was heard.
    pub cursor: String,
    /// The events with which it was ended, each with its data.
    pub ended: Vec<(String, String)>,
}

/// The places in a cursor, one of each shard: a command, and which of its events.
pub fn places(cursor: &str) -> Vec<(u64, u64)> {
    let place = |text: &str| {
        let (sequence, index) = text.split_once('.').unwrap();
        (sequence.parse().unwrap(), index.parse().unwrap())
    };
    cursor.split_once('.').unwrap().1.split('-').map(place).collect()
}

/// Reads what comes after a cursor, until that is enough or the connection is ended.
pub fn listen(address: SocketAddr, key: &str, after: &str, is_enough: impl Fn(&Heard) -> bool) -> Heard {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(STUCK)).unwrap();
    let head = format!("Host: test\r\nAuthorization: Bearer {key}\r\nLast-Event-ID: {after}\r\n\r\n");
    stream.write_all(format!("GET /v1/notices HTTP/1.1\r\n{head}").as_bytes()).unwrap();
    let (mut heard, mut name, mut data, began) = (Heard::default(), String::new(), String::new(), Instant::now());
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        assert!(began.elapsed() < STUCK, "notices are missing: {heard:?}");
        if let Some(id) = line.strip_prefix("id: ") {
            id.clone_into(&mut heard.cursor);
        } else if let Some(event) = line.strip_prefix("event: ") {
            event.clone_into(&mut name);
        } else if let Some(text) = line.strip_prefix("data: ") {
            text.clone_into(&mut data);
        } else if line.is_empty() && !heard.cursor.is_empty() {
            match name.as_str() {
                "notice" => heard.notices.push(serde_json::from_str(&data).unwrap()),
                "gone" | "bye" => heard.ended.push((name.clone(), data.clone())),
                _ => {}
            }
            if name == "bye" || is_enough(&heard) {
                return heard;
            }
            name.clear();
            data.clear();
        }
    }
    panic!("the connection ended: {heard:?}");
}

/// Whether it has come to these commands, one of each shard.
pub fn has_come_to(end: &[u64]) -> impl Fn(&Heard) -> bool {
    move |heard| places(&heard.cursor).iter().zip(end).all(|((read, _), end)| read >= end)
}

/// A notice's shard, and its place there.
fn place(notice: &Value) -> (usize, (u64, u64)) {
    let number = |name: &str| notice[name].as_u64().unwrap();
    (number("shard") as usize, (number("sequence"), number("index")))
}

/// What happened in each shard after one cursor and up to another. With one shard the cursors in the notices are the same
/// wherever they came from; with several, shards take turns as they like.
pub fn between(notices: &[Value], after: &str, to: Option<&str>, shards: u16) -> Vec<Vec<Value>> {
    let after = if after == "first" { vec![(0, 0); shards.into()] } else { places(after) };
    let to = to.map_or(vec![(u64::MAX, 0); shards.into()], places);
    let mut found = vec![Vec::new(); shards.into()];
    for notice in notices {
        let ((shard, place), mut notice) = (place(notice), notice.clone());
        if shards > 1 {
            assert!(notice.as_object_mut().unwrap().remove("cursor").is_some());
        }
        if place > after[shard] && place <= to[shard] {
            found[shard].push(notice);
        }
    }
    found
}

/// Fails with the places where they differ.
pub fn assert_same(heard: &[Vec<Value>], expected: &[Vec<Value>], when: &str) {
    let places = |all: &[Vec<Value>]| all.concat().iter().map(place).collect::<Vec<_>>();
    assert_eq!(places(heard), places(expected), "{when}");
    assert_eq!(heard, expected, "{when}");
}
