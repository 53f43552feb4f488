//! What clients think of: orders and cancellations, each under the next number of its lane.

use contract::streams::Random;
use exactly_once::window::NUMBERS;
use market::{AccountId, Command, Intent, MarketId, OrderId, Place, TimeInForce};

pub const ACCOUNT: AccountId = AccountId(7);
pub const MARKETS: u32 = 4;

/// How far each lane was counted: three of orders, three of cancellations.
#[derive(Default)]
pub struct Wishing {
    counters: [u64; 6],
}

impl Wishing {
    pub fn next(&mut self, random: &mut Random) -> Command {
        let (lane, is_order) = (random.below(3), random.below(4) > 0);
        let counter = &mut self.counters[(lane + if is_order { 0 } else { 3 }) as usize];
        // Now and then a client leaves numbers out.
        *counter += if random.below(60) == 0 { 1 + random.below(2 * NUMBERS) } else { 1 };
        let (number, market) = (*counter, MarketId(1 + random.below(u64::from(MARKETS)) as u32));
        if !is_order {
            let order = OrderId(1 + random.below(10));
            return Command::Cancel { market, account: ACCOUNT, order, request: (lane << 24 | number) as u32 };
        }
        Command::Place(Place {
            intent: random.pick(Intent::ALL),
            time_in_force: TimeInForce::Gtc,
            // Some are rejected.
            price: if random.below(8) == 0 { 0 } else { 1 + random.below(99) as u8 },
            market,
            account: ACCOUNT,
            quantity: 1 + random.below(4) as u32,
            client_order_id: lane << 56 | number,
        })
    }
}

/// Another request under the same number.
pub fn other(first: Command) -> Command {
    match first {
        Command::Place(place) => Command::Place(Place { quantity: place.quantity + 1, ..place }),
        Command::Cancel { market, account, order, request } => {
            Command::Cancel { market, account, order: OrderId(order.0 + 1), request }
        }
        command => command,
    }
}
