//! The chapter's own rows: pages, candles, and what a trade takes in each form.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use history::columns::Columns;
use history::key::Table;
use history::pages::{Page, Wanted, candles, page};
use history::rows::{MarketTrade, OwnTrade};
use history::store::{COLUMNS, FOLDER, Store};
use history::width::Width;
use market::{MarketId, Options, UnixMs};

use crate::ask::{Random, Rounds, timed};
use crate::found::Found;
use crate::record::{FormRecord, ReadRecord};
use crate::stores::{Failed, Pair};

/// How often a page is asked for in a round.
const PAGES: usize = 2_000;

/// The rows of the log.
pub struct Past(Arc<Store>);

impl Past {
    /// Opens them.
    pub fn open(folder: &Path) -> Result<Past, Failed> {
        Ok(Past(Arc::new(Store::open(&Options::new(folder), false)?)))
    }

    /// Where they are.
    pub fn store(&self) -> &Store {
        &self.0
    }

    /// The rows that stand at a place, in the order in which they came.
    pub fn rows(&self) -> Result<Vec<Pair>, Failed> {
        crate::rows::all(&self.0)
    }

    /// How many trades there are.
    pub fn trades(&self) -> Result<u64, Failed> {
        Ok(self.0.followed(0)?.counts[0])
    }

    /// Pages of accounts, the newest and the oldest, and candles.
    pub fn pages(&self, rounds: u32) -> Result<Vec<ReadRecord>, Failed> {
        let accounts: Vec<u32> = self.accounts()?;
        let mut found = [Rounds::default(), Rounds::default(), Rounds::default()];
        for round in 0..rounds {
            let mut random = Random::new(round.into());
            let (mut newest, mut oldest, mut minutes) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..PAGES {
                let account = accounts[random.below(accounts.len())];
                newest.push(timed(|| self.page(account, UnixMs(u64::MAX)))?);
                // The account's oldest hundred: everything before the time of the hundred-and-first.
                let early = self.time_of(account)?;
                oldest.push(timed(|| self.page(account, early))?);
                minutes.push(timed(|| {
                    let to = UnixMs(self.0.followed(0)?.time.0 + 1);
                    Ok(candles(&self.0, MarketId(0), Width::Second, UnixMs(to.0.saturating_sub(500_000)), to)?)
                })?);
            }
            for (rounds, times) in found.iter_mut().zip([newest, oldest, minutes]) {
                rounds.add(times);
            }
        }
        let names = ["newest", "oldest", "candles"];
        Ok(names.iter().zip(&found).filter_map(|(name, rounds)| rounds.record(name)).collect())
    }

    fn page(&self, account: u32, to: UnixMs) -> Result<Page<OwnTrade>, Failed> {
        let wanted = Wanted { from: UnixMs(0), to, before: None, limit: 100 };
        Ok(page(&self.0, Table::Trades, account, &wanted)?)
    }

    /// A time after the first trades of an account.
    fn time_of(&self, account: u32) -> Result<UnixMs, Failed> {
        let (from, to) = (history::key::owner(Table::Trades, market::AccountId(account)), UnixMs(u64::MAX));
        let end = history::key::placed(Table::Trades, account, history::place::Place::from(to));
        let found = self.0.range::<OwnTrade>(&from, &end).nth(100).transpose()?;
        Ok(found.and_then(|(key, _)| history::key::place_of(&key)).map_or(to, |place| place.time))
    }

    fn accounts(&self) -> Result<Vec<u32>, Failed> {
        let mut accounts: Vec<u32> = Vec::new();
        for (key, _) in self.0.pairs(Table::Trades)? {
            let account = key.get(1..5).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
            accounts.extend(account.filter(|account| accounts.last() != Some(account)));
        }
        Ok(accounts)
    }

    /// Writes all trades as columns, in place of those that are there. Says how many seconds it took, and how many bytes they
    /// are.
    pub fn columns(&self, folder: &Path) -> Result<(f64, u64), Failed> {
        let columns = folder.join(FOLDER).join(COLUMNS);
        if columns.exists() {
            std::fs::remove_dir_all(columns)?;
        }
        let began = Instant::now();
        let mut columns = Columns::open(&Options::new(folder).disk, folder, &self.0)?;
        columns.catch_up(&|| false)?;
        let bytes = columns.manifest().files.iter().map(|file| file.bytes).sum();
        Ok((began.elapsed().as_secs_f64(), bytes))
    }

    /// Bytes for a trade: as CSV, as JSON, as the rows that it leads to, as the store keeps those, and as columns.
    pub fn forms(&self, store: &Found, raw_bytes: usize, column_bytes: u64) -> Result<Vec<FormRecord>, Failed> {
        let (mut csv, mut json, mut trades) = (String::new(), String::new(), 0.0);
        let (mut csv_bytes, mut json_bytes, mut raw) = (0, 0, 0);
        let end = [Table::Public as u8 + 1];
        for row in self.0.range::<MarketTrade>(&[Table::Public as u8], &end) {
            let (key, trade) = row?;
            let place = history::key::place_of(&key).unwrap_or_default();
            csv.clear();
            json.clear();
            let (time, sequence, price, quantity) =
                (place.time.0, place.sequence.0, trade.price.cents(), trade.quantity.0);
            let MarketTrade { maker, maker_account, taker, taker_account, .. } = trade;
            let _ =
                writeln!(csv, "{time},{sequence},{price},{quantity},{maker},{maker_account},{taker},{taker_account}");
            let _ = writeln!(
                json,
                "{{\"time\":{time},\"sequence\":{sequence},\"price\":{price},\"quantity\":{quantity},\"maker\":{maker},\
                 \"maker_account\":{maker_account},\"taker\":{taker},\"taker_account\":{taker_account}}}"
            );
            (csv_bytes, json_bytes, raw) = (csv_bytes + csv.len(), json_bytes + json.len(), raw + 27 + 31);
            trades += 1.0;
        }
        let kept = raw as f64 * store.bytes / raw_bytes as f64;
        let rows = [("json", json_bytes as f64), ("csv", csv_bytes as f64), ("row", raw as f64), ("store", kept)];
        let forms = rows.into_iter().chain([("columns", column_bytes as f64)]);
        Ok(forms.map(|(name, bytes)| FormRecord { name: name.into(), bytes: bytes / trades }).collect())
    }
}
