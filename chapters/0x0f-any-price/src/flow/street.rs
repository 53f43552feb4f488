//! Traders and their orders in a book: a flow's next command depends on both.

use std::collections::HashMap;

use crate::contract::{Book, Command, Event, Id, Price, Quantity, Receiver, Side, TimeInForce};
use crate::flow::random::Random;
use crate::tree_book::TreeBook;

/// A flow: commands that fill a book, and commands that are measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// The commands that fill the book.
    pub setup: Vec<Command>,
    /// The measured commands.
    pub commands: Vec<Command>,
}

/// How many clients there are. Each numbers its orders from its own start.
const CLIENTS: u32 = 64;

/// The traders of a market.
pub struct Street {
    /// The source of their decisions.
    pub random: Random,
    book: TreeBook,
    orders: Orders,
    numbers: Vec<Id>,
    flow: Flow,
    is_set_up: bool,
    is_plain: bool,
    prices: Box<dyn Fn(Price) -> bool>,
}

/// The resting orders.
#[derive(Default)]
struct Orders {
    ids: Vec<Id>,
    rest: HashMap<Id, (usize, Price, Quantity)>,
}

impl Orders {
    fn remove(&mut self, id: Id) {
        let Some((place, ..)) = self.rest.remove(&id) else { return };
        self.ids.swap_remove(place);
        if let Some(moved) = self.ids.get(place).and_then(|id| self.rest.get_mut(id)) {
            moved.0 = place;
        }
    }
}

impl Receiver for Orders {
    fn event(&mut self, event: Event) {
        match event {
            Event::Rested { id, price, quantity, .. } => {
                self.rest.insert(id, (self.ids.len(), price, quantity));
                self.ids.push(id);
            }
            Event::Filled { maker, quantity, .. } => match self.rest.get_mut(&maker) {
                Some((.., left)) if *left > quantity => *left -= quantity,
                _ => self.remove(maker),
            },
            Event::Reduced { id, quantity, .. } => {
                if let Some((.., left)) = self.rest.get_mut(&id) {
                    *left = quantity;
                }
            }
            Event::Cancelled { id, .. } => self.remove(id),
            Event::Rejected { .. } => {}
        }
    }
}

impl Street {
    /// Traders without orders. Plain ones avoid commands that not all books support: fill-or-kill orders, and smaller
    /// quantities that keep their place.
    pub fn new(mut random: Random, is_plain: bool) -> Street {
        let numbers = (0..CLIENTS).map(|_| random.bits()).collect();
        let (book, orders, flow) = Default::default();
        Street { random, book, orders, numbers, flow, is_set_up: false, is_plain, prices: Box::new(|_| true) }
    }

    /// How many orders rest.
    pub fn live(&self) -> usize {
        self.orders.ids.len()
    }

    /// How many measured commands there are so far.
    pub fn commands(&self) -> usize {
        self.flow.commands.len()
    }

    /// All further commands are measured.
    pub fn end_setup(&mut self) {
        self.is_set_up = true;
    }

    /// The flow, cut to this many commands.
    pub fn flow(mut self, commands: usize) -> Flow {
        self.flow.commands.truncate(commands);
        self.flow
    }

    /// Sends a command.
    pub fn send(&mut self, command: Command) {
        self.book.apply(command, &mut self.orders);
        let list = if self.is_set_up { &mut self.flow.commands } else { &mut self.flow.setup };
        list.push(command);
    }

    fn new_id(&mut self) -> Id {
        let client = self.random.below(CLIENTS) as usize;
        self.numbers[client] = self.numbers[client].wrapping_add(1);
        self.numbers[client]
    }

    fn quantity(&mut self) -> Quantity {
        [10, 10, 10, 20, 50, 100][self.random.below(6) as usize] + self.random.below(10)
    }

    fn any_side(&mut self) -> Side {
        Side::BOTH[self.random.below(2) as usize]
    }

    /// From now on picks orders at these prices, if a few attempts find one.
    pub fn look_at(&mut self, prices: impl Fn(Price) -> bool + 'static) {
        self.prices = Box::new(prices);
    }

    /// A random resting order: its id, side, price and quantity.
    pub fn random_order(&mut self) -> Option<(Id, Side, Price, Quantity)> {
        let mut found = None;
        for _ in 0..8 {
            let place = self.random.below(self.orders.ids.len() as u32) as usize;
            let id = *self.orders.ids.get(place)?;
            let &(_, price, quantity) = self.orders.rest.get(&id)?;
            found = Some((id, price, quantity));
            if (self.prices)(price) {
                break;
            }
        }
        let (id, price, quantity) = found?;
        let is_ask = self.book.best(Side::Ask).is_some_and(|best| price >= best);
        Some((id, if is_ask { Side::Ask } else { Side::Bid }, price, quantity))
    }

    /// Adds an order `distance` from `middle` on either side.
    pub fn add(&mut self, middle: Price, distance: Price) {
        let side = self.any_side();
        self.add_to(side, away(side, middle, distance));
    }

    /// Adds an order on a side.
    pub fn add_to(&mut self, side: Side, price: Price) {
        let (id, quantity) = (self.new_id(), self.quantity());
        let time_in_force = if self.random.chance(1, 4) { TimeInForce::PostOnly } else { TimeInForce::Gtc };
        self.send(Command::Limit { id, side, price, quantity, time_in_force });
    }

    /// Cancels a random order.
    pub fn cancel(&mut self) {
        if let Some((id, ..)) = self.random_order() {
            self.send(Command::Cancel { id });
        }
    }

    /// Cancels an order that does not exist.
    pub fn cancel_a_stranger(&mut self) {
        let id = self.random.bits();
        self.send(Command::Cancel { id });
    }

    /// Moves a random order to `distance` from `middle`.
    pub fn replace(&mut self, middle: Price, distance: Price) {
        if let Some((id, side, was, left)) = self.random_order() {
            let (price, quantity) = (away(side, middle, distance), self.quantity());
            // By chance it may be a smaller quantity at the same price.
            let quantity = if self.is_plain && price == was { quantity.max(left) } else { quantity };
            self.send(Command::Replace { id, price, quantity });
        }
    }

    /// Reduces a random order, or moves it if it can't be reduced.
    pub fn reduce(&mut self, middle: Price, distance: Price) {
        match self.random_order() {
            Some((id, _, price, quantity)) if quantity > 1 && !self.is_plain => {
                let quantity = 1 + self.random.below(quantity - 1);
                self.send(Command::Replace { id, price, quantity });
            }
            _ => self.replace(middle, distance),
        }
    }

    /// Trades with the best price.
    pub fn take(&mut self, middle: Price) {
        let (id, side, quantity) = (self.new_id(), self.any_side(), self.quantity());
        let price = away(side.opposite(), middle, 20);
        match self.random.below(8) {
            0 => self.send(Command::Market { id, side, quantity }),
            1 if !self.is_plain => {
                self.send(Command::Limit { id, side, price, quantity, time_in_force: TimeInForce::Fok });
            }
            _ => self.send(Command::Limit { id, side, price, quantity, time_in_force: TimeInForce::Ioc }),
        }
    }

    /// Sells through all levels down to `price`.
    pub fn sweep(&mut self, price: Price) {
        let id = self.new_id();
        let limit = TimeInForce::Ioc;
        self.send(Command::Limit { id, side: Side::Ask, price, quantity: Quantity::MAX, time_in_force: limit });
    }
}

/// Far enough from the middle that it does not cross an order equally far on the other side.
fn away(side: Side, middle: Price, distance: Price) -> Price {
    match side {
        Side::Bid => middle - distance,
        Side::Ask => middle + distance,
    }
}
