//! Other people's order books behind the chapter's trait, measured in one run with the chapter's own.
#![forbid(unsafe_code)]

mod lobster_book;
mod orderbook_rs_book;

use std::process::ExitCode;

use any_price::measure::args::Args;
use any_price::measure::contestant::Engine;
use any_price::measure::run::{engines, run};

/// Why the other books can't run the hostile flow.
fn hostile(flow: &str) -> Option<&'static str> {
    (flow == "hostile").then_some("it has no negative prices and no fill-or-kill orders")
}

fn main() -> ExitCode {
    program::run(|mut args: Args| {
        // A flow of the user's own is run as it is.
        if args.input.is_none() {
            // Commands that these books don't support are left out of the flows, for all engines.
            args.plain = true;
            // Some of them take a hundred times as long.
            args.commands.get_or_insert(100_000);
        }
        let mut engines = engines();
        engines.push(Box::new(Engine::<lobster_book::Lobster>::trades_only("lobster", hostile)));
        engines.push(Box::new(Engine::<orderbook_rs_book::OrderBookRs>::trades_only("orderbook-rs", hostile)));
        let command = "cd chapters/0x0f-any-price/peers && cargo run --release";
        run(&args, engines, "any-price-peers.json", command)
    })
}

#[cfg(test)]
mod tests {
    use super::lobster_book::Lobster;
    use super::orderbook_rs_book::OrderBookRs;
    use any_price::contract::{Book, Event};
    use any_price::flow::Name;
    use any_price::ladder::Ladder;

    fn the_same_trades<B: Book>(name: Name) {
        let flow = name.flow(1, 20_000, true);
        let (mut ours, mut theirs) = (Ladder::default(), B::default());
        for (number, &command) in flow.setup.iter().chain(&flow.commands).enumerate() {
            // They do not say what is left of a resting order.
            let trades = |events: Vec<Event>| -> Vec<Event> {
                let trade = |event| match event {
                    Event::Filled { maker, taker, side, price, quantity, .. } => {
                        Some(Event::Filled { maker, taker, side, price, quantity, left: 0 })
                    }
                    _ => None,
                };
                events.into_iter().filter_map(trade).collect()
            };
            let (mut a, mut b) = (Vec::new(), Vec::new());
            ours.apply(command, &mut a);
            theirs.apply(command, &mut b);
            assert_eq!(trades(a), trades(b), "{name:?}, command {number}, {command:?}");
        }
    }

    #[test]
    fn other_books_trade_as_the_ladder_does() {
        for name in Name::ALL.into_iter().filter(|name| *name != Name::Hostile) {
            the_same_trades::<Lobster>(name);
            the_same_trades::<OrderBookRs>(name);
        }
    }
}
