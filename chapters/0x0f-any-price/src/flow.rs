//! The flows: commands like those of real books, generated from a seed, the same on every machine.
//!
//! A flow consists of commands that fill a book, and commands that are measured. It is generated against a book of its
//! own, so that cancels and replaces name resting orders. All arithmetic is in integers.

pub mod hostile;
pub mod random;
pub mod stranger;
pub mod street;

use crate::contract::{Price, Side};
use random::Random;
use stranger::Walk;
use street::Street;

pub use street::Flow;

/// The name of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name {
    /// Nine tenths cancels and replaces near the best price.
    Calm,
    /// The price trends up by thousands of ticks, and down again.
    Trend,
    /// Again and again an order sells through thousands of levels, which are then refilled.
    Crash,
    /// Half of the orders are up to eight million ticks away, and every eighth command is about one of them.
    Wide,
    /// A million orders rest, and any of them may be cancelled next.
    Deep,
    /// Adversarial ids and prices.
    Hostile,
    /// A stranger's flow: the price stands still, and 20,000 orders and more wait.
    Still,
    /// The same, but the price walks by 2 %.
    Walk2,
    /// It walks by 25 %.
    Walk25,
    /// It walks by 40 %.
    Walk40,
    /// It crashes again and again.
    Flash,
    /// Limit orders alone, at prices over a million and a half ticks.
    Scattered,
}

impl Name {
    /// All of them.
    pub const ALL: [Name; 12] = [
        Name::Calm,
        Name::Trend,
        Name::Crash,
        Name::Wide,
        Name::Deep,
        Name::Hostile,
        Name::Still,
        Name::Walk2,
        Name::Walk25,
        Name::Walk40,
        Name::Flash,
        Name::Scattered,
    ];

    /// The name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Name::Calm => "calm",
            Name::Trend => "trend",
            Name::Crash => "crash",
            Name::Wide => "wide",
            Name::Deep => "deep",
            Name::Hostile => "hostile",
            Name::Still => "still",
            Name::Walk2 => "walk-2",
            Name::Walk25 => "walk-25",
            Name::Walk40 => "walk-40",
            Name::Flash => "flash",
            Name::Scattered => "scattered",
        }
    }

    /// The flow of this seed, with this many measured commands; a short one fills a smaller book. A plain flow contains
    /// nothing that other libraries don't support.
    pub fn flow(self, seed: u64, commands: usize, is_plain: bool) -> Flow {
        let random = Random::new(seed ^ (self as u64) << 32);
        let street = Street::new(random.clone(), is_plain);
        let scale = |full: usize| full.min(commands).max(100);
        let stranger = |percent, crash, orders| {
            stranger::flow(random.clone(), Walk { percent, crash }, scale(orders), commands, is_plain)
        };
        match self {
            Name::Calm => calm(street, scale(4_000), commands),
            Name::Trend => trend(street, scale(2_000), commands),
            Name::Crash => crash(street, scale(2_000), commands),
            Name::Wide => wide(street, scale(8_000), commands),
            Name::Deep => deep(street, scale(1_000_000), commands),
            Name::Hostile => hostile::flow(street, scale(4_000), commands),
            Name::Still => stranger(0, 0, 20_000),
            Name::Walk2 => stranger(2, 0, 2_000),
            Name::Walk25 => stranger(25, 0, 2_000),
            Name::Walk40 => stranger(40, 0, 2_000),
            Name::Flash => stranger(2, 20, 2_000),
            Name::Scattered => stranger::scattered(random.clone(), commands),
        }
    }
}

/// The market's price at the start.
const MIDDLE: Price = 1_000_000_000;

/// How far from the middle most orders are: many near, few far, at most 120 ticks.
fn near(street: &mut Street) -> Price {
    let (a, b) = (street.random.below(60), street.random.below(60));
    1 + i64::from(street.random.below(1 + a.min(b) * 2))
}

/// Places, moves, reduces or cancels an order near `middle`, like quotes all day long. About one in fifty takes.
fn quote(street: &mut Street, middle: Price, orders: usize) {
    let die = street.random.below(1_000);
    let distance = near(street);
    match die {
        // Add an order if there are too few, otherwise remove one.
        0..160 if street.live() < orders => street.add(middle, distance),
        0..160 => street.cancel(),
        160..180 => street.take(middle),
        180..420 => street.reduce(middle, distance),
        420..425 => street.cancel_a_stranger(),
        _ => street.replace(middle, distance),
    }
}

fn filled(street: &mut Street, orders: usize, mut distance: impl FnMut(&mut Street) -> Price) {
    while street.live() < orders {
        let distance = distance(street);
        street.add(MIDDLE, distance);
    }
    street.end_setup();
}

fn calm(mut street: Street, orders: usize, commands: usize) -> Flow {
    filled(&mut street, orders, near);
    while street.commands() < commands {
        quote(&mut street, MIDDLE, orders);
    }
    street.flow(commands)
}

fn trend(mut street: Street, orders: usize, commands: usize) -> Flow {
    filled(&mut street, orders, near);
    while street.commands() < commands {
        // One tick every sixteen commands; after 20,000 ticks the direction changes.
        let ticks = (street.commands() / 16) as i64;
        let (leg, along) = (ticks / 20_000, ticks % 20_000);
        let middle = MIDDLE + if leg % 2 == 0 { along } else { 20_000 - along };
        quote(&mut street, middle, orders);
    }
    street.flow(commands)
}

/// How many ticks a crash goes through, and how many commands lie between two crashes.
const CRASH: (Price, usize) = (6_000, 50_000);

fn crash(mut street: Street, orders: usize, commands: usize) -> Flow {
    filled(&mut street, orders, near);
    while street.commands() < commands {
        let end = street.commands() + CRASH.1.min(commands);
        // Every other tick far down gets an order.
        for distance in (120..CRASH.0).step_by(2) {
            street.add_to(Side::Bid, MIDDLE - distance);
        }
        let middle = MIDDLE;
        while street.commands() < end {
            quote(&mut street, middle, orders + (CRASH.0 / 2) as usize);
        }
        street.sweep(MIDDLE - CRASH.0 + 100);
    }
    street.flow(commands)
}

fn wide(mut street: Street, orders: usize, commands: usize) -> Flow {
    let far = |street: &mut Street| 1_000 + i64::from(street.random.below(8_000_000));
    filled(&mut street, orders, |street| if street.random.chance(1, 2) { near(street) } else { far(street) });
    while street.commands() < commands {
        let is_far = street.random.chance(1, 8);
        street.look_at(move |price| (price.abs_diff(MIDDLE) >= 1_000) == is_far);
        if is_far {
            let distance = far(&mut street);
            match street.random.below(4) {
                0 if street.live() < orders => street.add(MIDDLE, distance),
                0 => street.cancel(),
                _ => street.replace(MIDDLE, distance),
            }
        } else {
            quote(&mut street, MIDDLE, orders);
        }
    }
    street.flow(commands)
}

fn deep(mut street: Street, orders: usize, commands: usize) -> Flow {
    let anywhere = |street: &mut Street| 1 + i64::from(street.random.below(2_500));
    filled(&mut street, orders, anywhere);
    while street.commands() < commands {
        let distance = anywhere(&mut street);
        match street.random.below(100) {
            0..80 if street.live() < orders => street.add(MIDDLE, distance),
            0..80 => street.cancel(),
            80..82 => street.take(MIDDLE),
            82..90 => street.reduce(MIDDLE, distance),
            _ => street.replace(MIDDLE, distance),
        }
    }
    street.flow(commands)
}
