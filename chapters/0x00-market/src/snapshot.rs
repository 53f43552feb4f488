//! A snapshot: a shard's state after one command of its log, so that the commands before it need not be replayed.
//!
//! ```text
//! file    = header body
//! header  = magic (8) · version u32 · shard u16 · shards u16 · identity of the log u64 · next sequence u64
//!           · time of the last frame u64 · segment u64 · last frame's start u64, end u64, CRC-32C u32 · zero u32
//!           · ledger entries u64 · 8 × (section's name (8) · length u64) · ledger entries on disk u64 · zero (32)
//!           · CRC-32C u32 · zero u32                                                                  256 bytes
//! body    = block*, each up to 65,536 bytes, CRC-32C u32, zero u32
//! section "MARKETS\0" = for each market: market record, account records, order records (bids, then asks)
//! market  = id u32 · closed u32 · pot u64 · funded u64 · orders placed u64 · accounts u32 · bids u32 · asks u32
//!           · zero u32                                                                                 48 bytes
//! account = id u32 · zero u32 · cash u64 · locked u64 · YES u32 · locked u32 · NO u32 · locked u32         40 bytes
//! order   = id u64 · row u32 · quantity u32 · price u8 · intent u8 · zero (6)                           24 bytes
//! ```
//!
//! All integers are little-endian, amounts are in cents, prices in YES cents, and a row is the place of an order's
//! account among those of its market, from 0. Markets and accounts stand in the order in which they came; the orders
//! of a side stand best price first, and within a price in the order of their queue. Only the last block of the body
//! may be short. A block's checksum covers the log's identity, the next sequence and the block's number too, so a
//! block of another snapshot fails here.
//!
//! Sections with other names may follow, for state that other layers keep at the same sequence. A reader skips
//! sections that it does not know.

use std::io;
use std::path::{Path, PathBuf};

use crate::bytes::{u32_at, u64_at};
use crate::command::Intent;
use crate::log_reader::Place;
use crate::shard::ShardOf;
use crate::state::Holdings;
use crate::{AccountId, Cents, Disk, LogId, MarketId, OrderId, Price, Quantity, Sequence, Stamp, UnixMs};

/// The size of the header, in bytes.
pub const SNAPSHOT_HEADER_BYTES: usize = 256;

/// The section that holds the markets.
pub const MARKETS: [u8; 8] = *b"MARKETS\0";

/// The most sections of a snapshot.
pub const SECTIONS_MAX: usize = 8;

const MAGIC: [u8; 8] = *b"99SNAPS\n";
const VERSION: u32 = 1;

/// A part of the body: its name, and its length in bytes.
pub type Section = ([u8; 8], u64);

/// The first bytes of a snapshot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SnapshotHeader {
    /// The shard that it belongs to.
    pub shard: ShardOf,
    /// The identity of the shard's log.
    pub log: LogId,
    /// Where the log continues.
    pub place: Place,
    /// How many entries the ledger has from the first command up to here.
    pub ledger_entries: u64,
    /// How many of the ledger's entries were on disk when this was written. The ledger is written after the engine's
    /// answers, so it may lag.
    pub ledger_on_disk: u64,
    /// The sections of the body, in order.
    pub sections: Vec<Section>,
}

impl SnapshotHeader {
    /// The header as bytes. Sections beyond [`SECTIONS_MAX`] are not written.
    pub fn encode(&self) -> [u8; SNAPSHOT_HEADER_BYTES] {
        let mut bytes = [0; SNAPSHOT_HEADER_BYTES];
        let Place { segment, last: (start, end), crc, next } = self.place;
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.shard.shard.to_le_bytes());
        bytes[14..16].copy_from_slice(&self.shard.shards.to_le_bytes());
        let numbers =
            [self.log.0, next.sequence.0, next.time.0, segment.0, start, end, crc.into(), self.ledger_entries];
        let sections = self.sections.iter().take(SECTIONS_MAX);
        let sections = sections.flat_map(|(name, length)| [u64::from_le_bytes(*name), *length]);
        for (at, number) in numbers.into_iter().chain(sections).enumerate() {
            bytes[16 + 8 * at..24 + 8 * at].copy_from_slice(&number.to_le_bytes());
        }
        bytes[208..216].copy_from_slice(&self.ledger_on_disk.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[..248]);
        bytes[248..252].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Decodes `bytes`.
    ///
    /// # Errors
    /// Why they are not a snapshot's header.
    pub fn decode(bytes: &[u8; SNAPSHOT_HEADER_BYTES]) -> Result<SnapshotHeader, &'static str> {
        if bytes[..8] != MAGIC {
            return Err("it does not begin with a snapshot's magic bytes");
        }
        if u32_at(bytes, 8) != VERSION {
            return Err("it is of a version that this program does not read");
        }
        let number = |at: usize| u64_at(bytes, 16 + 8 * at);
        let [shard, shards] = [12, 14].map(|at| u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let next = Stamp { sequence: Sequence(number(1)), time: UnixMs(number(2)) };
        let place = Place { segment: Sequence(number(3)), last: (number(4), number(5)), crc: u32_at(bytes, 64), next };
        let section = |at: usize| (number(8 + 2 * at).to_le_bytes(), number(9 + 2 * at));
        let sections = (0..SECTIONS_MAX).map(section).filter(|(name, _)| *name != [0; 8]).collect();
        let header = SnapshotHeader {
            shard: ShardOf { shard, shards },
            log: LogId(number(0)),
            place,
            ledger_entries: number(7),
            ledger_on_disk: number(24),
            sections,
        };
        // Encoding again catches what no field above covered, including the checksum.
        if header.encode() == *bytes { Ok(header) } else { Err("its header is damaged") }
    }

    /// The length of the body without its checksums, in bytes.
    pub fn body_bytes(&self) -> u64 {
        self.sections.iter().fold(0, |sum, (_, length)| sum.saturating_add(*length))
    }
}

/// The name of a shard's snapshot whose next command is `next`.
pub fn file_name(ShardOf { shard, shards }: ShardOf, next: Sequence) -> String {
    format!("snapshot-{shard}-of-{shards}-at-{next:020}.bin")
}

/// The shard and the next command of a snapshot with this file name, if it is a snapshot's name.
pub fn of_file_name(name: &str) -> Option<(ShardOf, Sequence)> {
    let (shard, next) = name.strip_prefix("snapshot-")?.strip_suffix(".bin")?.split_once("-at-")?;
    let (shard, shards) = shard.split_once("-of-")?;
    let shard = ShardOf { shard: shard.parse().ok()?, shards: shards.parse().ok()? };
    let next = Sequence(next.parse().ok()?);
    (file_name(shard, next) == name).then_some((shard, next))
}

/// The snapshots of a shard in `folder`, the newest first.
///
/// # Errors
/// Errors of the disk.
pub fn list(disk: &dyn Disk, folder: &Path, shard: ShardOf) -> io::Result<Vec<(Sequence, PathBuf)>> {
    let names = disk.list(folder)?.into_iter();
    let ours = names.filter_map(|name| of_file_name(&name).filter(|(of, _)| *of == shard));
    let mut found: Vec<_> = ours.map(|(_, next)| (next, folder.join(file_name(shard, next)))).collect();
    found.sort_unstable_by_key(|(next, _)| std::cmp::Reverse(*next));
    Ok(found)
}

/// A market, before its accounts and its orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarketRecord {
    /// Its id.
    pub id: MarketId,
    /// Whether it was resolved.
    pub closed: bool,
    /// The cash behind the shares in existence.
    pub pot: Cents,
    /// Deposits minus withdrawals.
    pub funded: Cents,
    /// How many `Place` commands it has seen.
    pub orders_placed: u64,
    /// How many accounts follow.
    pub accounts: u32,
    /// How many resting bids and asks follow them.
    pub orders: [u32; 2],
}

/// An account of a market, and what it holds there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccountRecord {
    /// Its id.
    pub account: AccountId,
    /// What it holds.
    pub holdings: Holdings,
}

/// A resting order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderRecord {
    /// Its id.
    pub order: OrderId,
    /// The place of its account among those of the market, from 0.
    pub row: u32,
    /// What it wants.
    pub intent: Intent,
    /// Its limit in YES cents.
    pub price: Price,
    /// What is left of it; never 0.
    pub quantity: Quantity,
}

impl MarketRecord {
    /// The size of the record.
    pub const BYTES: usize = 48;

    /// The record.
    pub fn encode(&self) -> [u8; MarketRecord::BYTES] {
        let mut bytes = [0; MarketRecord::BYTES];
        bytes[..4].copy_from_slice(&self.id.0.to_le_bytes());
        bytes[4] = self.closed.into();
        for (at, number) in [self.pot.0, self.funded.0, self.orders_placed].into_iter().enumerate() {
            bytes[8 + 8 * at..16 + 8 * at].copy_from_slice(&number.to_le_bytes());
        }
        for (at, count) in [self.accounts, self.orders[0], self.orders[1]].into_iter().enumerate() {
            bytes[32 + 4 * at..36 + 4 * at].copy_from_slice(&count.to_le_bytes());
        }
        bytes
    }

    /// The market that `bytes` hold, or `None` if no market is written like that.
    pub fn decode(bytes: &[u8; MarketRecord::BYTES]) -> Option<MarketRecord> {
        let market = MarketRecord {
            id: MarketId(u32_at(bytes, 0)),
            closed: bytes[4] == 1,
            pot: Cents(u64_at(bytes, 8)),
            funded: Cents(u64_at(bytes, 16)),
            orders_placed: u64_at(bytes, 24),
            accounts: u32_at(bytes, 32),
            orders: [u32_at(bytes, 36), u32_at(bytes, 40)],
        };
        (market.encode() == *bytes).then_some(market)
    }
}

impl AccountRecord {
    /// The size of the record.
    pub const BYTES: usize = 40;

    /// The record.
    pub fn encode(&self) -> [u8; AccountRecord::BYTES] {
        let mut bytes = [0; AccountRecord::BYTES];
        let Holdings { cash, cash_locked, yes, yes_locked, no, no_locked } = self.holdings;
        bytes[..4].copy_from_slice(&self.account.0.to_le_bytes());
        bytes[8..16].copy_from_slice(&cash.0.to_le_bytes());
        bytes[16..24].copy_from_slice(&cash_locked.0.to_le_bytes());
        for (at, shares) in [yes, yes_locked, no, no_locked].into_iter().enumerate() {
            bytes[24 + 4 * at..28 + 4 * at].copy_from_slice(&shares.0.to_le_bytes());
        }
        bytes
    }

    /// The account that `bytes` hold, or `None` if no account is written like that.
    #[inline] // engines are other crates, and load a million of these
    pub fn decode(bytes: &[u8; AccountRecord::BYTES]) -> Option<AccountRecord> {
        let [yes, yes_locked, no, no_locked] = [24, 28, 32, 36].map(|at| Quantity(u32_at(bytes, at)));
        let [cash, cash_locked] = [8, 16].map(|at| Cents(u64_at(bytes, at)));
        let holdings = Holdings { cash, cash_locked, yes, yes_locked, no, no_locked };
        (u32_at(bytes, 4) == 0).then_some(AccountRecord { account: AccountId(u32_at(bytes, 0)), holdings })
    }
}

impl OrderRecord {
    /// The size of the record.
    pub const BYTES: usize = 24;

    /// The record.
    pub fn encode(&self) -> [u8; OrderRecord::BYTES] {
        let mut bytes = [0; OrderRecord::BYTES];
        bytes[..8].copy_from_slice(&self.order.0.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.row.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.quantity.0.to_le_bytes());
        bytes[16..18].copy_from_slice(&[self.price.cents(), self.intent as u8]);
        bytes
    }

    /// The order that `bytes` hold, or `None` if no order is written like that.
    #[inline] // as those of accounts
    pub fn decode(bytes: &[u8; OrderRecord::BYTES]) -> Option<OrderRecord> {
        let (price, intent) = (Price::new(bytes[16])?, Intent::from_code(bytes[17])?);
        let quantity = Quantity(u32_at(bytes, 12));
        let order = OrderRecord { order: OrderId(u64_at(bytes, 0)), row: u32_at(bytes, 8), intent, price, quantity };
        (quantity.0 > 0 && bytes[18..] == [0; 6]).then_some(order)
    }
}
