//! The engine alone, at the same rate: the part of an answer's time that is the disk's and the engine's own.

use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use market::{
    AccountId, Acknowledge, Cents, Command, Engine, Event, Intent, MarketId, Options, Place, Stamp, TimeInForce,
};
use market_data::engines::Work;
use market_data::offer::offer;
use results::error::MeasureError;
use results::record::venue::LateRecord;

use load::asking::histogram;
use load::late::record;

/// Cash of the two accounts.
const CASH: Cents = Cents(100_000_000_000);

/// Offers orders to the engine of 0x08, without a gateway.
///
/// # Errors
/// If the engine stops.
pub fn measure(rate: u64, time: Duration, folder: &Path) -> Result<LateRecord, MeasureError> {
    // By its type: selecting it by number would compile all engines into this again.
    Bare { rate, time, folder }.with::<<ch08::Chapter as runner::Chapter>::Engine>()
}

struct Bare<'a> {
    rate: u64,
    time: Duration,
    folder: &'a Path,
}

/// Records when each command was acknowledged.
struct Noted(Sender<Instant>);

impl Acknowledge for Noted {
    fn acknowledge(&mut self, _: Stamp, _: &[Event]) {
        let _ = self.0.send(Instant::now());
    }
}

impl Work for Bare<'_> {
    type Done = Result<LateRecord, MeasureError>;

    fn with<E: Engine>(self) -> Self::Done {
        let failed = |error: market::EngineError| MeasureError::Unusable(error.to_string());
        let fresh = tempfile::tempdir_in(self.folder);
        let fresh = fresh.map_err(|error| MeasureError::disk("create a folder in", self.folder, &error))?;
        let (noted, notes) = channel();
        let options = Options::new(fresh.path());
        let (mut engine, _) = E::open(&options, &mut |_| Box::new(Noted(noted.clone()))).map_err(failed)?;
        let market = MarketId(1);
        let deposit = |account| Command::Deposit { market, account: AccountId(account), amount: CASH, request: 0 };
        for command in [Command::Open { market }, deposit(0), deposit(1)] {
            engine.submit(command).map_err(failed)?;
        }
        engine.flush().map_err(failed)?;
        let _: Vec<Instant> = notes.try_iter().collect();
        let orders: Vec<_> = (0..(self.rate as f64 * self.time.as_secs_f64()) as u32).map(order).collect();
        let offered = offer(&mut engine, &orders, self.rate, self.time, &|| false).map_err(failed)?;
        engine.close().map_err(failed)?;
        let mut waits = histogram();
        // One shard acknowledges commands in the order in which they were submitted.
        for (number, at) in notes.try_iter().take(offered.tickets.len()).enumerate() {
            let due = offered.began + Duration::from_secs_f64(number as f64 / self.rate as f64);
            waits.saturating_record(at.saturating_duration_since(due).as_nanos() as u64);
        }
        Ok(record("bare", self.rate, offered.time, &waits))
    }
}

fn order(number: u32) -> Command {
    Command::Place(Place {
        intent: if number.is_multiple_of(2) { Intent::BuyYes } else { Intent::BuyNo },
        time_in_force: TimeInForce::Gtc,
        price: 50,
        market: MarketId(1),
        account: AccountId(number % 2),
        quantity: 1,
        client_order_id: 0,
    })
}
