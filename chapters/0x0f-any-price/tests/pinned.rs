//! The flows are the same bytes on every machine, and the book's events for them are the same: both are pinned. If the
//! first change, figures of two records can't be compared; if the second change, the rules have changed.

use std::fmt::{Debug, Write as _};

use any_price::contract::{Book as _, Event, Receiver};
use any_price::flow::Name;
use any_price::ladder::Ladder;

/// Fowler, Noll and Vo's hash (1a, 64 bits) of the debug output of everything that was added.
struct Words(u64);

impl Words {
    fn of<T: Debug>(all: &[T]) -> Words {
        let mut words = Words(0xCBF2_9CE4_8422_2325);
        all.iter().for_each(|one| words.add(one));
        words
    }

    fn add(&mut self, one: &impl Debug) {
        for byte in format!("{one:?}\n").bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}

impl Receiver for Words {
    fn event(&mut self, event: Event) {
        self.add(&event);
    }
}

#[test]
fn flows_and_answers_are_pinned() {
    let mut table = String::from("flow      plain  commands  commands' digest  answers' digest\n");
    for name in Name::ALL {
        for is_plain in [false, true] {
            let flow = name.flow(1, 10_000, is_plain);
            let all = [flow.setup, flow.commands].concat();
            let (asked, mut answered) = (Words::of(&all), Words::of::<Event>(&[]));
            let mut book = Ladder::default();
            all.iter().for_each(|&command| book.apply(command, &mut answered));
            let (word, asked, answered) = (name.word(), asked.0, answered.0);
            writeln!(table, "{word:<8}  {is_plain:<5}  {:>8}  {asked:016x}  {answered:016x}", all.len()).expect("text");
        }
    }
    insta::assert_snapshot!(table);
}
