//! Everything that is open between two kills: the door, the replies, and an engine made of models.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, RwLock};

use gateway::bell::Bell;
use gateway::door::{EngineDoor, Request};
use gateway::engine_thread::Ticketed;
use gateway::projection::Projection;
use gateway::replies::Replies;
use gateway::stream::listeners::Listeners;
use gateway::way_back::{Back, WayBack, way_back};
use market::{Acknowledge as _, Command, Sequence};

use crate::mirror::Mirror;

/// Room for everything that happens between two turns of the replies.
const EVENTS: usize = 8_192;

/// A shard of the engine.
pub struct Shard {
    pub way_back: WayBack,
    /// The state after each command since the shard was opened; the first is the recovered one.
    pub mirrors: Vec<Mirror>,
    /// The last command before the shard was opened.
    pub before: u64,
    /// Commands that were submitted and not yet acknowledged.
    pub pending: VecDeque<Command>,
}

/// Everything that is open between two kills.
pub struct Life {
    pub door: EngineDoor,
    pub entered: Receiver<Request>,
    pub tickets: Sender<Ticketed>,
    pub replies: Replies,
    pub projection: Arc<RwLock<Projection>>,
    pub shards: Vec<Shard>,
}

impl Life {
    /// Opens everything around an engine that recovered this state.
    pub fn open(recovered: Vec<(Mirror, u64)>, most: usize) -> Life {
        let bell = Arc::new(Bell::default());
        let (mut ways, backs): (Vec<WayBack>, Vec<Back>) = recovered.iter().map(|_| way_back(EVENTS, &bell)).unzip();
        for (way, (mirror, before)) in ways.iter_mut().zip(&recovered) {
            way.recovered(Sequence(before + 1), &|| mirror.model.state());
        }
        let shard =
            |(way_back, (mirror, before))| Shard { way_back, mirrors: vec![mirror], before, pending: VecDeque::new() };
        let projection = Arc::new(RwLock::new(Projection::new(recovered.len() as u16)));
        let shards = ways.into_iter().zip(recovered).map(shard).collect();
        let ((tickets, ticketed), (door, entered)) = (channel(), EngineDoor::new(most));
        let listeners = Arc::new(Listeners::default());
        let replies = Replies::new(backs, ticketed, Arc::clone(&projection), listeners, Vec::new(), bell);
        Life { door, entered, tickets, replies, projection, shards }
    }
}
