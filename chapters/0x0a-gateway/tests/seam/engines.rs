//! The same with every real engine, on threads: through the venue, without a network.

use contract::fixture::unsynced_disk;
use contract::folder::Folder;
use contract::streams::{Random, prologue};
use gateway::limits::Allowed;
use gateway::reply::{Given, Refusal, Reply, Session};
use gateway::venue::{Running, Venue};
use market::log::ShardOf;
use market::{
    AccountId, Cents, Command, Intent, MarketId, Options, Outcome, Place, Sequence, Stamp, TimeInForce, UnixMs,
};
use market_data::engines::Rung;
use program::rounds::Rounds;
use tokio::sync::oneshot;

use crate::answers::{compare_reply, owner};
use crate::mirror::{Mirror, compare};

const RUNGS: [Rung; 8] = [
    Rung::Naive,
    Rung::PerfMetrics,
    Rung::GroupCommit,
    Rung::AllocationReuse,
    Rung::ArrayBook,
    Rung::PinnedRing,
    Rung::Sharding,
    Rung::Snapshots,
];

fn start(rung: Rung, options: &Options) -> Running {
    Venue::start(rung, options, 0, Allowed::ANYTHING, Vec::new()).unwrap_or_else(|error| panic!("{rung:?}: {error}")).0
}

type Answered = oneshot::Receiver<Vec<Given>>;

fn enter(running: &Running, command: Command) -> Answered {
    running.venue().enter(owner(&command), [command].into())
}

fn done(rung: Rung, answered: Answered) -> Vec<Reply> {
    let given = answered.blocking_recv().expect("one answer").into_iter();
    given.map(|given| given.unwrap_or_else(|error| panic!("{rung:?}: {error:?}"))).collect()
}

fn check(rung: Rung, mirror: &mut Mirrors, commands: &[Command], answered: Answered) {
    let replies = done(rung, answered);
    assert_eq!(replies.len(), commands.len(), "{rung:?}: an answer for each");
    commands.iter().zip(replies).for_each(|(&command, reply)| mirror.apply(rung, command, &reply));
}

/// The mirrors of all shards, which get each shard's commands in order.
struct Mirrors(Vec<(Mirror, u64)>);

impl Mirrors {
    fn apply(&mut self, rung: Rung, command: Command, reply: &Reply) {
        let shard = ShardOf::market(command.market(), self.0.len() as u16).shard;
        let (mirror, sequence) = &mut self.0[usize::from(shard)];
        *sequence += 1;
        assert_eq!((reply.ticket.shard, reply.ticket.sequence.0), (shard, *sequence), "{rung:?}: {command:?}");
        let stamp = Stamp { sequence: Sequence(*sequence), time: reply.stamp.time };
        let events = mirror.apply(stamp, &command);
        compare_reply(reply, &events).unwrap_or_else(|complaint| panic!("{rung:?}: {command:?}: {complaint}"));
    }

    fn compare(&self, rung: Rung, running: &Running) {
        let projection = running.venue().projection();
        let mirrors: Vec<_> = self.0.iter().map(|(mirror, _)| mirror).collect();
        compare(&projection, &mirrors).unwrap_or_else(|complaint| panic!("{rung:?}: {complaint}"));
        let progress: Vec<_> = self.0.iter().map(|&(_, sequence)| Sequence(sequence)).collect();
        assert_eq!(projection.progress(), progress, "{rung:?}");
    }
}

/// One log, many engines: each continues where the previous one ended.
fn engines_take_turns(seed: u64, shards: u16, rungs: &[Rung]) {
    let (folder, mut random) = (Folder::new(unsynced_disk()), Random::new(seed));
    let options = Options { shards, ..folder.options.clone() };
    let mut mirrors = Mirrors((0..shards).map(|_| (Mirror::default(), 0)).collect());
    let mut commands = prologue();
    for &rung in rungs {
        let running = start(rung, &options);
        mirrors.compare(rung, &running);
        commands.extend((0..300).map(|_| random.command()));
        let mut under_way = Vec::new();
        // Commands of the same session in a row enter together.
        for list in commands.chunk_by(|one, other| owner(one) == owner(other)) {
            under_way.push((list, running.venue().enter(owner(&list[0]), list.into())));
            if random.one_in(40) {
                under_way.drain(..).for_each(|(list, answered)| check(rung, &mut mirrors, list, answered));
                mirrors.compare(rung, &running);
            }
        }
        under_way.drain(..).for_each(|(list, answered)| check(rung, &mut mirrors, list, answered));
        commands.clear();
        mirrors.compare(rung, &running);
        // A client sends a request and does not wait: it is answered all the same, and the next start finds the
        // command.
        let command = Command::Open { market: MarketId(50_000 + mirrors.0[0].1 as u32) };
        let (shard, venue) = (ShardOf::market(command.market(), shards).shard, std::sync::Arc::clone(running.venue()));
        drop(enter(&running, command));
        running.close().unwrap_or_else(|error| panic!("{rung:?}: {error}"));
        let (mirror, sequence) = &mut mirrors.0[usize::from(shard)];
        *sequence += 1;
        mirror.apply(Stamp { sequence: Sequence(*sequence), time: UnixMs::UNKNOWN }, &command);
        let late = venue.enter(Session::Operator, [command].into()).blocking_recv();
        assert_eq!(late, Ok(vec![Err(Refusal::Draining)]), "{rung:?}: after the end");
        for (mirror, _) in &mut mirrors.0 {
            *mirror = Mirror::recovered(mirror.model.clone());
        }
    }
}

#[test]
fn every_engine_behind_the_door_gives_the_models_answers() {
    for seed in 0..Rounds::asked().pick(1, 10) {
        engines_take_turns(seed, 1, &RUNGS);
        engines_take_turns(seed, 3, &[Rung::Sharding, Rung::Snapshots, Rung::Sharding]);
    }
}

/// More resting orders than the way back's ring can hold, ended by one command.
fn a_resolution_beyond_the_ring(rung: Rung) {
    const ORDERS: u64 = 20_000;
    let folder = Folder::new(unsynced_disk());
    let running = start(rung, &folder.options);
    let venue = running.venue();
    let (market, account) = (MarketId(1), AccountId(1));
    done(rung, enter(&running, Command::Open { market }));
    done(rung, enter(&running, Command::Deposit { market, account, amount: Cents(ORDERS), request: 0 }));
    let order = Command::Place(Place {
        market,
        account,
        intent: Intent::BuyYes,
        price: 1,
        quantity: 1,
        time_in_force: TimeInForce::Gtc,
        client_order_id: 0,
    });
    for _ in 0..ORDERS / 1_000 {
        assert_eq!(done(rung, venue.enter(owner(&order), vec![order; 1_000].into())).len(), 1_000);
    }
    assert_eq!(venue.projection().account(account).map(|one| one.open.len()), Some(ORDERS as usize));
    let resolve = Command::Resolve { market, outcome: Outcome::Yes };
    let (resolved, behind) = (enter(&running, resolve), enter(&running, order));
    let reply = &done(rung, resolved)[0];
    assert_eq!(reply.events.len(), 1, "{rung:?}: others get notices instead: {reply:?}");
    assert!(done(rung, behind)[0].rejected().is_some(), "{rung:?}: the market is closed");
    let projection = venue.projection();
    assert!(projection.account(account).is_some_and(|account| account.open.is_empty()));
    let held: Vec<_> = projection.holdings(account).map(|(_, held)| (held.cash, held.cash_locked)).collect();
    assert_eq!(held, [(Cents(ORDERS), Cents(0))], "{rung:?}");
    drop(projection);
    running.close().unwrap_or_else(|error| panic!("{rung:?}: {error}"));
}

#[test]
fn a_resolution_beyond_the_ring_is_answered() {
    for rung in [Rung::Naive, Rung::GroupCommit, Rung::Snapshots] {
        a_resolution_beyond_the_ring(rung);
    }
}
