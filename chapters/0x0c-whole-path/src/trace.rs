//! One request on its way: its stamps so far.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use gateway::watch::{Follow, Passed};
use market::{Sequence, Ticket};

use crate::clock::now;
use crate::connection::Connection;
use crate::stage::{MOMENTS, Moment, NAMES, Stamps};

/// A request that is under way. Each moment is written by the thread that has the request then.
pub struct Trace {
    connection: Arc<Connection>,
    at: [AtomicU64; MOMENTS],
    shard: AtomicU64,
    sequence: AtomicU64,
    /// The client's own name for it, from `traceparent`; 0 if it gave none.
    id: u128,
    is_sampled: bool,
}

impl Trace {
    /// A request that begins with the bytes that its connection has read last.
    pub fn begin(connection: Arc<Connection>, headers: Option<&HeaderMap>) -> Trace {
        let id = headers.and_then(|headers| headers.get("traceparent")).and_then(asked).unwrap_or(0);
        let is_sampled = connection.shared().collector.is_sampled();
        let at: [AtomicU64; MOMENTS] = Default::default();
        at[Moment::Read as usize].store(connection.last_read(), Ordering::Relaxed);
        Trace { connection, at, shard: AtomicU64::new(0), sequence: AtomicU64::new(0), id, is_sampled }
    }

    fn stamp(&self, moment: Moment) {
        self.at[moment as usize].store(now(), Ordering::Relaxed);
    }

    /// The stamps so far, with those of the frame of its last command.
    fn stamps(&self) -> Stamps {
        let mut at = self.at.each_ref().map(|moment| moment.load(Ordering::Relaxed));
        let sequence = Sequence(self.sequence.load(Ordering::Relaxed));
        let ticket = Ticket { shard: self.shard.load(Ordering::Relaxed) as u16, sequence };
        let ticket = Some(ticket).filter(|ticket| ticket.sequence.0 > 0);
        let frames = ticket.and_then(|ticket| self.connection.shared().frames.get(usize::from(ticket.shard)));
        if let Some(frame) = frames.and_then(|frames| frames.find(sequence)) {
            at[Moment::Sealed as usize] = frame.sealed;
            at[Moment::Synced as usize] = frame.synced;
            at[Moment::Begun as usize] = frame.begun;
        }
        Stamps { at, ticket, id: self.id }
    }
}

impl Follow for Trace {
    fn passed(&self, passed: Passed) {
        self.stamp(match passed {
            Passed::Parsed => Moment::Parsed,
            Passed::Entered => Moment::Entered,
            Passed::Taken => Moment::Taken,
            Passed::Answered => Moment::Answered,
            Passed::Encoded => Moment::Encoded,
        });
        // A request without a command, such as one for a book, does not pass the engine, and is left out.
        if passed == Passed::Encoded && self.at[Moment::Parsed as usize].load(Ordering::Relaxed) > 0 {
            self.connection.to_write(self.stamps(), self.is_sampled);
        }
    }

    fn handed_back(&self, ticket: Ticket) {
        self.stamp(Moment::HandedBack);
        self.shard.store(u64::from(ticket.shard), Ordering::Relaxed);
        self.sequence.store(ticket.sequence.0, Ordering::Relaxed);
    }

    fn respond(&self, response: &mut Response) {
        self.connection.shared().responses.add(response.status().as_u16());
        if self.id > 0
            && let Ok(timing) = HeaderValue::try_from(server_timing(&self.stamps()))
        {
            response.headers_mut().insert("server-timing", timing);
        }
    }
}

// ANCHOR: asked
/// The client's name for a request that it wants to see: `00-` 32 hexadecimal digits `-` 16 `-` flags, of which the lowest
/// asks for a trace (W3C Trace Context). Anything else is ignored, as the standard says.
fn asked(header: &HeaderValue) -> Option<u128> {
    let text = header.to_str().ok().filter(|text| text.len() == 55)?;
    let parts: Vec<&str> = text.split('-').collect();
    let [version @ "00", id, parent, flags] = parts[..] else { return None };
    let is_hexadecimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lengths = [version, id, parent, flags].map(str::len);
    if lengths != [2, 32, 16, 2] || ![id, parent, flags].into_iter().all(is_hexadecimal) {
        return None;
    }
    let is_asked = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
    u128::from_str_radix(id, 16).ok().filter(|id| is_asked && *id > 0)
}
// ANCHOR_END: asked

/// The stages as a browser's own tools draw them, in milliseconds. The last one is not over yet.
pub fn server_timing(stamps: &Stamps) -> String {
    let mut text = String::new();
    for (name, moments) in NAMES.iter().zip(stamps.at.windows(2)).take(NAMES.len() - 1) {
        if moments[0] > 0 && moments[1] >= moments[0] {
            let separator = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{separator}{name};dur={:.4}", (moments[1] - moments[0]) as f64 / 1e6);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_asks_by_a_header_and_nothing_else_counts() {
        let asked = |text: &str| asked(&HeaderValue::from_str(text).expect("a header"));
        let id = 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c;
        assert_eq!(asked("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"), Some(id));
        for not in [
            "",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-001",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
            &"0".repeat(100_000),
        ] {
            assert_eq!(asked(not), None, "{:.60}", not);
        }
    }
}
