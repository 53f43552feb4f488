//! All markets on display, by id.
//!
//! A reader looks up a market here once and then reads it without the board. So the lock below only delays a market
//! that opens.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use market::MarketId;

use crate::shown::Shown;

/// The markets of one feed.
#[derive(Default)]
pub struct Board {
    markets: RwLock<BTreeMap<MarketId, Arc<Shown>>>,
}

impl Board {
    /// The market's public book and trades, if the market is known.
    pub fn market(&self, market: MarketId) -> Option<Arc<Shown>> {
        self.markets.read().unwrap_or_else(PoisonError::into_inner).get(&market).cloned()
    }

    /// All markets, by their ids.
    pub fn markets(&self) -> Vec<Arc<Shown>> {
        self.markets.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    pub(crate) fn add(&self, shown: Arc<Shown>) {
        self.markets.write().unwrap_or_else(PoisonError::into_inner).insert(shown.market, shown);
    }
}
