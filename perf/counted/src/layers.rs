//! Single layers, old beside new: the log, the book, finding an order, the accounts, the ledger, the
//! ring.

use std::hint::black_box;

use market::log::{RECORD_BYTES, decode_command, encode_command};
use market::{
    AccountId, Cents, Command, Event, Intent, MarketId, Options, OrderId, Place, Price, Quantity, TimeInForce,
};

use crate::disk::NoDisk;
use crate::work::{TIMES_MAX, Work};

/// The layers, in the pipeline's order.
pub const WORKS: &[Work] = &[
    Work { name: "0x01 log", unit: "frame of 1", rounds: 1, run: log_0x01 },
    Work { name: "0x05 log", unit: "frame of 64", rounds: 1, run: log_0x05 },
    Work { name: "record decode", unit: "command", rounds: 1, run: decode },
    Work { name: "0x01 book", unit: "place, cancel", rounds: 5, run: book_0x01 },
    Work { name: "0x04 book", unit: "place, cancel", rounds: 5, run: book_0x04 },
    Work { name: "0x05 book", unit: "place, cancel", rounds: 1, run: book_0x05 },
    Work { name: "0x05 id table", unit: "insert, find, remove", rounds: 1, run: ids },
    Work { name: "0x01 accounts", unit: "lock, settle", rounds: 1, run: accounts_0x01 },
    Work { name: "0x05 accounts", unit: "lock, settle", rounds: 1, run: accounts_0x05 },
    Work { name: "event encode", unit: "event", rounds: 1, run: encode_event },
    Work { name: "0x01 ledger", unit: "entry", rounds: 1, run: ledger_0x01 },
    Work { name: "0x05 ledger", unit: "entry", rounds: 1, run: ledger_0x05 },
    Work { name: "0x06 ring", unit: "64 commands", rounds: 1, run: ring },
];

/// The nth pseudo-random number.
fn scatter(n: usize) -> u64 {
    (n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

fn order(n: usize) -> Command {
    let drawn = scatter(n);
    Command::Place(Place {
        market: MarketId(1),
        account: AccountId(drawn as u32 % 1_000),
        intent: Intent::ALL[drawn as usize / 1_000 % 4],
        price: price(n).cents(),
        quantity: 1 + n as u32 % 100,
        time_in_force: TimeInForce::Gtc,
        client_order_id: 0,
    })
}

fn orders() -> Vec<Command> {
    (0..TIMES_MAX).map(order).collect()
}

fn price(n: usize) -> Price {
    Price::new(1 + (scatter(n) % 99) as u8).unwrap_or(Price::MIN)
}

fn options(folder: &tempfile::TempDir) -> Options {
    Options { disk: std::sync::Arc::new(NoDisk::default()), ..Options::new(folder.path()) }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn log_0x01(numbers: &[usize]) {
    let (folder, orders) = (folder(), orders());
    let (mut log, _) = ch01::log::Log::open(&options(&folder), |_, _| Ok(())).expect("a new log");
    numbers.iter().for_each(|&n| _ = black_box(log.append(&orders[n])));
}

fn log_0x05(numbers: &[usize]) {
    let (folder, orders) = (folder(), orders());
    let (mut log, _) = ch05::log::Log::open(&options(&folder), |_, _| Ok(())).expect("a new log");
    numbers.iter().for_each(|&n| _ = black_box(log.append(&orders[n % 100 * 64..][..64])));
}

fn decode(numbers: &[usize]) {
    let records: Vec<[u8; RECORD_BYTES]> = orders().iter().map(encode_command).collect();
    numbers.iter().for_each(|&n| _ = black_box(decode_command(black_box(&records[n]))));
}

/// How many orders rest while others come and go.
const RESTING: usize = 200;

/// An order comes to a level, and one leaves from another: what a book does when nothing trades.
fn come_and_go(numbers: &[usize], mut place: impl FnMut(OrderId, Price), mut cancel: impl FnMut(OrderId)) {
    let id = |n: usize| OrderId(1 + n as u64);
    (0..RESTING).for_each(|n| place(id(n), price(n)));
    // Not the numbers themselves: the same order can't come twice.
    for n in 0..numbers.len() {
        place(id(n + RESTING), price(n + RESTING));
        cancel(id(n));
    }
}

const OWNER: AccountId = AccountId(1);
const INTENT: Intent = Intent::BuyYes;

fn book_0x01(numbers: &[usize]) {
    use ch01::book::{Book, Order};
    let book = std::cell::RefCell::new(Book::default());
    let place = |id, price| {
        let order = Order { id, account: OWNER, intent: INTENT, price, quantity: Quantity(10) };
        let _ = black_box(book.borrow_mut().place(&order, TimeInForce::PostOnly));
    };
    come_and_go(numbers, place, |id| _ = black_box(book.borrow_mut().cancel(OWNER, id)));
    std::mem::forget(book);
}

fn book_0x04(numbers: &[usize]) {
    use ch04::book::{Book, Order};
    let (book, mut fills) = (std::cell::RefCell::new(Book::default()), Vec::new());
    let place = |id, price| {
        let order = Order { id, account: OWNER, intent: INTENT, price, quantity: Quantity(10) };
        let _ = black_box(book.borrow_mut().place(&order, TimeInForce::PostOnly, &mut fills));
    };
    come_and_go(numbers, place, |id| _ = black_box(book.borrow_mut().cancel(OWNER, id)));
    std::mem::forget(book);
}

fn book_0x05(numbers: &[usize]) {
    use ch05::book::{Book, Order};
    let mut accounts = ch05::accounts::Accounts::default();
    accounts.deposit(OWNER, Cents(100));
    let holder = accounts.find(OWNER).expect("it has deposited");
    let (book, mut fills) = (std::cell::RefCell::new(Book::default()), Vec::new());
    let place = |id, price| {
        let order = Order { id, holder, intent: INTENT, price, quantity: Quantity(10) };
        let _ = black_box(book.borrow_mut().place(&order, TimeInForce::PostOnly, &mut fills));
    };
    come_and_go(numbers, place, |id| _ = black_box(book.borrow_mut().cancel(id, |owner| owner == holder)));
    std::mem::forget(book);
}

/// Every id is three times its slot.
struct Ids {
    links: Vec<u32>,
}

impl ch05::id_table::Entries for Ids {
    fn entry(&self, slot: u32) -> Option<(u64, u32)> {
        self.links.get(slot as usize).map(|&link| (u64::from(slot) * 3, link))
    }

    fn link(&mut self, slot: u32) -> &mut u32 {
        &mut self.links[slot as usize]
    }
}

/// Ids come and go as orders do, and each is looked up once in between.
fn ids(numbers: &[usize]) {
    let (mut table, mut ids) = (ch05::id_table::IdTable::default(), Ids { links: vec![0; numbers.len() + RESTING] });
    let id = |n: usize| n as u64 * 3;
    let insert = |table: &mut ch05::id_table::IdTable, ids: &mut Ids, n: usize| {
        ids.links[n] = table.insert(id(n), n as u32, ids);
    };
    (0..RESTING).for_each(|n| insert(&mut table, &mut ids, n));
    for n in 0..numbers.len() {
        insert(&mut table, &mut ids, n + RESTING);
        black_box(table.find(id(n + RESTING / 2), &ids));
        table.remove(id(n), n as u32, &mut ids);
    }
}

const ACCOUNTS: u32 = 1_000;
const RICH: Cents = Cents(1_000_000_000);

fn account(n: usize) -> AccountId {
    AccountId(scatter(n) as u32 % ACCOUNTS)
}

fn accounts_0x01(numbers: &[usize]) {
    let mut accounts = ch01::accounts::Accounts::default();
    (0..ACCOUNTS).for_each(|id| accounts.deposit(AccountId(id), RICH));
    for &n in numbers {
        let (account, limit) = (account(n), price(n));
        let _ = black_box(accounts.lock(account, INTENT, limit, Quantity(10)));
        accounts.settle(account, INTENT, limit, Price::MIN, Quantity(10));
    }
    std::mem::forget(accounts);
}

fn accounts_0x05(numbers: &[usize]) {
    let mut accounts = ch05::accounts::Accounts::default();
    (0..ACCOUNTS).for_each(|id| accounts.deposit(AccountId(id), RICH));
    for &n in numbers {
        let limit = price(n);
        let holder = accounts.find(account(n)).expect("every account has deposited");
        accounts.lock(holder, INTENT, limit, Quantity(10)).expect("every account can pay for everything");
        accounts.settle(holder, INTENT, limit, Price::MIN, Quantity(10));
    }
}

fn trade(n: usize) -> Event {
    Event::Traded {
        market: MarketId(1),
        maker: OrderId(n as u64),
        maker_account: account(n),
        taker: OrderId(n as u64 + 7),
        taker_account: account(n + 7),
        price: price(n),
        quantity: Quantity(10),
        maker_intent: Intent::BuyNo,
        taker_intent: Intent::BuyYes,
    }
}

fn trades() -> Vec<Event> {
    (0..TIMES_MAX).map(trade).collect()
}

fn encode_event(numbers: &[usize]) {
    let trades = trades();
    numbers.iter().for_each(|&n| _ = black_box(black_box(&trades[n]).encode()));
}

fn ledger_0x01(numbers: &[usize]) {
    let (folder, trades) = (folder(), trades());
    let mut ledger = ch01::ledger::Ledger::create(folder.path()).expect("a ledger");
    numbers.iter().for_each(|&n| ledger.write(&trades[n..=n]).expect("written"));
}

fn ledger_0x05(numbers: &[usize]) {
    let (folder, trades) = (folder(), trades());
    let mut ledger = ch05::ledger::Ledger::create(folder.path()).expect("a ledger");
    numbers.iter().for_each(|&n| ledger.write(&trades[n..=n]).expect("written"));
    ledger.flush().expect("written");
}

/// One thread plays the producer and both consumers in turn, so nothing waits.
fn ring(numbers: &[usize]) {
    let orders = orders();
    let (mut producer, mut consumers) = ch06::ring::ring::<Command, 2>(1 << 10);
    for &n in numbers {
        let pushed = producer.push_slice(&orders[n % 100 * 64..][..64]).expect("no half has left");
        for consumer in &mut consumers {
            let mut left = pushed;
            // The circle's end divides a batch in two.
            while left > 0 {
                let seen = black_box(consumer.peek().expect("no half has left")).len();
                consumer.advance(seen);
                left -= seen;
            }
        }
    }
}
