//! Replication step by step: each test is one requirement of `src/chain.rs`, `src/digest.rs`, `src/stream.rs` and `src/join.rs`.
//! None of them needs a server; the other tests ask for all of it at once, of machines and servers.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

use std::ops::ControlFlow;
use std::sync::mpsc::channel;
use std::time::Duration;

use axum::body::Bytes;
use market::log::{LogHeader, RECORD_BYTES, ShardOf, encode_commands, seal_frame};
use market::{AccountId, Cents, Command, Event, LogId, MarketId, Sequence, Stamp, UnixMs};
use replication::chain::{Chain, Heard, behind};
use replication::digest::{Compared, Differs, Digest, STRETCH, Stretch};
use replication::join::fenced;
use replication::message::Epoch;
use replication::stream::{Fate, NotAppended, Stream};

const LOG: u64 = 9;

fn header(shard: ShardOf, id: u64) -> LogHeader {
    LogHeader::new(shard, LogId(id))
}

fn epoch(place: u64, id: u64) -> Vec<u8> {
    Epoch { number: place, header: header(ShardOf::ONLY, id), name: "one".into() }.encode()
}

/// A frame of commands that open these markets.
fn sealed(first: u64, time: u64, markets: &[u32], id: u64) -> Vec<u8> {
    let mut frame = vec![0; RECORD_BYTES];
    let commands: Vec<_> = markets.iter().map(|market| Command::Open { market: MarketId(*market) }).collect();
    encode_commands(&commands, &mut frame);
    seal_frame(&mut frame, LogId(id), Stamp { sequence: Sequence(first), time: UnixMs(time) });
    frame
}

/// A frame of so many commands.
fn frame(first: u64, commands: u32) -> Vec<u8> {
    sealed(first, 50, &(0..commands).collect::<Vec<_>>(), LOG)
}

fn stamp(sequence: u64, time: u64) -> Stamp {
    Stamp { sequence: Sequence(sequence), time: UnixMs(time) }
}

/// A chain that has read an epoch and a frame of three commands, or would have: the next command is 4, the next message 3.
fn read() -> Chain {
    Chain { header: header(ShardOf::ONLY, LOG), place: 2, epoch: 1, next: stamp(4, 50) }
}

/// Fails unless the message is refused with these words, and nothing has changed.
fn assert_refused(before: &Chain, place: u64, message: &[u8], words: &[&str], what: &str) {
    let mut chain = before.clone();
    let heard = chain.accept(place, message);
    let Err(refused) = heard else { panic!("{what} is refused, and not taken: {heard:?}") };
    for word in words {
        assert!(refused.contains(word), "{what} is refused with {word:?} among the words: {refused:?}");
    }
    assert_eq!(chain, *before, "{what} is refused, and nothing has changed then");
}

/// The log of a shard, and what comes next in it: command 4, at this time or later.
fn here(shard: ShardOf) -> (LogHeader, Stamp) {
    (header(shard, LOG), stamp(4, 50))
}

/// Fails unless the frame is refused with these words.
fn assert_not_behind(shard: ShardOf, frame: &[u8], words: &[&str], what: &str) {
    let (header, next) = here(shard);
    let next = behind(frame, &header, next);
    let Err(refused) = next else { panic!("{what} is refused, and not taken: {next:?}") };
    for word in words {
        assert!(refused.contains(word), "{what} is refused with {word:?} among the words: {refused:?}");
    }
}

#[test]
fn frame_that_follows_says_what_comes_next() {
    let (header, next) = here(ShardOf::ONLY);
    for (commands, time) in [(1, 50), (2, 50), (700, 51)] {
        let frame = sealed(4, time, &(0..commands).collect::<Vec<_>>(), LOG);
        let expected = stamp(4 + u64::from(commands), time);
        let what = format!("after a frame of {commands} commands comes the next command, with the frame's time");
        assert_eq!(behind(&frame, &header, next), Ok(expected), "{what}");
    }
    let far = stamp(5_000_000_000, 0);
    let frame = sealed(far.sequence.0, 7, &[1], LOG);
    assert_eq!(behind(&frame, &header, far), Ok(stamp(5_000_000_001, 7)), "numbers have more than 32 bits");
}

#[test]
fn frame_that_begins_elsewhere_is_refused_by_its_number() {
    for first in [1, 3, 5, 1_000] {
        let words = [format!("command {first},"), "command 4 ".into()];
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let what = format!("a frame that begins with command {first}, where 4 comes next,");
        assert_not_behind(ShardOf::ONLY, &frame(first, 2), &words, &what);
    }
}

#[test]
fn frame_of_another_log_or_with_a_changed_byte_has_a_wrong_checksum() {
    let other = sealed(4, 50, &[1], LOG + 1);
    assert_not_behind(ShardOf::ONLY, &other, &["checksum"], "a frame that was sealed for another log");
    let whole = frame(4, 2);
    for at in [RECORD_BYTES, RECORD_BYTES + 7, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        let what = format!("a frame whose byte {at} of {} is changed", whole.len());
        assert_not_behind(ShardOf::ONLY, &changed, &["checksum"], &what);
    }
}

#[test]
fn frame_with_any_changed_bit_or_missing_byte_is_refused() {
    let whole = frame(4, 2);
    for bit in 0..8 * whole.len() {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_not_behind(ShardOf::ONLY, &changed, &[], &format!("a frame whose bit {bit} is changed"));
    }
    for length in 0..whole.len() {
        let what = format!("the first {length} bytes of a frame of {}", whole.len());
        assert_not_behind(ShardOf::ONLY, &whole[..length], &[], &what);
    }
    for more in [vec![0], vec![0; RECORD_BYTES], frame(6, 1)] {
        let what = format!("a frame with {} more bytes after it", more.len());
        assert_not_behind(ShardOf::ONLY, &[&whole[..], &more].concat(), &[], &what);
    }
}

#[test]
fn frame_that_no_engine_of_this_shard_would_write_is_refused() {
    let early = sealed(4, 49, &[1], LOG);
    assert_not_behind(ShardOf::ONLY, &early, &["time"], "a frame whose time is before that of the frame before it");
    let mut unknown = frame(4, 1);
    unknown[RECORD_BYTES] = 99;
    seal_frame(&mut unknown, LogId(LOG), stamp(4, 50));
    assert_not_behind(ShardOf::ONLY, &unknown, &["kind"], "a frame with a command of a kind that there is not");
    let shard = ShardOf { shard: 0, shards: 2 };
    let own = |market: &u32| ShardOf::market(MarketId(*market), 2) == shard;
    let market = |wanted: bool| (1..).find(|market| own(market) == wanted).unwrap();
    let (header, next) = here(shard);
    let taken = behind(&sealed(4, 50, &[market(true)], LOG), &header, next);
    assert_eq!(taken, Ok(stamp(5, 50)), "a command of this shard is taken");
    let other = sealed(4, 50, &[market(true), market(false)], LOG);
    assert_not_behind(shard, &other, &["shard"], "a frame with a command of another shard's market");
}

#[test]
fn accept_goes_on_message_by_message() {
    let mut chain = Chain::new(header(ShardOf::ONLY, LOG));
    let heard = chain.accept(1, &epoch(1, LOG));
    assert!(
        matches!(&heard, Ok(Heard::Epoch(epoch)) if epoch.number == 1),
        "the first message begins an epoch: {heard:?}"
    );
    assert_eq!((chain.place, chain.epoch, chain.next.sequence), (1, 1, Sequence(1)), "place, epoch, next command");
    let heard = chain.accept(2, &frame(1, 3));
    assert_eq!(heard, Ok(Heard::Frames(vec![(frame(1, 3).len(), stamp(4, 50))])));
    assert_eq!(chain, read(), "a frame changes the place and what comes next, and no epoch");
    let heard = chain.accept(3, &epoch(3, LOG));
    assert!(matches!(&heard, Ok(Heard::Epoch(epoch)) if epoch.number == 3), "another epoch begins: {heard:?}");
    assert_eq!(
        (chain.place, chain.epoch, chain.next),
        (3, 3, stamp(4, 50)),
        "an epoch changes the place and the epoch, and not what comes next"
    );
}

#[test]
fn accept_takes_several_of_one_message() {
    let all = [frame(4, 2), sealed(6, 60, &[1], LOG), sealed(7, 60, &[1, 2, 3], LOG)];
    let mut chain = read();
    let ends: Vec<usize> = (1..=3).map(|some| all[..some].concat().len()).collect();
    let expected = vec![(ends[0], stamp(6, 50)), (ends[1], stamp(7, 60)), (ends[2], stamp(10, 60))];
    let heard = chain.accept(3, &all.concat());
    assert_eq!(
        heard,
        Ok(Heard::Frames(expected)),
        "each frame with the number of the message's bytes up to its end, and what comes next after it"
    );
    assert_eq!(chain, Chain { place: 3, next: stamp(10, 60), ..read() }, "three frames are one message");
}

#[test]
fn accept_refuses_a_hole_and_what_came_before() {
    for place in [0, 1, 2, 4, 5] {
        let words = ["message 3".to_owned(), format!("message {place} ")];
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_refused(&read(), place, &frame(4, 1), &words, &format!("message {place}, where message 3 comes next,"));
    }
}

#[test]
fn accept_refuses_an_epoch_that_does_not_belong_here() {
    assert_refused(&read(), 3, &epoch(3, LOG + 1), &["another log"], "an epoch of another log");
    let other_shard = Epoch { number: 3, header: header(ShardOf { shard: 0, shards: 2 }, LOG), name: "one".into() };
    assert_refused(
        &read(),
        3,
        &other_shard.encode(),
        &["another log"],
        "an epoch of a log with another number of shards",
    );
    for number in [0, 1, 2, 4] {
        let words = format!("message {number}");
        assert_refused(
            &read(),
            3,
            &epoch(number, LOG),
            &[&words],
            &format!("an epoch that says it stands at {number}, and stands at 3,"),
        );
    }
    let mut damaged = epoch(3, LOG);
    *damaged.last_mut().unwrap() ^= 1;
    assert_refused(&read(), 3, &damaged, &["damaged"], "an epoch with a changed byte");
}

#[test]
fn accept_refuses_everything_before_the_first_epoch() {
    let chain = Chain::new(header(ShardOf::ONLY, LOG));
    assert_refused(&chain, 1, &frame(1, 3), &["no epoch"], "a frame at the beginning of a stream");
}

#[test]
fn accept_takes_all_of_a_message_or_nothing() {
    for (message, what) in [
        (Vec::new(), "a message without a frame"),
        ([frame(4, 1), frame(6, 1)].concat(), "a second frame that leaves a command out"),
        ([frame(4, 1), frame(4, 1)].concat(), "the same frame twice"),
        ([frame(4, 1), sealed(5, 49, &[1], LOG)].concat(), "a second frame whose time is before the first one's"),
        ([frame(4, 1), sealed(5, 50, &[1], LOG + 1)].concat(), "a second frame of another log"),
        ([frame(4, 1), frame(5, 1)[..RECORD_BYTES + 1].to_vec()].concat(), "a second frame that is cut off"),
        ([frame(4, 1), vec![0]].concat(), "a byte after the first frame"),
        ([frame(4, 1), epoch(3, LOG)].concat(), "an epoch after a frame"),
    ] {
        assert_refused(&read(), 3, &message, &[], what);
    }
}

#[test]
fn fate_is_what_the_place_says() {
    let message = Bytes::from(frame(4, 2));
    assert_eq!(
        Stream::fate(&message, Some(message.clone())),
        Fate::There,
        "the same bytes stand there: it was appended"
    );
    assert_eq!(Stream::fate(&message, None), Fate::Open, "nothing stands there: it may still be on its way");
    for other in
        [epoch(3, LOG), frame(4, 1), sealed(4, 51, &[0, 1], LOG), message[..message.len() - 1].to_vec(), Vec::new()]
    {
        let other = Bytes::from(other);
        assert_eq!(
            Stream::fate(&message, Some(other.clone())),
            Fate::Never(other),
            "another message stands there: ours never will"
        );
    }
}

// One module in several files, so that the name of each test begins with its step.
include!("steps/digest.rs");
include!("steps/compared.rs");
include!("steps/fence.rs");
