//! Every engine against the model, event by event and query by query, on streams designed to find bugs.

use std::collections::HashMap;

use any_price::contract::{Book, Command, Event, Handle, Id, Price, Quantity, Receiver, Side, TimeInForce};
use any_price::ladder::Ladder;
use any_price::model::Model;
use any_price::tree_book::TreeBook;
use any_price::vector_book::VectorBook;
use program::rounds::Rounds;
use proptest::prelude::*;

/// The prices of a stream.
#[derive(Clone, Copy, Debug)]
enum Prices {
    /// Two prices, so that queues are long.
    Two,
    /// So close that most orders trade.
    Near,
    /// So far apart that the window moves all the time.
    Jumping,
    /// At both ends of the type and around zero.
    Ends,
}

fn price(prices: Prices) -> BoxedStrategy<Price> {
    match prices {
        Prices::Two => (0_i64..2).boxed(),
        Prices::Near => (-5_i64..5).boxed(),
        Prices::Jumping => prop_oneof![
            3 => -20_000_i64..20_000,
            1 => (-8_i64..8, 0_u32..40).prop_map(|(n, bits)| n << bits),
        ]
        .boxed(),
        Prices::Ends => {
            let ends = [i64::MIN, i64::MIN + 1, i64::MIN + 4_097, -1, 0, 1, i64::MAX - 4_097, i64::MAX - 1, i64::MAX];
            prop_oneof![3 => prop::sample::select(ends.to_vec()), 1 => any::<i64>()].boxed()
        }
    }
}

fn quantity() -> impl Strategy<Value = Quantity> {
    prop_oneof![10 => 1_u32..20, 10 => 1_u32..4, 1 => Just(0), 1 => Just(1), 2 => u32::MAX - 2..=u32::MAX]
}

/// Few ids, far apart, so that they repeat, and some that are in no book.
fn id() -> impl Strategy<Value = Id> {
    prop_oneof![8 => (0_u64..40).prop_map(|n| n << 20), 1 => any::<Id>(), 1 => prop::sample::select(vec![0, u64::MAX])]
}

fn command(prices: Prices) -> impl Strategy<Value = Command> {
    let side = || prop_oneof![Just(Side::Bid), Just(Side::Ask)];
    let time_in_force = prop_oneof![
        8 => Just(TimeInForce::Gtc),
        1 => Just(TimeInForce::Ioc),
        2 => Just(TimeInForce::Fok),
        1 => Just(TimeInForce::PostOnly),
    ];
    let limit = (id(), side(), price(prices), quantity(), time_in_force).prop_map(
        |(id, side, price, quantity, time_in_force)| Command::Limit { id, side, price, quantity, time_in_force },
    );
    let market = (id(), side(), quantity()).prop_map(|(id, side, quantity)| Command::Market { id, side, quantity });
    let replace =
        (id(), price(prices), quantity()).prop_map(|(id, price, quantity)| Command::Replace { id, price, quantity });
    prop_oneof![12 => limit, 1 => market, 4 => id().prop_map(|id| Command::Cancel { id }), 4 => replace]
}

fn stream() -> impl Strategy<Value = Vec<Command>> {
    let prices = prop_oneof![Just(Prices::Two), Just(Prices::Near), Just(Prices::Jumping), Just(Prices::Ends)];
    prices.prop_flat_map(|prices| prop::collection::vec(command(prices), 1..120))
}

/// Compares an engine's events for a stream with the model's.
fn compare<B: Book>(stream: &[Command]) -> Result<(), TestCaseError> {
    let (mut engine, mut model) = (B::default(), Model::default());
    for (at, &command) in stream.iter().enumerate() {
        let (mut said, mut expected) = (Vec::<Event>::new(), Vec::<Event>::new());
        engine.apply(command, &mut said);
        model.apply(command, &mut expected);
        prop_assert_eq!(&said, &expected, "command {} of {:?}", at, stream);
        for side in Side::BOTH {
            prop_assert_eq!(engine.best(side), model.best(side), "the best {:?} after {} of {:?}", side, at, stream);
            let asked = model.best(side).into_iter().chain(expected.iter().filter_map(price_of));
            for price in asked {
                let quantities = (engine.quantity_at(side, price), model.quantity_at(side, price));
                prop_assert_eq!(quantities.0, quantities.1, "{:?} at {} after {} of {:?}", side, price, at, stream);
            }
        }
        prop_assert_eq!(engine.orders(), model.orders());
    }
    Ok(())
}

fn price_of(event: &Event) -> Option<Price> {
    match *event {
        Event::Filled { price, .. } | Event::Rested { price, .. } => Some(price),
        _ => None,
    }
}

/// The ladder by handles: every cancel and every replace names its order by the handle that the order was given last,
/// or by one that is no longer, or never was, its own.
#[derive(Default)]
struct Handles {
    last: HashMap<Id, Handle>,
    next: Option<Handle>,
    said: Vec<Event>,
}

impl Receiver for Handles {
    fn event(&mut self, event: Event) {
        if let (Event::Rested { id, .. }, Some(handle)) = (event, self.next) {
            self.last.insert(id, handle);
        }
        self.said.push(event);
    }

    fn handle(&mut self, handle: Handle) {
        self.next = Some(handle);
    }
}

fn compare_handles(stream: &[Command]) -> Result<(), TestCaseError> {
    let (mut ladder, mut handles, mut model) = (Ladder::default(), Handles::default(), Model::default());
    for (at, &command) in stream.iter().enumerate() {
        let mut expected = Vec::<Event>::new();
        let handle = handles.last.get(&command.id()).copied().unwrap_or(Handle(at as u32));
        match command {
            Command::Cancel { .. } | Command::Replace { .. } => ladder.apply_at(command, handle, &mut handles),
            _ => ladder.apply(command, &mut handles),
        }
        model.apply(command, &mut expected);
        prop_assert_eq!(&std::mem::take(&mut handles.said), &expected, "command {} of {:?}", at, stream);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_ladder_answers_as_the_model_does(stream in stream()) {
        compare::<Ladder>(&stream)?;
    }

    #[test]
    fn handles_find_the_orders_that_ids_find(stream in stream()) {
        compare_handles(&stream)?;
    }

    #[test]
    fn the_tree_answers_as_the_model_does(stream in stream()) {
        compare::<TreeBook>(&stream)?;
    }

    #[test]
    fn the_vectors_answer_as_the_model_does(stream in stream()) {
        compare::<VectorBook>(&stream)?;
    }
}

/// Only a smaller quantity keeps an order's place; the same, a larger one or another price loses it.
#[test]
fn only_a_smaller_quantity_keeps_its_place() {
    let limit = |id, side, quantity| Command::Limit { id, side, price: 7, quantity, time_in_force: TimeInForce::Gtc };
    for (price, quantity, is_first) in [(7, 4, true), (7, 5, false), (7, 6, false), (6, 4, false)] {
        let replace = Command::Replace { id: 1, price, quantity };
        let stream = [limit(1, Side::Bid, 5), limit(2, Side::Bid, 5), replace, limit(3, Side::Ask, 1)];
        let mut model = Model::default();
        let mut said = Vec::<Event>::new();
        stream.iter().for_each(|&command| model.apply(command, &mut said));
        let maker = if is_first { 1 } else { 2 };
        let left = if is_first { quantity - 1 } else { 4 };
        let filled = Event::Filled { maker, taker: 3, side: Side::Bid, price: 7, quantity: 1, left };
        assert_eq!(said.last(), Some(&filled), "{replace:?}");
        for compared in [compare::<Ladder>(&stream), compare::<TreeBook>(&stream), compare::<VectorBook>(&stream)] {
            compared.unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// The number of streams per engine; `PROPTEST_CASES` overrides it.
fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok());
    asked.unwrap_or_else(|| Rounds::asked().pick(400, 2_000))
}
