//! Any bytes, to the reader of messages and to a view.

use crate::json;
use crate::message::{MESSAGE_BYTES_MAX, Message, Unreadable};
use crate::view::{BookView, Freshness, Refused};

/// The messages in any bytes: lines of JSON as they are; other lines as binary messages whose checksum and length are put
/// right, for hardly any random bytes would have the right ones. The first byte says how long a line is.
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

/// A binary message with right length and checksum, where it is long enough to have one.
pub fn with_checksum(mut piece: Vec<u8>) -> Vec<u8> {
    if piece.len() >= 16 && piece[0] != b'{' {
        let length = (piece.len() as u32).to_le_bytes();
        piece[4..8].copy_from_slice(&length);
        let checksum = crate::message::checksum(&piece).to_le_bytes();
        piece[8..12].copy_from_slice(&checksum);
    }
    piece
}

/// Reads messages, as they are and with their checksums put right.
///
/// # Panics
/// Where one that is read is another one when it is written and read again; or where a view that refuses a message it
/// can't read is not as it was; or where a view is fresh whose best prices are not those of its depth.
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
