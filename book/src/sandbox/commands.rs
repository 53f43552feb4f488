//! Commands as a sandbox writes them, in its file and in a link: `place.1.buy-yes.60.10.gtc`.
//!
//! It is the contract's CSV without the columns that a command does not use, and without the market, because there
//! is only one; the contract's own reader parses it and reports mistakes.

use market::csv::{CsvError, HEADER, read_from};
use market::{Command, MarketId};

/// The valid forms, for the error message.
const FORMS: &str = "place.ACCOUNT.INTENT.PRICE.QUANTITY.TIME, cancel.ACCOUNT.ORDER, deposit.ACCOUNT.AMOUNT, \
                     withdraw.ACCOUNT.AMOUNT or resolve.OUTCOME";

/// The command that `text` stands for.
pub(super) fn command(market: MarketId, text: &str) -> Result<Command, String> {
    let line = match *text.split('.').collect::<Vec<_>>() {
        ["place", account, intent, price, quantity, time] => {
            format!("place,{market},{account},{intent},{price},{quantity},{time},,,,")
        }
        ["cancel", account, order] => format!("cancel,{market},{account},,,,,{order},,,"),
        [what @ ("deposit" | "withdraw"), account, amount] => format!("{what},{market},{account},,,,,,{amount},,"),
        ["resolve", outcome] => format!("resolve,{market},,,,,,,,{outcome},"),
        _ => return Err(format!("`{text}` is not a command; write {FORMS}")),
    };
    let commands = read_from(format!("{HEADER}\n{line}\n").as_bytes(), text).map_err(|error| match error {
        CsvError::Line { mistake, .. } => format!("`{text}`: {mistake}"),
        other => other.to_string(),
    })?;
    commands.first().copied().ok_or_else(|| format!("`{text}` is not a command; write {FORMS}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use market::{AccountId, Intent, Outcome, Place, TimeInForce};

    #[test]
    fn a_command_is_read_as_the_contract_reads_it() {
        let market = MarketId(1);
        let place = Place {
            market,
            account: AccountId(2),
            intent: Intent::BuyNo,
            price: 45,
            quantity: 10,
            time_in_force: TimeInForce::PostOnly,
            client_order_id: 0,
        };
        assert_eq!(command(market, "place.2.buy-no.45.10.post-only"), Ok(Command::Place(place)));
        assert_eq!(command(market, "resolve.no"), Ok(Command::Resolve { market, outcome: Outcome::No }));
        let told = |text| command(market, text).unwrap_err();
        assert!(
            told("place.2.buy-no.45").contains("is not a command; write place.ACCOUNT"),
            "{}",
            told("place.2.buy-no.45")
        );
        assert!(told("place.2.buy-maybe.45.10.gtc").contains("buy-maybe"), "{}", told("place.2.buy-maybe.45.10.gtc"));
        assert!(told("cancel.1.x\ncancel").contains("is not a command") || told("cancel.1.x\n").contains('x'));
    }
}
