//! Looking ahead: the accounts of the next commands are looked up before their turn.
//!
//! **Expected:** a batch shows which accounts the next commands will need. If they are looked up early, they are in
//! the cache when they are needed, and nothing waits for memory.
//!
//! **Compared:** an order's balance check, with the accounts of 0x05: look an account up by its id, lock what the
//! order needs, free it again. `in_turn` does one command after another. `ahead` looks up the account of the fourth
//! command after it, and discards the result: the processor continues and does not wait for the answer. `batch` looks
//! up the accounts of sixteen commands first, and then does their work. With 10,000 accounts, which a cache holds,
//! and with 1,000,000, which it does not.
//!
//! **Left out:** the processor's own instruction for it, which takes `unsafe` code; the book, where the next order to
//! match is known only when the one before it is done; and the rest of an order's work. A processor looks ahead by
//! itself over some hundred instructions: that is several checks here, and one order in an engine.

use std::hint::black_box;
use std::sync::Arc;

use ch05::accounts::{Accounts, Holder};
use market::{AccountId, Cents, Intent, Price, Quantity};

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Sample, Setting, Size, timed};
use crate::pattern::Pattern;
use crate::words::{counted, words};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "ahead",
    title: (
        "Does it pay to look up the accounts of the next commands before their turn?",
        "提前查好后面几条命令的账户，划算吗？",
    ),
    per: ("a balance check", "每次余额检查"),
    on_request: false,
    prepare,
};

/// How many commands ahead.
const AHEAD: usize = 4;
/// How many lookups before their work.
const BATCH: usize = 16;

/// Accounts in random order, each with enough cash for everything here.
fn funded(count: usize) -> Accounts {
    let mut accounts = Accounts::default();
    // An odd factor reaches each id below a power of two exactly once.
    let ids = count.next_power_of_two();
    let scattered = (0..ids).map(|n| n.wrapping_mul(2_654_435_761) % ids).filter(|&id| id < count);
    scattered.for_each(|id| accounts.deposit(AccountId(id as u32), Cents(1_000_000)));
    accounts
}

/// Locks what an order needs and frees it again, like an order that is cancelled.
fn check(accounts: &mut Accounts, holder: Option<Holder>, price: Price) -> u64 {
    let Some(holder) = holder else { return 0 };
    let quantity = Quantity(10);
    let locked = accounts.lock(holder, Intent::BuyYes, price, quantity).is_ok();
    if locked {
        accounts.unlock(holder, Intent::BuyYes, price, quantity);
    }
    u64::from(locked) * u64::from(accounts.account(holder).0)
}

fn price(account: u32) -> Price {
    Price::new((account % 99) as u8 + 1).unwrap_or(Price::MIN)
}

fn in_turn(accounts: &mut Accounts, asked: &[u32]) -> u64 {
    let one = |&account: &u32| {
        let holder = accounts.find(AccountId(account));
        check(accounts, holder, price(account))
    };
    asked.iter().map(one).fold(0, u64::wrapping_add)
}

// ANCHOR: ahead
fn ahead(accounts: &mut Accounts, asked: &[u32]) -> u64 {
    let one = |(at, &account): (usize, &u32)| {
        if let Some(&next) = asked.get(at + AHEAD) {
            black_box(accounts.find(AccountId(next)));
        }
        let holder = accounts.find(AccountId(account));
        check(accounts, holder, price(account))
    };
    asked.iter().enumerate().map(one).fold(0, u64::wrapping_add)
}
// ANCHOR_END: ahead

fn batch(accounts: &mut Accounts, asked: &[u32]) -> u64 {
    let (mut holders, mut sum) = ([None; BATCH], 0_u64);
    for commands in asked.chunks(BATCH) {
        for (holder, &account) in holders.iter_mut().zip(commands) {
            *holder = accounts.find(AccountId(account));
        }
        for (holder, &account) in holders.iter().zip(commands) {
            sum = sum.wrapping_add(check(accounts, *holder, price(account)));
        }
    }
    sum
}

fn case(name: &str, count: usize, commands: usize) -> Case {
    let asked = Arc::new(Pattern::list(13, commands, count));
    let run = |way: fn(&mut Accounts, &[u32]) -> u64| {
        let (asked, mut accounts) = (Arc::clone(&asked), None);
        move || -> Result<Sample, LabError> {
            let accounts = accounts.get_or_insert_with(|| funded(count));
            Ok(timed(asked.len(), || way(accounts, black_box(&asked))))
        }
    };
    Case::new(name, counted(count, ("account", "accounts"), "个账户"))
        .with("in_turn", words("in turn", "逐条"), run(in_turn))
        .with("ahead", words("looked up ahead", "提前查"), run(ahead))
        .with("batch", words("sixteen lookups first", "先查十六个"), run(batch))
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let commands = setting.size.of(2_000_000);
    let many = if setting.size == Size::Tiny { 20_000 } else { 1_000_000 };
    let cases = vec![case("few", 10_000, commands), case("many", many, commands)];
    Ok(Prepared { cases, left_out: Vec::new() })
}
