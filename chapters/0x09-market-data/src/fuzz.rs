//! Feeds arbitrary bytes to the message reader and to a view.

use crate::json;
use crate::message::{MESSAGE_BYTES_MAX, Message, Unreadable};
use crate::view::{BookView, Freshness, Refused};

/// Splits any bytes into messages: JSON lines as they are; other lines as binary messages with the right checksum and
/// length filled in, because random bytes would almost never have them. The first byte gives the length of a line.
fn pieces(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    while let Some((&length, rest)) = bytes.split_first() {
        // Up to a whole book and a little more.
        let (piece, left) = rest.split_at(rest.len().min(usize::from(length) * 8));
        pieces.push(piece.to_vec());
        bytes = left;
    }
    pieces
}

/// A binary message with the right length and checksum, if it is long enough to have them.
pub fn with_checksum(mut piece: Vec<u8>) -> Vec<u8> {
    if piece.len() >= 16 && piece[0] != b'{' {
        let length = (piece.len() as u32).to_le_bytes();
        piece[4..8].copy_from_slice(&length);
        let checksum = crate::message::checksum(&piece).to_le_bytes();
        piece[8..12].copy_from_slice(&checksum);
    }
    piece
}

/// Reads messages, both as they are and with corrected checksums.
///
/// # Panics
/// If a message changes when it is written and read again, if a view changes when it rejects an unreadable message, or
/// if a fresh view's best prices are not those of its depth.
pub fn messages(bytes: &[u8]) {
    let mut view = None;
    for piece in pieces(bytes) {
        for piece in [piece.clone(), with_checksum(piece)] {
            let read = Message::read(&piece);
            if let Ok(message) = &read {
                survives(message, &piece);
            }
            let market = read.as_ref().map_or_else(|_| Default::default(), Message::market);
            take(view.get_or_insert_with(|| BookView::new(market)), &piece, read);
        }
    }
}

fn survives(message: &Message, piece: &[u8]) {
    let (mut buffer, mut text) = ([0; MESSAGE_BYTES_MAX], Vec::new());
    let encoded = message.encode(&mut buffer);
    assert!(piece[0] == b'{' || encoded == piece, "a message has one encoding");
    assert_eq!(Message::decode(encoded).as_ref(), Ok(message));
    json::to_json(message, &mut text);
    assert_eq!(Message::read(&text).as_ref(), Ok(message));
}

fn take(view: &mut BookView, piece: &[u8], read: Result<Message, Unreadable>) {
    let before = *view;
    let taken = view.read(piece);
    if read.is_err() || matches!(taken, Err(Refused::Market { .. } | Refused::OldEpoch { .. })) {
        assert_eq!(*view, before, "{taken:?}");
    }
    if taken.is_err() {
        assert_eq!((view.depth(), view.summary()), (before.depth(), before.summary()), "{taken:?}");
    }
    if let (Freshness::Fresh, Some(summary)) = (view.freshness(), view.summary()) {
        assert_eq!(view.depth().best(), (summary.best_bid, summary.best_ask));
    }
}
