//! Feeds with one fault each, to show that the contract detects it.

use market::{Event, Price};
use market_data::{BookUpdate, Prices};

/// The fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    None,
    /// A price that changed is missing from the mask when it is read.
    MaskClearedTooEarly,
    /// A feed that restarts counts its versions in the old epoch.
    VersionReused,
    /// A gap in the trades is skipped silently.
    GapNotAnnounced,
    /// Asks look like bids.
    DepthNotSigned,
    /// The resolution of a market is not passed on.
    ResolutionForgotten,
    /// A feed that is behind does not say so.
    StaleNotSaid,
}

impl Fault {
    pub const ALL: [Fault; 6] = [
        Fault::MaskClearedTooEarly,
        Fault::VersionReused,
        Fault::GapNotAnnounced,
        Fault::DepthNotSigned,
        Fault::ResolutionForgotten,
        Fault::StaleNotSaid,
    ];

    /// The update as a feed with this fault makes it.
    pub fn spoil(self, mut update: BookUpdate) -> BookUpdate {
        match self {
            // A whole book without one of its prices is not a valid message.
            Fault::MaskClearedTooEarly if !update.is_whole() => {
                let highest = update.prices.iter().last().map_or(0, Price::cents);
                update.prices = Prices::from_bits(update.prices.bits() & !(1 << highest)).unwrap_or(Prices::NONE);
            }
            Fault::DepthNotSigned => {
                for price in update.prices.iter() {
                    update.depth.set(price, update.depth.at(price).abs());
                }
            }
            Fault::StaleNotSaid => update.summary.is_fresh = true,
            _ => {}
        }
        update
    }

    /// The events that pass a tap with this fault.
    pub fn tapped(self, events: &[Event]) -> Vec<Event> {
        let is_lost = |event: &Event| self == Fault::ResolutionForgotten && matches!(event, Event::Resolved { .. });
        events.iter().copied().filter(|event| !is_lost(event)).collect()
    }
}
