//! The naive ways, each in a few dozen lines, and how much each of them does twice or loses.
//!
//! Retrying without a number and asking first are tried on 0x0a's own program, through a proxy that cuts connections and
//! delays what it forwards; so is our way, on 0x0b's. The others need no network to show what they lose.

mod broker;
mod clients;
mod expiring;
mod keys;

use std::path::Path;

use results::error::MeasureError;

use crate::record::Naive;

/// All of them.
pub fn measure(quick: bool, folder: &Path) -> Result<Vec<Naive>, MeasureError> {
    let orders = if quick { 400 } else { 4_000 };
    Ok(vec![
        clients::measure(clients::Way::Blindly, orders, folder)?,
        clients::measure(clients::Way::AskFirst, orders, folder)?,
        expiring::measure(),
        keys::measure(folder)?,
        broker::measure(),
        clients::measure(clients::Way::Numbered, orders, folder)?,
    ])
}
