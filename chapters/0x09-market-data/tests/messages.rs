//! Messages as bytes: their exact encoding, and what happens when they are truncated, corrupted or forged.

// These are tests: an `unwrap` here is an assertion.
#![allow(clippy::unwrap_used)]

use insta::assert_snapshot;
use market::{MarketId, Outcome, Price, Quantity, Sequence, Side, TradeKind, UnixMs};
use market_data::json::{from_json, to_json};
use market_data::message::{FORMAT, MESSAGE_BYTES_MAX};
use market_data::{
    BookUpdate, BookView, Depth, Freshness, LastTrade, Message, Missed, Need, Prices, PublicTrade, Refused, Status,
    Summary, TradeId, TradeUpdate, Unreadable, Version, Volume,
};
use proptest::prelude::*;

const MARKET: MarketId = MarketId(7);

fn price(cents: u8) -> Price {
    Price::new(cents).unwrap()
}

fn book(from: u64, to: u64, shares: &[(u8, i64)]) -> BookUpdate {
    let epoch = 0x1234_5678_9ABC;
    let is_whole = from == 0;
    let (mut prices, mut depth) = (if is_whole { Prices::ALL } else { Prices::NONE }, Depth::default());
    for &(cents, shares) in shares {
        prices.insert(price(cents));
        depth.set(price(cents), shares);
    }
    let version = |counter| if counter == 0 { Version::NONE } else { Version { epoch, counter } };
    let last_trade = LastTrade { price: price(41), quantity: Quantity(12), time: UnixMs(1_700_000_000_000) };
    let summary = Summary {
        sequence: Sequence(100 + to),
        best_bid: Some(price(40)),
        best_ask: Some(price(60)),
        last_trade: Some(last_trade),
        volume: Volume { shares: 5_000_000_000, since: Sequence(3) },
        open_interest: 77,
        status: Status::Open,
        is_fresh: true,
    };
    BookUpdate { market: MARKET, from: version(from), to: version(to), prices, depth, summary }
}

/// A whole book, a change to it, a trade, and a gap.
fn examples() -> [Message; 4] {
    let place = |sequence, index| TradeId { sequence: Sequence(sequence), index };
    let trade = PublicTrade {
        market: MARKET,
        id: place(107, 1),
        time: UnixMs(1_700_000_000_001),
        price: price(60),
        quantity: Quantity(300),
        taker_side: Side::Bid,
        kind: TradeKind::Mint,
    };
    [
        Message::Book(book(0, 5, &[(1, 429_496_729_500), (40, 500), (60, -200), (99, -1)])),
        Message::Book(book(5, 6, &[(40, 250), (41, 0), (60, -201)])),
        Message::Trade(TradeUpdate { since: place(107, 0), trade }),
        Message::Missed(Missed { market: MARKET, from: place(107, 2), to: place(200, 0) }),
    ]
}

fn bytes(message: &Message) -> Vec<u8> {
    message.encode(&mut [0; MESSAGE_BYTES_MAX]).to_vec()
}

fn json(message: &Message) -> Vec<u8> {
    let mut text = Vec::new();
    to_json(message, &mut text);
    text
}

/// Pins the bytes, so that a change of format can't go unnoticed.
#[test]
fn the_encoding_is_pinned() {
    let hex = |row: &[u8]| row.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    for (name, message) in ["whole", "changes", "trade", "missed"].into_iter().zip(examples()) {
        let rows = bytes(&message)
            .chunks(8)
            .enumerate()
            .map(|(at, row)| format!("{:3}  {}\n", at * 8, hex(row)))
            .collect::<String>();
        let text = String::from_utf8(json(&message)).unwrap();
        insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
            assert_snapshot!(format!("message-{name}"), format!("{rows}\n{text}"));
        });
    }
    assert_eq!((FORMAT, MESSAGE_BYTES_MAX), (1, 896));
}

#[test]
fn written_messages_can_be_read() {
    for message in examples() {
        assert_eq!(Message::read(&bytes(&message)), Ok(message));
        assert_eq!(Message::read(&json(&message)), Ok(message));
    }
}

#[test]
fn the_example_in_the_documentation_is_a_message() {
    let read = from_json(include_bytes!("../messages/book.json"));
    assert!(read.is_ok(), "{}", read.unwrap_err());
}

/// Truncated at any byte, with any bit flipped, or with a byte appended: rejected, and the view is unchanged.
#[test]
fn a_damaged_message_changes_nothing() {
    let [whole, ..] = examples();
    let mut view = BookView::new(MARKET);
    view.apply(&whole).unwrap();
    let mut refused = |bytes: &[u8]| {
        let before = view;
        let said = view.read(bytes).unwrap_err();
        assert_eq!(view, before, "{said}");
        assert!(matches!(said, Refused::Unreadable(_)), "{said}");
    };
    for message in examples() {
        for written in [bytes(&message), json(&message)] {
            (0..written.len()).for_each(|length| refused(&written[..length]));
            refused(&[&written[..], b"x"].concat());
        }
        let mut written = bytes(&message);
        for bit in 0..written.len() * 8 {
            written[bit / 8] ^= 1 << (bit % 8);
            refused(&written);
            written[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// A flipped bit in JSON may spell the same message differently. It never changes the meaning.
#[test]
fn a_flipped_bit_of_json_changes_no_meaning() {
    for message in examples() {
        let mut text = json(&message);
        for bit in 0..text.len() * 8 {
            text[bit / 8] ^= 1 << (bit % 8);
            if let Ok(read) = Message::read(&text) {
                assert_eq!(read, message, "{}", String::from_utf8_lossy(&text));
            }
            text[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// Every rejection has a message.
#[test]
fn rejections_say_what_to_do() {
    let [whole, changes, trade, _] = examples();
    let mut view = BookView::new(MARKET);
    let with = |at: usize, byte: u8| {
        let mut written = bytes(&whole);
        written[at] = byte;
        written
    };
    let older =
        Message::Book(BookUpdate { to: Version { epoch: 9, counter: 900 }, ..book(0, 5, &[(40, 1), (60, -1)]) });
    let wrong = Message::Book(book(5, 7, &[(40, 0)]));
    let later = Message::Trade(TradeUpdate {
        since: TradeId::first_of(Sequence(109)),
        trade: PublicTrade { id: TradeId::first_of(Sequence(110)), ..trade_of(&trade) },
    });
    let format = String::from_utf8(json(&whole)).unwrap().replace("\"format\":1", "\"format\":9,\"colour\":3");
    let mut said = Vec::new();
    let mut refuse = |view: &mut BookView, bytes: &[u8]| said.push(view.read(bytes).unwrap_err().to_string());
    refuse(&mut view, b"");
    refuse(&mut view, &bytes(&whole)[..100]);
    refuse(&mut view, &[bytes(&whole), bytes(&trade)].concat());
    refuse(&mut view, b"GET / HTTP/1.1\r\n\r\n");
    refuse(&mut view, &with(1, 2));
    refuse(&mut view, format.as_bytes());
    refuse(&mut view, &with(200, 1));
    refuse(&mut view, b"{\"format\":1,\"message\":{\"kind\":\"secret\"},\"checksum\":1}");
    refuse(&mut BookView::new(MarketId(8)), &bytes(&whole));
    refuse(&mut view, &bytes(&changes));
    view.apply(&whole).unwrap();
    refuse(&mut view, &bytes(&older));
    refuse(&mut view, &bytes(&wrong));
    refuse(&mut view, &bytes(&later));
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        assert_snapshot!("message-refusals", said.join("\n"));
    });
}

/// A book that was found to be wrong is shown as stale, and only a whole book repairs it.
#[test]
fn a_wrong_book_is_repaired_only_by_a_whole_one() {
    let [whole, changes, ..] = examples();
    let mut view = BookView::new(MARKET);
    view.apply(&whole).unwrap();
    assert_eq!((view.freshness(), view.need()), (Freshness::Fresh, Need::NOTHING));
    view.apply(&Message::Book(book(5, 6, &[(40, 0)]))).unwrap_err();
    assert_eq!(view.freshness(), Freshness::Stale { since: Sequence(105) });
    assert_eq!(view.need(), Need { book: Some(Version::NONE), trades: None });
    assert!(matches!(view.apply(&changes), Err(Refused::Hole { .. })), "a change does not repair a wrong book");
    assert_eq!(view.depth().at(price(40)), 500);
    view.apply(&Message::Book(book(0, 7, &[(40, 1), (60, -1)]))).unwrap();
    assert_eq!((view.freshness(), view.need()), (Freshness::Fresh, Need::NOTHING));
}

fn trade_of(message: &Message) -> PublicTrade {
    match message {
        Message::Trade(update) => update.trade,
        _ => unreachable!("an example"),
    }
}

/// A faulty writer gets the checksum right; what the message says gives it away.
#[test]
fn a_contradiction_is_rejected_despite_a_right_checksum() {
    let [whole, changes, trade, missed] = examples();
    let cases: [(&Message, usize, u8); 13] = [
        (&whole, 2, 9),     // no such kind
        (&whole, 3, 2),     // neither fresh nor not
        (&whole, 22, 0xFF), // an epoch above 2^53
        (&whole, 32, 0),    // it leads to no version
        (&whole, 84, 100),  // a price of 100 cents
        (&whole, 85, 39),   // another best bid
        (&whole, 87, 4),    // no such state
        (&whole, 88, 0xFF), // a price of 0 cents
        (&changes, 24, 6),  // from a version to itself
        (&changes, 88, 2),  // one price more than there are amounts
        (&trade, 55, 1),    // a byte that should be 0
        (&trade, 53, 3),    // no side
        (&missed, 24, 0),   // it ends before it begins
    ];
    for (message, at, byte) in cases {
        let mut written = bytes(message);
        assert_ne!(written[at], byte, "byte {at}: the case changes nothing");
        written[at] = byte;
        let said = Message::decode(&market_data::fuzz::with_checksum(written));
        assert!(matches!(said, Err(Unreadable::Contradiction(_))), "byte {at}: {said:?}");
    }
}

/// No message contains an account: checks the names of all fields.
#[test]
fn no_field_names_an_account() {
    for message in examples() {
        let text = String::from_utf8(json(&message)).unwrap();
        assert!(!["account", "order", "owner", "maker"].iter().any(|word| text.contains(word)), "{text}");
    }
}

fn updates() -> impl Strategy<Value = Message> {
    let depth = proptest::collection::vec((1..=99u8, -429_496_729_500..=429_496_729_500i64), 0..99);
    let numbers = (any::<u32>(), 1..1u64 << 53, 0..u64::MAX - 1, any::<[u64; 4]>());
    let words = (any::<bool>(), 0..4usize, proptest::option::of((1..=99u8, any::<u32>(), any::<u64>())), 1..99u8);
    (numbers, depth, words).prop_map(|((market, epoch, counter, counts), told, (is_fresh, status, last, middle))| {
        let is_whole = counter % 3 == 0;
        let (mut prices, mut depth) = (if is_whole { Prices::ALL } else { Prices::NONE }, Depth::default());
        for (cents, shares) in told {
            let signed = if cents <= middle { shares.abs() } else { -shares.abs() };
            prices.insert(price(cents));
            depth.set(price(cents), signed);
        }
        let (best_bid, best_ask) = depth.best();
        let last = last.map(|(cents, quantity, time)| LastTrade {
            price: price(cents),
            quantity: Quantity(quantity),
            time: UnixMs(time),
        });
        let yes_or_no = [Some(Outcome::Yes), Some(Outcome::No), None];
        let summary = Summary {
            sequence: Sequence(counts[0]),
            best_bid,
            best_ask,
            last_trade: last,
            volume: Volume { shares: counts[1], since: Sequence(counts[2]) },
            open_interest: counts[3],
            status: yes_or_no.get(status).map_or(Status::Open, |&outcome| Status::Resolved(outcome)),
            is_fresh,
        };
        let from = if is_whole { Version::NONE } else { Version { epoch, counter } };
        let to = Version { epoch, counter: counter + 1 };
        Message::Book(BookUpdate { market: MarketId(market), from, to, prices, depth, summary })
    })
}

fn trades() -> impl Strategy<Value = Message> {
    let places = (any::<u64>(), 0..u32::MAX, any::<u64>(), 0..u32::MAX);
    (any::<u32>(), places, any::<u64>(), (1..=99u8, 1..=u32::MAX), any::<bool>(), 0..4usize).prop_map(
        |(market, (a, b, c, d), time, (cents, quantity), is_bid, kind)| {
            let (one, other) =
                (TradeId { sequence: Sequence(a), index: b }, TradeId { sequence: Sequence(c), index: d });
            let (since, id, market) = (one.min(other), one.max(other), MarketId(market));
            let kinds = [TradeKind::Mint, TradeKind::Merge, TradeKind::Transfer];
            let Some(&kind) = kinds.get(kind) else {
                return Message::Missed(Missed { market, from: since, to: id.next() });
            };
            let trade = PublicTrade {
                market,
                id,
                time: UnixMs(time),
                price: price(cents),
                quantity: Quantity(quantity),
                taker_side: if is_bid { Side::Bid } else { Side::Ask },
                kind,
            };
            Message::Trade(TradeUpdate { since, trade })
        },
    )
}

proptest! {
    #[test]
    fn every_message_survives_both_encodings(message in prop_oneof![updates(), trades()]) {
        prop_assert_eq!(Message::decode(&bytes(&message)), Ok(message));
        prop_assert_eq!(from_json(&json(&message)), Ok(message));
    }

    /// A view is complete after any whole book, and says so.
    #[test]
    fn a_view_holds_the_book_that_it_received(message in updates()) {
        let Message::Book(update) = message else { return Ok(()) };
        let mut view = BookView::new(update.market);
        prop_assert_eq!(view.apply(&message).is_ok(), update.is_whole());
        if update.is_whole() {
            prop_assert_eq!((view.depth(), view.summary()), (&update.depth, Some(&update.summary)));
        }
    }
}
