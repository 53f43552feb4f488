//! Connections that only watch, as light as possible: thousands of them share a core with the server that they measure.
//!
//! All of them read into one shared buffer, and take only the sequence from a book. A connection keeps the part of a
//! frame whose rest has not arrived yet.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use load::client::ClientError;

/// The request to upgrade. The nonce need not be random: no intermediary could replay an answer.
const HANDSHAKE: &str = "GET /v1/stream HTTP/1.1\r\nHost: venue\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

/// The request to watch.
const WATCH: &str = r#"{"id":1,"do":"watch","markets":[1]}"#;

/// When each order reached which watchers.
pub struct Seen {
    /// The sequence of the first order to follow.
    first: u64,
    watchers: usize,
    orders: Vec<Order>,
}

/// One order, and how far its change has spread.
#[derive(Clone, Copy)]
struct Order {
    due: Instant,
    heard: usize,
    /// When the first watcher had it, and the latest so far.
    between: (Instant, Instant),
}

/// How late the last watcher had an order.
pub struct Last {
    /// From the first watcher that had it.
    pub since_first: Duration,
    /// From the moment when it was due.
    pub since_due: Duration,
}

impl Seen {
    /// Nothing yet; the first order to follow will have this sequence.
    pub fn new(first: u64, watchers: usize) -> Rc<RefCell<Seen>> {
        Rc::new(RefCell::new(Seen { first, watchers, orders: Vec::new() }))
    }

    /// The next order is about to be sent, and was due at this moment.
    pub fn next_is_due(&mut self, due: Instant) {
        self.orders.push(Order { due, heard: 0, between: (due, due) });
    }

    /// A watcher has a book with this sequence, and already had the orders before `next`. Returns the new `next`.
    fn has(&mut self, sequence: u64, next: usize) -> usize {
        let until = (sequence + 1).saturating_sub(self.first).min(self.orders.len() as u64) as usize;
        let now = Instant::now();
        for order in self.orders.get_mut(next..until).into_iter().flatten() {
            if order.heard == 0 {
                order.between.0 = now;
            }
            order.heard += 1;
            order.between.1 = now;
        }
        next.max(until)
    }

    /// The orders that all watchers have.
    pub fn last(&self) -> impl Iterator<Item = Last> {
        let all = self.orders.iter().filter(|order| order.heard == self.watchers);
        all.map(|&Order { due, between: (first, last), .. }| Last { since_first: last - first, since_due: last - due })
    }

    /// How many watchers have the last order.
    pub fn served(&self) -> usize {
        self.orders.last().map_or(0, |order| order.heard)
    }
}

/// A connection whose `watch` request was answered.
pub struct Watcher {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl Watcher {
    /// Connects, and waits until its `watch` request is answered.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn connect(address: SocketAddr) -> Result<Watcher, ClientError> {
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut asked = HANDSHAKE.as_bytes().to_vec();
        // A text frame, masked with zeros, so the payload stays the same.
        asked.extend([0x81, 0x80 | WATCH.len() as u8, 0, 0, 0, 0]);
        asked.extend(WATCH.as_bytes());
        stream.write_all(&asked).await?;
        let (mut rest, mut piece) = (Vec::new(), [0; 2_048]);
        // The head of the answer, and then the server's messages up to the answer.
        loop {
            let count = stream.read(&mut piece).await?;
            rest.extend_from_slice(&piece[..count]);
            let is_there = rest.windows(6).any(|six| six == b"\"re\":1");
            let end = rest.windows(4).position(|four| four == b"\r\n\r\n").filter(|_| is_there);
            match end {
                Some(end) => rest.drain(..end + 4),
                None if count == 0 => return Err(ClientError::Answer(String::from_utf8_lossy(&rest).into_owned())),
                None => continue,
            };
            return Ok(Watcher { stream, rest });
        }
    }

    /// Watches until the server closes the connection.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn watch(mut self, seen: Rc<RefCell<Seen>>) -> Result<(), ClientError> {
        let mut next = 0;
        loop {
            self.stream.readable().await?;
            if !BUFFER.with_borrow_mut(|buffer| self.take(buffer, &seen, &mut next))? {
                return Ok(());
            }
        }
    }

    /// Takes what has arrived. Returns whether more may follow.
    fn take(&mut self, buffer: &mut [u8], seen: &RefCell<Seen>, next: &mut usize) -> Result<bool, ClientError> {
        let mut each = |said: &[u8]| {
            if let Some(sequence) = sequence(said) {
                *next = seen.borrow_mut().has(sequence, *next);
            }
        };
        match self.stream.try_read(buffer) {
            Ok(0) => Ok(false),
            Ok(count) if self.rest.is_empty() => {
                let used = frames(&buffer[..count], &mut each);
                self.rest.extend_from_slice(&buffer[used..count]);
                Ok(true)
            }
            Ok(count) => {
                self.rest.extend_from_slice(&buffer[..count]);
                let used = frames(&self.rest, &mut each);
                self.rest.drain(..used);
                Ok(true)
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
}

thread_local! {
    /// The read buffer of all watchers on a thread.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; 16 * 1024]);
}

/// Passes each complete frame of these bytes to `each`; returns how many bytes they take in all.
fn frames(bytes: &[u8], each: &mut impl FnMut(&[u8])) -> usize {
    let mut at = 0;
    while let Some((head, length)) = size(&bytes[at..]) {
        let Some(said) = bytes.get(at + head..at + head + length) else { break };
        each(said);
        at += head + length;
    }
    at
}

/// The size of a frame's head, and of its payload.
fn size(frame: &[u8]) -> Option<(usize, usize)> {
    match *frame.get(1)? & 0x7f {
        126 => Some((4, u16::from_be_bytes(*frame.get(2..)?.first_chunk()?).into())),
        127 => Some((10, usize::try_from(u64::from_be_bytes(*frame.get(2..)?.first_chunk()?)).ok()?)),
        short => Some((2, short.into())),
    }
}

/// The sequence of a book; none for any other message.
fn sequence(said: &[u8]) -> Option<u64> {
    const NAME: &[u8] = b"\"sequence\":";
    said.windows(6).take(48).position(|six| six == b"\"book\"")?;
    let at = said.windows(NAME.len()).position(|name| name == NAME)?;
    let digits = said[at + NAME.len()..].iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |number, digit| 10 * number + u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_taken_whole() {
        let short = [&[0x81, 3][..], b"abc"].concat();
        let long = [&[0x81, 126, 1, 0][..], &[7; 256]].concat();
        let all = [short.clone(), long, short].concat();
        for cut in 0..=all.len() {
            let mut lengths = Vec::new();
            let used = frames(&all[..cut], &mut |said: &[u8]| lengths.push(said.len()));
            let whole = [5, 265, 270].into_iter().filter(|end| *end <= cut).collect::<Vec<_>>();
            assert_eq!((used, lengths.len()), (whole.last().copied().unwrap_or(0), whole.len()), "{cut}");
        }
    }

    #[test]
    fn only_books_have_a_sequence() {
        assert_eq!(sequence(br#"{"format":1,"message":{"kind":"book","market":1,"sequence":120,"x":0}}"#), Some(120));
        assert_eq!(sequence(br#"{"format":1,"message":{"kind":"trade","market":1,"sequence":120}}"#), None);
        assert_eq!(sequence(br#"{"kind":"tick","time_ms":1}"#), None);
    }

    #[test]
    fn the_last_watcher_counts() {
        let seen = Seen::new(10, 2);
        let mut seen = seen.borrow_mut();
        let due = Instant::now();
        (0..3).for_each(|_| seen.next_is_due(due));
        assert_eq!((seen.has(9, 0), seen.has(11, 0), seen.last().count()), (0, 2, 0));
        assert_eq!((seen.has(10, 0), seen.last().count(), seen.served()), (1, 1, 0));
        assert_eq!((seen.has(12, 1), seen.has(12, 2), seen.last().count(), seen.served()), (3, 3, 3, 2));
    }
}
