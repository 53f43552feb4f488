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
    pub fn first(price: Price, quantity: Quantity) -> Candle {
        Candle { open: price, high: price, low: price, close: price, shares: quantity.0.into(), trades: 1 }
    }

    /// Adds the next trade.
    pub fn add(&mut self, price: Price, quantity: Quantity) {
        self.high = self.high.max(price);
        self.low = self.low.min(price);
        self.close = price;
        self.shares += u64::from(quantity.0);
        self.trades += 1;
    }

    /// The candle after this one, if it has no trades.
    #[must_use]
    pub fn still(&self) -> Candle {
        let close = self.close;
        Candle { open: close, high: close, low: close, close, shares: 0, trades: 0 }
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
