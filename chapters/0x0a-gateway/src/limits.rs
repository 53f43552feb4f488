//! Limits per client, so that none takes what is meant for all.
//!
//! | limit | per | refused with |
//! |---|---|---|
//! | orders and cancellations per second | account | `too-many-requests`, and when to retry |
//! | requests in flight | account | `too-many-in-flight` |
//! | new accounts per minute | address | `too-many-requests`, and when to retry |
//! | attempts at codes of a class | address | `too-many-requests`, and when to retry |
//! | connections | address, and in all | `too-many-connections` |
//! | WebSocket connections | account | `too-many-streams` |
//!
//! A classroom never reaches them; an attacker reaches all of them. A client on this machine may be a proxy for many or
//! a load generator, so this machine's addresses have no limit of their own. Cost per order: a lookup in a table that
//! almost never changes, and two atomic numbers.

pub mod bucket;
pub mod excess;
pub mod held;
pub mod refusals;

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use market::AccountId;
use rustc_hash::FxHashMap;

pub use excess::Excess;

use bucket::{Bucket, Rate};
use held::{Held, Holders};
use refusals::Refusals;

use crate::capacity::{Capacity, Taken};

/// How many requests of an account may be in flight, over all its connections.
pub const IN_FLIGHT_MAX: usize = 4_096;

/// After a pause, a client may do at once what it may do in this many periods of its limit.
const BURST_PERIODS: u32 = 2;

/// How many accounts an address may make at once, at most: a class of thirty, four times over.
const ACCOUNTS_BURST: u32 = 120;

/// How many codes of a class an address may try per minute, and at once.
const GUESSES: u32 = 10;

/// How many addresses to remember before those with a full bucket are forgotten.
const ADDRESSES_MAX: usize = 16_384;

/// The configured limits.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// Orders and cancellations per account and second; 0 means no limit, also on requests in flight.
    pub orders_per_second: u32,
    /// New accounts per address and minute; 0 means no limit.
    pub accounts_per_minute: u32,
    /// Connections in all.
    pub connections: u32,
    /// Connections per address.
    pub connections_per_address: u32,
    /// WebSocket connections per account.
    pub streams_per_account: u32,
    /// Whether the venue is in classroom mode: accounts by short codes, and a fresh start.
    pub classroom: bool,
}

impl Allowed {
    /// For tests and measurements: no limits but those of the machine.
    pub const ANYTHING: Allowed = Allowed {
        orders_per_second: 0,
        accounts_per_minute: 0,
        connections: u32::MAX,
        connections_per_address: u32::MAX,
        streams_per_account: u32::MAX,
        classroom: false,
    };
}

/// All limits of a venue, and how much of them is used.
pub struct Limits {
    began: Instant,
    allowed: Allowed,
    orders: Option<Rate>,
    makers_rate: Option<Rate>,
    // Only accounts that have a key get here, so it grows no larger than the names.
    accounts: RwLock<FxHashMap<AccountId, Arc<Account>>>,
    makers: Addresses,
    guessers: Addresses,
    connections: Holders<IpAddr>,
    streams: Holders<AccountId>,
    refusals: Refusals,
}

/// One account's usage.
#[derive(Default)]
struct Account {
    sent: Bucket,
    in_flight: Capacity,
}

impl Limits {
    /// Limits of which nothing is used yet.
    pub fn new(allowed: Allowed) -> Limits {
        let second = Duration::from_secs(1);
        let rate = |count: u32, per, most: u32| {
            (count > 0).then(|| Rate::new(count, per, count.saturating_mul(BURST_PERIODS).min(most)))
        };
        Limits {
            began: Instant::now(),
            orders: rate(allowed.orders_per_second, second, u32::MAX),
            makers_rate: rate(allowed.accounts_per_minute, 60 * second, ACCOUNTS_BURST),
            accounts: RwLock::default(),
            makers: Addresses::default(),
            guessers: Addresses::default(),
            connections: Holders::new(allowed.connections, allowed.connections_per_address, Excess::TooManyOfAddress),
            streams: Holders::new(u32::MAX, allowed.streams_per_account, Excess::TooManyOfAccount),
            refusals: Refusals::default(),
            allowed,
        }
    }

    /// What is allowed.
    pub fn allowed(&self) -> Allowed {
        self.allowed
    }

    /// Asks for room for this many requests of an account. Grants as many as are allowed, and says why if there are
    /// fewer.
    pub fn request(&self, account: AccountId, wanted: usize) -> (Taken, Option<Excess>) {
        let Some(rate) = self.orders else { return (Taken::any(wanted), None) };
        let account = self.account(account);
        let mut taken = account.in_flight.take(wanted, IN_FLIGHT_MAX);
        let fit = taken.count();
        let (sent, wait) = account.sent.take_some(fit, rate, self.now());
        taken.keep(sent);
        let excess = if sent < fit { Some(Excess::TooFast(wait)) } else { None };
        let excess = excess.or((fit < wanted).then_some(Excess::TooManyInFlight));
        excess.inspect(|excess| self.refusals.add(*excess, wanted - taken.count()));
        (taken, excess)
    }

    /// Asks for a new account for this address.
    ///
    /// # Errors
    /// [`Excess::TooFast`].
    pub fn new_account(&self, address: IpAddr) -> Result<(), Excess> {
        let Some(rate) = self.makers_rate.filter(|_| !is_of_this_machine(address)) else { return Ok(()) };
        self.counted(self.makers.take(address, rate, self.now()))
    }

    /// Asks whether this address may try another code of a class. This limit also applies to this machine's addresses.
    ///
    /// # Errors
    /// [`Excess::TooFast`].
    pub fn guess(&self, address: IpAddr) -> Result<(), Excess> {
        let rate = Rate::new(GUESSES, Duration::from_secs(60), GUESSES);
        self.counted(self.guessers.take(address, rate, self.now()))
    }

    /// Asks for a connection from this address, and holds it until the value is dropped.
    ///
    /// # Errors
    /// [`Excess::TooManyConnections`], [`Excess::TooManyOfAddress`].
    pub fn connection(&self, address: IpAddr) -> Result<Held<IpAddr>, Excess> {
        self.counted(self.connections.hold(network_of(address), !is_of_this_machine(address)))
    }

    /// Asks for a WebSocket connection of this account, and holds it until the value is dropped.
    ///
    /// # Errors
    /// [`Excess::TooManyOfAccount`].
    pub fn stream(&self, account: AccountId) -> Result<Held<AccountId>, Excess> {
        self.counted(self.streams.hold(account, true))
    }

    /// How many connections are open.
    pub fn connections(&self) -> u32 {
        self.connections.count()
    }

    /// How many WebSocket connections of accounts are open.
    pub fn streams(&self) -> u32 {
        self.streams.count()
    }

    /// How many requests and connections were refused, by the limit that they exceeded.
    pub fn refused(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.refusals.all()
    }

    fn counted<T>(&self, held: Result<T, Excess>) -> Result<T, Excess> {
        held.inspect_err(|excess| self.refusals.add(*excess, 1))
    }

    fn account(&self, account: AccountId) -> Arc<Account> {
        let known = self.accounts.read().unwrap_or_else(PoisonError::into_inner).get(&account).map(Arc::clone);
        known.unwrap_or_else(|| {
            let mut accounts = self.accounts.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(accounts.entry(account).or_default())
        })
    }

    /// Nanoseconds since the limits were created: enough for centuries.
    fn now(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }
}

/// A bucket per address.
#[derive(Default)]
struct Addresses(Mutex<FxHashMap<IpAddr, Bucket>>);

impl Addresses {
    fn take(&self, address: IpAddr, rate: Rate, now_ns: u64) -> Result<(), Excess> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= ADDRESSES_MAX {
            buckets.retain(|_, bucket| !bucket.is_full(now_ns));
        }
        buckets.entry(network_of(address)).or_default().take(rate, now_ns).map_err(Excess::TooFast)
    }
}

/// Whether a client on this machine has this address. A listener on `[::]` sees 127.0.0.1 as `::ffff:127.0.0.1`.
fn is_of_this_machine(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// The network of an address: an owner of one IPv6 address has 2⁶⁴ of them.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => Ipv6Addr::from_bits(six.to_bits() & !u128::from(u64::MAX)).into(),
        four => four,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_its_own_limit() {
        let limits = Limits::new(Allowed { orders_per_second: 10, ..Allowed::ANYTHING });
        let (one, other) = (AccountId(1), AccountId(2));
        let excess = |account, wanted| limits.request(account, wanted).1;
        let refused: Vec<_> = (0..30).map(|_| excess(one, 1)).collect();
        assert_eq!(refused.iter().position(Option::is_some), Some(20), "{refused:?}");
        assert!(
            matches!(refused[29], Some(Excess::TooFast(wait)) if wait <= Duration::from_millis(100)),
            "{refused:?}"
        );
        let (some, excess) = limits.request(other, 25);
        assert_eq!(some.count(), 20, "as many as there are: {excess:?}");
        assert!(matches!(excess, Some(Excess::TooFast(_))), "{excess:?}");
        assert_eq!(limits.refused().next(), Some(("too-many-requests", 10 + 5)), "all of them are counted");
    }

    #[test]
    fn requests_under_way_are_counted() {
        let limits = Limits::new(Allowed { orders_per_second: 1_000_000, ..Allowed::ANYTHING });
        let ask = |account, wanted| limits.request(AccountId(account), wanted);
        let (one, many) = (ask(1, 1), ask(1, IN_FLIGHT_MAX));
        assert_eq!((one.0.count(), one.1), (1, None));
        assert_eq!((many.0.count(), many.1), (IN_FLIGHT_MAX - 1, Some(Excess::TooManyInFlight)));
        assert_eq!((ask(1, 1).0.count(), ask(2, 1).0.count()), (0, 1));
        drop(many);
        assert_eq!(ask(1, 1).1, None);
    }

    #[test]
    fn an_address_has_few_connections_and_this_machine_any_number() {
        let limits = Limits::new(Allowed { connections_per_address: 1, ..Allowed::ANYTHING });
        let two = |text: &str| {
            [(); 2].map(|()| limits.connection(text.parse().expect("an address"))).map(|held| held.is_ok())
        };
        assert_eq!(["10.0.0.1", "127.0.0.1", "::ffff:127.0.0.1"].map(two), [[true, false], [true; 2], [true; 2]]);
    }

    #[test]
    fn an_address_makes_accounts_slowly_and_this_machine_does_not() {
        let limits = Limits::new(Allowed { accounts_per_minute: 60, ..Allowed::ANYTHING });
        let address = |text: &str| text.parse::<IpAddr>().expect("an address");
        let many = |text| (0..=ACCOUNTS_BURST).map(|_| limits.new_account(address(text))).find_map(Result::err);
        assert!(matches!(many("10.0.0.1"), Some(Excess::TooFast(wait)) if wait <= Duration::from_secs(1)));
        assert!(many("10.0.0.2").is_some() && many("::ffff:10.0.0.3").is_some());
        assert_eq!(["127.0.0.1", "::1", "::ffff:127.0.0.1"].map(many), [None; 3]);
        assert!(
            many("2001:db8::1").is_some() && limits.new_account(address("2001:db8::2")).is_err(),
            "both are in one network"
        );
    }
}
