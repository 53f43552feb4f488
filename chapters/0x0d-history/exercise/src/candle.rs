//! Candles: the prices of some time in five numbers.

use market::{Price, Quantity};

use crate::bytes::{Reader, Writer};
use crate::rows::Row;

/// The trades of some time. A time without trades has no candle: a chart repeats the last price with no volume.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candle {
    /// The first price, in YES cents.
    pub open: Price,
    /// The highest.
    pub high: Price,
    /// The lowest.
    pub low: Price,
    /// The last.
    pub close: Price,
    /// How many shares.
    pub shares: u64,
    /// How many trades.
    pub trades: u64,
}

impl Candle {
    /// The candle of one trade.
    pub fn first(_price: Price, _quantity: Quantity) -> Candle {
        todo!("step 2: first")
    }

    /// Adds the next trade.
    pub fn add(&mut self, _price: Price, _quantity: Quantity) {
        todo!("step 2: add")
    }

    /// The candle after this one, if it has no trades.
    #[must_use]
    pub fn still(&self) -> Candle {
        todo!("step 2: still")
    }
}

impl Row for Candle {
    fn encode(&self) -> Vec<u8> {
        let prices = [self.open, self.high, self.low, self.close].map(Price::cents);
        Writer::default().put(prices).put(self.shares.to_le_bytes()).put(self.trades.to_le_bytes()).0
    }

    fn decode(bytes: &[u8]) -> Option<Candle> {
        let mut row = Reader(bytes);
        let [open, high, low, close] = row.take::<4>()?.map(Price::new);
        let (shares, trades) = (row.u64()?, row.u64()?);
        row.end(Candle { open: open?, high: high?, low: low?, close: close?, shares, trades })
    }
}
