//! A handwritten WebSocket, so that a test can send what no library would: frames byte by byte.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A longer wait means that something is stuck. Not a measurement.
const STUCK: Duration = Duration::from_secs(60);

/// How long the server may take to close a connection that it should close.
const IN_TIME: Duration = Duration::from_secs(30);

pub const CONTINUATION: u8 = 0;
pub const TEXT: u8 = 1;
pub const BINARY: u8 = 2;
pub const CLOSE: u8 = 8;
pub const PING: u8 = 9;
pub const FIN: u8 = 0x80;

/// A connection after the handshake.
pub struct Frames {
    stream: TcpStream,
    /// The head of the answer to the handshake.
    pub head: String,
}

/// How a connection ended, and what was sent before that.
#[derive(Debug, Default)]
pub struct Ended {
    /// The code and the reason of the close frame, if there was one.
    pub close: Option<(u16, String)>,
    /// The text messages.
    pub texts: Vec<Value>,
}

impl Ended {
    /// The reason in the last message.
    pub fn bye(&self) -> Option<&str> {
        self.texts.iter().find(|text| text["kind"] == "bye")?["reason"].as_str()
    }
}

/// A frame as a client sends it: with a mask.
pub fn masked(first: u8, payload: &[u8]) -> Vec<u8> {
    let mask = [0x5a, 0x01, 0xc3, 0x7e];
    let masked = payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask);
    [head(first, 0x80, payload.len() as u64), mask.to_vec(), masked.collect()].concat()
}

/// The bytes before mask and payload, for a claimed length.
pub fn head(first: u8, is_masked: u8, length: u64) -> Vec<u8> {
    match length {
        0..126 => vec![first, is_masked | length as u8],
        126..0x1_0000 => [&[first, is_masked | 126][..], &(length as u16).to_be_bytes()].concat(),
        _ => [&[first, is_masked | 127][..], &length.to_be_bytes()].concat(),
    }
}

impl Frames {
    /// Connects, with these extra lines in the handshake.
    pub fn connect(address: SocketAddr, lines: &str) -> io::Result<Frames> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(STUCK))?;
        stream.set_write_timeout(Some(STUCK))?;
        let request = format!(
            "GET /v1/stream HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{lines}\r\n"
        );
        stream.write_all(request.as_bytes())?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            head.extend(byte);
        }
        Ok(Frames { stream, head: String::from_utf8_lossy(&head).into_owned() })
    }

    /// Sends bytes unchanged.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Sends a message, as a well-behaved client.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        self.send(&masked(FIN | TEXT, text.as_bytes()))
    }

    /// The next frame: its first byte and its payload.
    pub fn frame(&mut self) -> io::Result<(u8, Vec<u8>)> {
        let mut two = [0; 2];
        self.stream.read_exact(&mut two)?;
        let length = match two[1] {
            126 => {
                let mut length = [0; 2];
                self.stream.read_exact(&mut length)?;
                u64::from(u16::from_be_bytes(length))
            }
            127 => {
                let mut length = [0; 8];
                self.stream.read_exact(&mut length)?;
                u64::from_be_bytes(length)
            }
            length => u64::from(length),
        };
        let mut payload = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        self.stream.read_exact(&mut payload)?;
        Ok((two[0], payload))
    }

    /// The next text message that has this field.
    pub fn hear(&mut self, field: &str) -> Value {
        self.hear_any(&[field])
    }

    /// The next text message that has one of these fields.
    pub fn hear_any(&mut self, fields: &[&str]) -> Value {
        loop {
            let (first, payload) = self.frame().unwrap_or_else(|error| panic!("{error}, waiting for {fields:?}"));
            assert_ne!(first, FIN | CLOSE, "closed, waiting for {fields:?}: {}", String::from_utf8_lossy(&payload));
            if first == FIN | TEXT {
                let value: Value = serde_json::from_slice(&payload).unwrap();
                if fields.iter().any(|field| value.get(field).is_some()) {
                    return value;
                }
            }
        }
    }

    /// Sends a message and returns its answer.
    pub fn ask(&mut self, text: &str) -> Value {
        self.say(text).unwrap();
        self.hear("re")
    }

    /// Closes the sending direction, as a client that is gone.
    pub fn finish(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Reads until the connection ends. If it keeps going, with one message after another, it has not ended in time.
    pub fn end(mut self) -> Ended {
        let mut ended = Ended::default();
        let began = Instant::now();
        while let Ok((first, payload)) = self.frame() {
            if began.elapsed() > IN_TIME {
                break;
            }
            match first {
                first if first == FIN | TEXT => ended.texts.push(serde_json::from_slice(&payload).unwrap()),
                first if first == FIN | CLOSE => {
                    let parts = payload.split_first_chunk();
                    let words = |reason| String::from_utf8_lossy(reason).into_owned();
                    ended.close = parts.map(|(code, reason)| (u16::from_be_bytes(*code), words(reason)));
                    break;
                }
                _ => {}
            }
        }
        ended
    }
}
