//! A reader that was away while the log was trimmed misses nothing: the notices that it lacks come out of the rows, each once
//! and in order, and the ring goes on where the rows end, also while the venue trades. They are those that a venue gives which
//! has its whole log, and no history.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../../0x0a-gateway/tests/support/frames.rs"]
#[allow(dead_code)]
mod frames;
#[path = "support/listener.rs"]
mod listener;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;
#[path = "support/trimmed.rs"]
mod trimmed;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use contract::streams::Random;
use serde_json::{Value, json};

use frames::Frames;
use listener::{Heard, assert_same, between, has_come_to, listen};
use server::Server;
use trimmed::{LAST, Trimmed, deposit, end, is_last, trade};

/// The notices after a cursor, over the stream, until it has enough of them.
fn over_the_stream(address: SocketAddr, key: &str, after: &str, is_enough: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let mut stream = Frames::connect(address, "").unwrap();
    assert!(stream.ask(&json!({ "id": 1, "do": "login", "key": key }).to_string())["ok"].is_object());
    assert!(stream.ask(&json!({ "id": 2, "do": "notices", "after": after }).to_string())["ok"].is_object());
    let mut notices = Vec::new();
    while !is_enough(&notices) {
        let heard = stream.hear("kind");
        match heard["kind"].as_str().unwrap() {
            "notice" => notices.push(heard),
            kind => assert!(["hello", "tick"].contains(&kind), "{heard}"),
        }
    }
    notices
}

/// Readers with old cursors come, one after another, until `stop` says so, and stay until they have heard something new. Returns
/// their cursors, and what each heard.
fn readers(trimmed: &Trimmed, server: &Server, account: usize, stop: &AtomicBool) -> Vec<(String, Vec<Value>)> {
    let (mut random, mut heard, key) = (Random::new(account as u64), Vec::new(), &trimmed.keys[account]);
    while !stop.load(Ordering::Relaxed) || heard.len() < 4 {
        let after = trimmed.cursor(&mut random, account);
        let old = between(&trimmed.all[account].notices, &after, None, trimmed.shards).concat().len();
        let notices = if heard.len() % 2 == 0 {
            let Heard { notices, ended, .. } = listen(server.address, key, &after, |heard| heard.notices.len() > old);
            assert!(ended.is_empty(), "after {after}: {ended:?}");
            notices
        } else {
            over_the_stream(server.address, key, &after, |notices| notices.len() > old)
        };
        heard.push((after, notices));
    }
    heard
}

#[test]
fn a_reader_that_was_away_while_the_log_was_trimmed_misses_nothing_also_while_the_venue_trades() {
    for shards in [1, 2] {
        let trimmed = Trimmed::new(shards);
        let (server, stop) = (trimmed.start(&[]), AtomicBool::new(false));
        let (accounts, address) = (0..trimmed.keys.len(), server.address);
        let (away, live) = thread::scope(|scope| {
            // These are at the end when the trading begins, and never leave.
            let live: Vec<_> = trimmed
                .keys
                .iter()
                .zip(&trimmed.all)
                .map(|(key, all)| {
                    scope.spawn(move || listen(address, key, &all.cursor, |heard| is_last(&heard.notices, LAST)))
                })
                .collect();
            let away: Vec<_> = accounts
                .clone()
                .map(|account| {
                    let (trimmed, server, stop) = (&trimmed, &server, &stop);
                    scope.spawn(move || readers(trimmed, server, account, stop))
                })
                .collect();
            trade(&server, &trimmed.keys, &mut Random::new(99), 8);
            stop.store(true, Ordering::Relaxed);
            let away: Vec<_> = away.into_iter().map(|reader| reader.join().unwrap()).collect();
            deposit(&server, &trimmed.operator, &trimmed.keys, LAST);
            (away, live.into_iter().map(|reader| reader.join().unwrap()).collect::<Vec<_>>())
        });
        let mut random = Random::new(7);
        for account in accounts {
            let expected = [&trimmed.all[account].notices[..], &live[account].notices[..]].concat();
            let key = &trimmed.keys[account];
            for (after, heard) in &away[account] {
                let heard = between(heard, "first", None, shards);
                let mut expected = between(&expected, after, None, shards);
                // The reader left at some point: compare only what it heard.
                expected.iter_mut().zip(&heard).for_each(|(all, heard)| all.truncate(heard.len()));
                assert_same(&heard, &expected, &format!("{shards} shards, after {after}, while it traded"));
            }
            for after in ["first".to_owned(), trimmed.cursor(&mut random, account)] {
                let expected = between(&expected, &after, None, shards);
                // Shards take turns as they like, so the last of one is not the last of all.
                let count = expected.concat().len();
                let heard = listen(server.address, key, &after, |heard| heard.notices.len() >= count).notices;
                assert_same(&between(&heard, "first", None, shards), &expected, &format!("after {after}"));
                let heard = over_the_stream(server.address, key, &after, |notices| notices.len() >= count);
                assert_same(&between(&heard, "first", None, shards), &expected, &format!("after {after}, stream"));
            }
        }
        // A cursor of the future, and one of other logs.
        let (mut client, cursor) = (server.client().with_key(&trimmed.keys[0]), &trimmed.all[0].cursor);
        let identity = cursor.split_once('.').unwrap().0;
        let places = ["999999999.0"; 2][..usize::from(shards)].join("-");
        for wrong in [format!("{identity}.{places}"), cursor.replace(identity, "00000000")] {
            let answer = client.get(&format!("/v1/notices?after={wrong}")).unwrap();
            assert_eq!((answer.status, answer.reason().as_str()), (410, "no-cursor"), "{wrong}");
        }
    }
}

#[test]
fn without_the_rows_a_reader_is_told_from_where_on_it_can_have_everything() {
    let trimmed = Trimmed::new(2);
    for more in ["--no-history", "--rebuild-without-trimmed"] {
        let server = trimmed.start(&[more]);
        for (key, all) in trimmed.keys.iter().zip(&trimmed.all) {
            let hear = |after: &str| loop {
                let heard = listen(server.address, key, after, has_come_to(&end(&server, key)));
                if !heard.ended.iter().any(|(_, words)| words.contains("late-history")) {
                    break heard;
                }
                // Rows that are derived again come late.
                assert_eq!(more, "--rebuild-without-trimmed");
                thread::sleep(Duration::from_millis(5));
            };
            // The answers say of one shard after the other that its beginning is gone.
            let (mut heard, mut after, mut times) = (hear("first"), "first".to_owned(), 0);
            while let [(gone, cursor), (bye, words)] = &heard.ended[..] {
                assert!(gone == "gone" && bye == "bye" && words.contains("\"gone\""), "{more}: {heard:?}");
                assert_eq!(cursor, &heard.cursor);
                (after, times) = (cursor.clone(), times + 1);
                heard = hear(&after);
            }
            let first = between(&heard.notices, "first", None, 2);
            assert_same(&first, &between(&all.notices, &after, Some(&heard.cursor), 2), more);
            assert!((1..=2).contains(&times) && heard.ended.is_empty(), "{more}: {heard:?}");
        }
    }
}
