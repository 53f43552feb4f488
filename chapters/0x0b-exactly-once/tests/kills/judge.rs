//! The log, read by the format's own reader and replayed by the model, is what everything else is held to.

use std::collections::BTreeMap;
use std::path::Path;

use gateway::problem::Why;
use market::log::ShardOf;
use market::log_chain::{read_chain, segments};
use market::model::Model;
use market::{AccountId, Command, Event, LogError, RealDisk};
use serde_json::{Value, json};

use crate::trader::Intent;
use exactly_once::lane::{Kind, Numbered};
use exactly_once::notices::place::{ALL, Whom, concerns};

/// An event's place, and its kind.
type Stands = (u64, u64, &'static str);

/// What the logs of all shards say.
pub struct Log {
    /// By lane and number: the command, its shard and sequence, and the model's events for it.
    numbered: BTreeMap<Numbered, (Command, u16, u64, Vec<Event>)>,
    /// By account (or all accounts) and shard: the place and kind of each event.
    notices: BTreeMap<(Whom, u16), Vec<Stands>>,
    shards: u16,
    commands: usize,
}

impl Log {
    /// Reads it. No number is there twice.
    pub fn read(folder: &Path, shards: u16) -> Log {
        let mut log = Log { numbered: BTreeMap::new(), notices: BTreeMap::new(), shards, commands: 0 };
        for shard in (0..shards).map(|shard| ShardOf { shard, shards }) {
            let (pieces, mut model) = (segments(&RealDisk, folder, shard).unwrap(), Model::default());
            let read = read_chain::<LogError>(&RealDisk, shard, &pieces, None, None, |stamp, command| {
                let events = model.apply(&command);
                log.commands += 1;
                for (index, event) in (0..).zip(&events) {
                    for whom in concerns(event) {
                        let own = log.notices.entry((whom, shard.shard)).or_default();
                        own.push((stamp.sequence.0, index, word(event)));
                    }
                }
                if let Some(numbered) = Numbered::of(&command) {
                    let entry = (command, shard.shard, stamp.sequence.0, events);
                    let before = log.numbered.insert(numbered, entry);
                    assert!(before.is_none(), "{numbered:?} was carried out twice: {before:?} and {command:?}");
                }
                Ok(())
            });
            read.unwrap();
        }
        log
    }

    /// Compares what a client was told about a request with the log.
    pub fn check(&self, intent: &Intent) {
        let (status, answer) = intent.answer.as_ref().expect("it was brought to its end");
        let numbered = Numbered {
            lane: exactly_once::lane::Lane {
                account: AccountId(intent.account),
                kind: if intent.is_order { Kind::Orders } else { Kind::Cancels },
                lane: intent.lane as u8,
            },
            number: intent.number,
        };
        let reason = answer["reason"].as_str();
        if reason == Some("number-too-old") {
            // It may have been carried out before, with its answer lost, but not more than once.
            return;
        }
        let Some((command, shard, sequence, events)) = self.numbered.get(&numbered) else {
            panic!("{intent:?} was answered, and is not in the log")
        };
        assert_eq!(answer["sequence"], json!(sequence), "{intent:?}, and in the log is {command:?} of shard {shard}");
        match events.first() {
            Some(&Event::Rejected { reason: why, .. }) => {
                let (word, code, _) = Why::Rejected(why).words();
                assert_eq!((reason, *status), (Some(word), code.as_u16()), "{intent:?}");
            }
            _ => assert_eq!(*status, 200, "{intent:?}"),
        }
    }

    /// Holds the notices that an account has read against the log: each once, and in the order of each shard.
    pub fn check_notices(&self, account: u32, read: &[Value], how: &str) {
        for shard in 0..self.shards {
            let of = |whom| self.notices.get(&(whom, shard)).into_iter().flatten().copied();
            let mut expected: Vec<_> = of(Some(AccountId(account))).chain(of(ALL)).collect();
            expected.sort_unstable();
            let number = |notice: &Value, field: &str| notice[field].as_u64().unwrap();
            let read = read.iter().filter(|notice| notice["shard"] == json!(shard));
            let read: Vec<_> =
                read.map(|notice| (number(notice, "sequence"), number(notice, "index"), of_event(notice))).collect();
            let at = read.iter().zip(&expected).take_while(|(read, expected)| read == expected).count();
            assert!(
                read == expected,
                "account {account}, shard {shard}, {how}: {} notices were read and {} are in the log; from {at} on {:?} \
                 and {:?}",
                read.len(),
                expected.len(),
                &read[at..read.len().min(at + 4)],
                &expected[at..expected.len().min(at + 4)]
            );
        }
    }

    /// Prints how much happened, and fails if it was too little.
    pub fn report(&self, histories: &[Vec<Intent>], read: &[Vec<Value>], cuts: usize) {
        let (intents, notices) =
            (histories.iter().map(Vec::len).sum::<usize>(), read.iter().map(Vec::len).sum::<usize>());
        let again = histories.iter().flatten().filter(|intent| intent.attempts > 1).count();
        println!(
            "{intents} requests were answered, {again} of them after more than one attempt; {} commands are in the log, \
             {notices} notices were read; {cuts} connections were cut",
            self.commands
        );
        assert!(intents > 100 && again > 10 && notices > 100 && cuts > 10, "too little happened");
    }
}

fn of_event(notice: &Value) -> &'static str {
    let word = notice["event"]["event"].as_str().unwrap();
    let all = ["accepted", "traded", "cancelled", "deposited", "withdrawn", "paid", "resolved"];
    all.into_iter().find(|known| *known == word).unwrap_or_else(|| panic!("{notice}"))
}

fn word(event: &Event) -> &'static str {
    match event {
        Event::Accepted { .. } => "accepted",
        Event::Traded { .. } => "traded",
        Event::Cancelled { .. } => "cancelled",
        Event::Deposited { .. } => "deposited",
        Event::Withdrawn { .. } => "withdrawn",
        Event::Paid { .. } => "paid",
        Event::Resolved { .. } => "resolved",
        Event::Opened { .. } | Event::Rejected { .. } => "",
    }
}
