//! The digest of a state, as reported by each part that reaches it: the engine that closes, its shadow, a
//! snapshot by itself, a backup. After the same command they have to report the same digest, the model's.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ch08::Chapter;
use ch08::shadow::Shadow;
use contract::folder::Folder;
use contract::harness::{Acks, run};
use contract::oracle::Oracle;
use contract::streams::Random;
use contract::{Faults, SimDisk};
use keeping::backup::copy;
use keeping::once::snapshot;
use market::log::ShardOf;
use market::snapshot::list;
use market::state::{ExchangeState, Holdings, MarketState, RestingOrder};
use market::{Engine as _, Price, RealDisk};

type Engine = <Chapter as runner::Chapter>::Engine;

/// An operation that takes this long is stuck.
const STUCK: Duration = Duration::from_secs(60);

/// A shard and a command, and the digest after it.
type Said = BTreeMap<(u16, u64), u64>;

/// The digests in lines of output, by shard and command.
fn said(lines: &[String]) -> Said {
    let number = |text: &str, before: &str| {
        let (_, rest) = text.split_once(before)?;
        Some(rest.split(|c: char| !c.is_ascii_hexdigit()).next()?.to_string())
    };
    let digests = lines.iter().filter_map(|line| {
        let digest = number(line, "digest is ").or_else(|| number(line, "with digest "))?;
        assert_eq!(digest.len(), 16, "{line}");
        let (shard, command) = (number(line, "shard ")?, number(line, "after command ")?);
        let digest = u64::from_str_radix(&digest, 16).unwrap();
        Some(((shard.parse().unwrap(), command.parse().unwrap()), digest))
    });
    digests.collect()
}

/// Engine, shadow and snapshot, life after life, in shards: each reports the model's digest after its
/// command.
#[test]
fn all_sources_agree_about_a_command() {
    let (disk, commands) = (SimDisk::new(1, Faults::default()), Random::new(3).stream(600));
    let of = |shard| ShardOf { shard, shards: 2 };
    let oracles = [0, 1].map(|shard| {
        let own = commands.iter().filter(|command| ShardOf::market(command.market(), 2) == of(shard));
        Oracle::of(&own.copied().collect::<Vec<_>>())
    });
    let mut folder = Folder::new(disk.clone());
    folder.options.shards = 2;
    let mut by_shadow = 0;
    for (life, part) in commands.chunks(60).enumerate() {
        folder.options.snapshot_every = [Some(5), None][life % 2];
        let newest = || list(&disk, folder.path(), of(0)).unwrap().first().map(|(next, _)| *next);
        let before = newest();
        let (mut engine, _) = Engine::open(&folder.options, &mut Acks::default().receivers()).unwrap();
        part.iter().for_each(|&command| _ = engine.submit(command).unwrap());
        engine.flush().unwrap();
        let began = Instant::now();
        while folder.options.snapshot_every.is_some() && newest() == before {
            assert!(began.elapsed() < STUCK, "the shadow writes nothing");
            std::thread::sleep(Duration::from_millis(1));
        }
        let closed = engine.close().unwrap();
        let (of_shadow, of_engine) = closed.remarks.into_iter().partition::<Vec<_>, _>(|line| line.contains("shadow"));
        let (shadow, engine) = (said(&of_shadow), said(&of_engine));
        let alone = said(&snapshot::<Shadow>(&folder.options).unwrap().lines().map(String::from).collect::<Vec<_>>());
        assert_eq!(engine.len(), 2, "{of_engine:?}");
        assert_eq!(alone, engine, "a snapshot by itself, and the engine");
        for (&(shard, command), &digest) in engine.iter().chain(&shadow) {
            let state = oracles[usize::from(shard)].state(command as usize);
            assert_eq!(digest, state.digest(), "shard {shard} after command {command}: {of_shadow:?} {of_engine:?}");
        }
        assert_eq!(engine.values().fold(0, |sum: u64, digest| sum.wrapping_add(*digest)), closed.state.digest());
        by_shadow += shadow.len();
    }
    assert!(by_shadow >= 5, "the shadow said {by_shadow} digests");
}

/// A backup reports the digest that it was tried with.
#[test]
fn a_backup_reports_it_too() {
    let folder = Folder::new(RealDisk);
    let went = run::<Engine>(&folder.options, &Random::new(5).stream(100), 10).unwrap();
    let copied = copy::<Shadow>(&folder.options, &folder.path().join("copy")).unwrap();
    assert!(
        copied.contains(&format!(
            "100 commands; it opens, with a snapshot of the first 0; the state's digest is {:016x}",
            went.closed.state.digest()
        )),
        "{copied}"
    );
}

/// A difference anywhere is another digest.
#[test]
fn any_difference_is_another_digest() {
    let with_orders = |state: &ExchangeState| {
        let found = state.markets.iter().find(|(_, market)| market.bids.len() > 1 && !market.asks.is_empty());
        found.map(|(&market, _)| market)
    };
    let states = (0..).map(|seed| Oracle::of(&Random::new(seed).stream(60)).state(60));
    let (market, state) = states.take(1_000).find_map(|state| Some((with_orders(&state)?, state))).unwrap();
    let digest = state.digest();
    let changed = |name: &str, change: &dyn Fn(&mut MarketState)| {
        let mut other = state.clone();
        change(other.markets.get_mut(&market).unwrap());
        assert!(other.digest() != digest, "{name}: the digest is the same");
    };
    changed("closed", &|market| market.closed = !market.closed);
    changed("the pot", &|market| market.pot.0 ^= 1);
    changed("orders placed", &|market| market.orders_placed += 1);
    changed("the queue", &|market| market.bids.swap(0, 1));
    changed("the sides", &|market| std::mem::swap(&mut market.bids, &mut market.asks));
    changed("an order less", &|market| _ = market.asks.pop());
    let order = |name: &str, change: &dyn Fn(&mut RestingOrder)| changed(name, &|market| change(&mut market.bids[0]));
    order("an order's id", &|order| order.order.0 += 1);
    order("its owner", &|order| order.account.0 ^= 1);
    order("its quantity", &|order| order.quantity.0 ^= 1);
    order("its price", &|order| order.price = Price::new(order.price.cents() % 99 + 1).unwrap());
    let holdings = |name: &str, change: &dyn Fn(&mut Holdings)| {
        changed(name, &|market| change(market.accounts.values_mut().next().unwrap()));
    };
    holdings("cash", &|holdings| holdings.cash.0 ^= 1);
    holdings("locked cash", &|holdings| holdings.cash_locked.0 ^= 1 << 63);
    holdings("YES", &|holdings| holdings.yes.0 ^= 1);
    holdings("locked YES", &|holdings| holdings.yes_locked.0 ^= 1);
    holdings("NO", &|holdings| holdings.no.0 ^= 1);
    holdings("locked NO", &|holdings| holdings.no_locked.0 ^= 1);
    holdings("YES and NO", &|holdings| {
        holdings.yes.0 += 1;
        std::mem::swap(&mut holdings.yes, &mut holdings.no);
    });
    changed("an account less", &|market| _ = market.accounts.pop_last());
    let mut fewer = state.clone();
    fewer.markets.remove(&market);
    assert_ne!(fewer.digest(), digest, "a market less");
}
