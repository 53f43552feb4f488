//! What an operator watches of a machine: how far each shard is, for how long something has been missing, which epoch it is, and up to
//! where two machines have computed the same. A primary and a standby show it under the same names.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gateway::layer::Metric;

use crate::beat::Beat;
use crate::behind::Behind;
use crate::chain::Chain;

/// What both roles show of a shard.
pub struct Shown {
    /// Whether this machine is the primary.
    pub is_primary: bool,
    /// The epoch.
    pub epoch: u64,
    /// The place of the last message that is known to be in the stream and was read or appended here.
    pub place: u64,
    /// The last command in these messages.
    pub command: u64,
    /// For how long something has been missing: in the stream for a primary, here for a standby.
    pub behind: Duration,
    /// The last command of the latest digest that the primary has told.
    pub told: u64,
}

/// A figure of each of these shards.
pub fn metric<T>(name: &'static str, help: &'static str, shards: &[T], value: impl Fn(&T) -> u64) -> Metric {
    Metric { name, help, is_counter: false, shards: shards.iter().map(|shard| value(shard) as f64).collect() }
}

/// What has happened at each of these shards since the program was started.
pub fn counter<T>(name: &'static str, help: &'static str, shards: &[T], value: impl Fn(&T) -> u64) -> Metric {
    Metric { is_counter: true, ..metric(name, help, shards, value) }
}

/// What both roles show.
pub fn common(shards: &[Shown]) -> Vec<Metric> {
    let behind = Metric {
        name: "venue_replication_behind_seconds",
        help: "For how long the stream has lacked a frame of this primary, or this standby a message of the stream.",
        is_counter: false,
        shards: shards.iter().map(|shard| shard.behind.as_secs_f64()).collect(),
    };
    vec![
        metric("venue_replication_primary", "1 for a primary, 0 for a standby.", shards, |shard| {
            u64::from(shard.is_primary)
        }),
        metric("venue_replication_epoch", "The primary's epoch.", shards, |shard| shard.epoch),
        metric(
            "venue_replication_messages",
            "Messages of the stream that this machine has appended or read.",
            shards,
            |shard| shard.place,
        ),
        metric("venue_replication_command", "The last command in those messages.", shards, |shard| shard.command),
        behind,
        metric(
            "venue_replication_digest_told_command",
            "The last command that the latest digest sent by the primary covers.",
            shards,
            |shard| shard.told,
        ),
    ]
}

/// What is known of a standby.
pub struct Watched {
    shards: Mutex<Vec<Shard>>,
    /// When a beat of the primary was heard last; at first, when this machine began to listen.
    heard: Mutex<Instant>,
}

#[derive(Clone, Default)]
struct Shard {
    epoch: u64,
    /// The last message that is on this machine's disk.
    place: u64,
    command: u64,
    /// The first and the last message of the stream when it was looked at last.
    ends: (u64, u64),
    behind: Behind,
    fences: u64,
    told: u64,
    equal: u64,
    compared: u64,
}

impl Watched {
    /// A standby of so many shards, which has read nothing and hears nothing yet.
    pub fn new(shards: u16) -> Watched {
        let shards = Mutex::new(vec![Shard::default(); usize::from(shards)]);
        Watched { shards, heard: Mutex::new(Instant::now()) }
    }

    fn shards(&self) -> MutexGuard<'_, Vec<Shard>> {
        self.shards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shard(&self, shard: usize, note: impl FnOnce(&mut Shard)) {
        self.shards().get_mut(shard).map(note);
    }

    /// A shard was read this far, and so many epochs began in what was read last. It is on disk.
    pub fn read(&self, shard: usize, chain: &Chain, epochs: u64) {
        self.shard(shard, |shard| {
            (shard.epoch, shard.place, shard.command) = (chain.epoch, chain.place, chain.next.sequence.0 - 1);
            shard.fences += epochs;
            shard.behind.note(shard.ends.1, shard.place, Instant::now());
        });
    }

    /// A shard's stream had its first and its last message at these places just now.
    pub fn looked(&self, shard: usize, ends: (u64, u64)) {
        self.shard(shard, |shard| {
            shard.ends = ends;
            shard.behind.note(ends.1, shard.place, Instant::now());
        });
    }

    /// The primary is alive.
    pub fn heard(&self, beat: &Beat) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        for (shard, stretch) in self.shards().iter_mut().zip(&beat.stretches) {
            shard.told = stretch.map_or(shard.told, |stretch| stretch.last);
        }
    }

    /// So many digests were equal, and the last of them was the one that ends with this command.
    pub fn compared(&self, shard: usize, equal: u64, count: u64) {
        self.shard(shard, |shard| (shard.equal, shard.compared) = (equal, count));
    }

    /// As Prometheus reads it.
    pub fn metrics(&self) -> Vec<Metric> {
        let (now, shards) = (Instant::now(), self.shards().clone());
        let heard = *self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let silence = now.saturating_duration_since(heard).as_secs_f64();
        let of_shard = |shard: &Shard| Shown {
            is_primary: false,
            epoch: shard.epoch,
            place: shard.place,
            command: shard.command,
            behind: shard.behind.since(now),
            told: shard.told,
        };
        let mut metrics = common(&shards.iter().map(of_shard).collect::<Vec<_>>());
        metrics.extend([
            metric(
                "venue_replication_behind_messages",
                "Messages of the stream, at the last check, that this standby does not have.",
                &shards,
                |shard| shard.ends.1.saturating_sub(shard.place),
            ),
            metric(
                "venue_replication_first_message",
                "The first message of the stream, at the last check; those before it were trimmed away.",
                &shards,
                |shard| shard.ends.0,
            ),
            Metric {
                name: "venue_replication_silence_seconds",
                help: "For how long this standby has heard no beat of a primary.",
                is_counter: false,
                shards: vec![silence; shards.len()],
            },
            counter(
                "venue_replication_fences",
                "Epochs that this standby has seen begin; each of them replaced the primary before it.",
                &shards,
                |shard| shard.fences,
            ),
            counter(
                "venue_replication_digests_compared",
                "Digests of the primary that equalled this standby's own.",
                &shards,
                |shard| shard.compared,
            ),
            metric(
                "venue_replication_digest_equal_command",
                "The last command that the latest of these digests covers.",
                &shards,
                |shard| shard.equal,
            ),
        ]);
        metrics
    }
}
