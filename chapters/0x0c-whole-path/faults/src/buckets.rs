//! A proxy in front of the metrics, which saves series: it leaves out all buckets below a second.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// The shortest bound of a bucket that is left, in seconds.
const SHORTEST: f64 = 1.0;

/// How long a scraper may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much of its request is read, in bytes.
const HEAD_BYTES_MAX: usize = 16 << 10;

/// Serves at this public address what the venue serves at the one that is returned.
pub fn in_front_of(public: TcpListener) -> io::Result<TcpListener> {
    let inner = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let venue = inner.local_addr()?;
    thread::spawn(move || {
        for scraper in public.incoming().flatten() {
            // A scraper that has gone away is no error of ours.
            let _ = pass(scraper, venue);
        }
    });
    Ok(inner)
}

fn pass(mut scraper: TcpStream, venue: SocketAddr) -> io::Result<()> {
    scraper.set_read_timeout(Some(PATIENCE))?;
    scraper.set_write_timeout(Some(PATIENCE))?;
    let mut head = [0; HEAD_BYTES_MAX];
    let length = scraper.read(&mut head)?;
    let mut venue = TcpStream::connect(venue)?;
    venue.write_all(&head[..length])?;
    let mut answer = String::new();
    venue.read_to_string(&mut answer)?;
    scraper.write_all(fewer(&answer).as_bytes())
}

/// The answer without the short buckets, and without its length, which no longer holds.
fn fewer(answer: &str) -> String {
    let is_left = |line: &&str| {
        let bound = line.split_once("le=\"").and_then(|(_, rest)| rest.split('"').next());
        let is_short = bound.and_then(|bound| bound.parse().ok()).is_some_and(|bound: f64| bound < SHORTEST);
        !is_short && !line.starts_with("content-length")
    };
    answer.split_inclusive('\n').filter(is_left).collect()
}
