//! The commands of a market that has run for a year: a state that does not grow, behind a log of any length.
//!
//! First come the markets, the deposits and the orders that rest forever, far from where trading goes on. From then
//! on four commands repeat: an order rests near the middle, another account meets all of it, a third order rests far
//! away, and is cancelled. So however long the log is, its state has the same size. The same numbers give the same
//! commands on every machine.

use market::{AccountId, Cents, Command, Intent, MarketId, OrderId, Place, TimeInForce};

/// How much rests and is held, in all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::Args)]
pub struct Size {
    /// How many markets
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub markets: u32,
    /// How many accounts each market has
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
    pub accounts: u32,
    /// How many orders rest in all
    #[arg(long, default_value_t = 1_000_000, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=50_000_000))]
    pub resting: u32,
}

impl Size {
    /// How many commands it takes to create all of it.
    pub fn commands(&self) -> u64 {
        let Size { markets, accounts, resting } = *self;
        u64::from(markets) * (1 + u64::from(accounts)) + u64::from(resting)
    }

    /// What each account deposits: as much as a market allows, but no more than an account needs.
    fn deposit(&self) -> Cents {
        Cents((Cents::MARKET_MAX.0 / u64::from(self.accounts)).min(40_000_000))
    }
}

/// The commands, one after the other, without an end.
pub struct Year {
    size: Size,
    /// Which command is next, from 0.
    at: u64,
    /// How many orders each market has seen.
    placed: Vec<u64>,
}

impl Year {
    /// The commands after the first `behind`.
    pub fn behind(size: Size, behind: u64) -> Year {
        let mut year = Year { size, at: 0, placed: vec![0; size.markets as usize] };
        (0..behind).for_each(|_| _ = year.next_command());
        year
    }

    fn next_command(&mut self) -> Command {
        let Size { markets, accounts, .. } = self.size;
        let (opened, at) = (u64::from(markets), self.at);
        self.at += 1;
        if at < opened {
            return Command::Open { market: MarketId(at as u32 + 1) };
        }
        let (deposited, at) = (opened * u64::from(accounts), at - opened);
        if at < deposited {
            let (market, account) = (MarketId((at % opened) as u32 + 1), AccountId((at / opened) as u32 + 1));
            return Command::Deposit { market, account, amount: self.size.deposit(), request: 0 };
        }
        let at = at - deposited;
        if at < u64::from(self.size.resting) {
            let account = (at / opened % u64::from(accounts)) as u32;
            return self.far((at % opened) as u32, account, at);
        }
        self.trading(at - u64::from(self.size.resting))
    }

    /// An order that nothing ever meets: it bids at most 40 cents, for YES or for NO.
    fn far(&mut self, market: u32, account: u32, number: u64) -> Command {
        let drawn = spread(number);
        let intent = if drawn & 1 == 0 { Intent::BuyYes } else { Intent::BuyNo };
        let (price, quantity) = ((drawn >> 8) % 40 + 1, (drawn >> 16) % 100 + 1);
        self.place(market, account, intent, price as u8, quantity as u32, TimeInForce::Gtc)
    }

    /// The commands that repeat, by number.
    fn trading(&mut self, number: u64) -> Command {
        let drawn = spread(!(number / 4));
        let Size { markets, accounts, .. } = self.size;
        let (market, account) = ((drawn % u64::from(markets)) as u32, ((drawn >> 20) % u64::from(accounts)) as u32);
        let (price, quantity) = ((41 + (drawn >> 40) % 9) as u8, 1 + ((drawn >> 48) % 100) as u32);
        let other = (account + 1) % accounts;
        match number % 4 {
            0 => self.place(market, account, Intent::BuyYes, price, quantity, TimeInForce::Gtc),
            1 => self.place(market, other, Intent::BuyNo, 100 - price, quantity, TimeInForce::Ioc),
            2 => self.far(market, account, number),
            _ => {
                let order = OrderId(self.placed[market as usize]);
                Command::Cancel { market: MarketId(market + 1), account: AccountId(account + 1), order, request: 0 }
            }
        }
    }

    fn place(
        &mut self,
        market: u32,
        account: u32,
        intent: Intent,
        price: u8,
        quantity: u32,
        time_in_force: TimeInForce,
    ) -> Command {
        self.placed[market as usize] += 1;
        let (market, account) = (MarketId(market + 1), AccountId(account + 1));
        Command::Place(Place { intent, time_in_force, price, market, account, quantity, client_order_id: self.at })
    }
}

impl Iterator for Year {
    type Item = Command;

    fn next(&mut self) -> Option<Command> {
        Some(self.next_command())
    }
}

/// The finaliser of SplitMix64: every bit of the input changes half of the output's.
fn spread(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use market::Event;
    use market::model::Model;

    use super::*;

    const SIZE: Size = Size { markets: 3, accounts: 7, resting: 50 };

    /// No command is rejected, every fourth trades, and the resting orders and holdings do not
    /// grow.
    #[test]
    fn its_state_keeps_its_size() {
        let mut model = Model::default();
        let mut traded = 0;
        for (number, command) in (1..=SIZE.commands() + 4_000).zip(Year::behind(SIZE, 0)) {
            let events = model.apply(&command);
            let rejected = events.iter().any(|event| matches!(event, Event::Rejected { .. }));
            assert!(!rejected, "command {number}: {command:?} led to {events:?}");
            traded += events.iter().filter(|event| matches!(event, Event::Traded { .. })).count();
        }
        let state = model.state();
        let resting: usize = state.markets.values().map(|market| market.bids.len() + market.asks.len()).sum();
        let accounts: usize = state.markets.values().map(|market| market.accounts.len()).sum();
        assert_eq!((resting, accounts, traded), (50, 21, 1_000));
    }

    #[test]
    fn it_goes_on_where_it_was_left() {
        let all: Vec<Command> = Year::behind(SIZE, 0).take(200).collect();
        for behind in [0, 2, 20, 60, 101] {
            let rest: Vec<Command> = Year::behind(SIZE, behind).take(200 - behind as usize).collect();
            assert_eq!(rest, all[behind as usize..], "behind {behind}");
        }
    }
}
