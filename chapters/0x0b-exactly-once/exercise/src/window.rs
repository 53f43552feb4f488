//! The window: which numbers of a lane were used.
//!
//! A set of all numbers would grow for ever, and a set that forgets by the clock forgets too early. A client's numbers rise,
//! so one number and a mask are enough: the highest number that was used, and a bit for each of the [`NUMBERS`] up to it. It
//! is the anti-replay window of IPsec (RFC 4303, section 3.4.3), with one difference: what is too old is not dropped
//! silently, the client learns it.
//!
//! Invariant: a number that was marked is never new again. Cost: 40 bytes, whatever the client sends.

/// How many numbers a window remembers, the highest among them.
pub const NUMBERS: u64 = 256;

const WORDS: usize = (NUMBERS / 64) as usize;

/// What a window knows of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// It was not used.
    New,
    /// It was used.
    Used,
    /// It lies below the window, so whether it was used is no longer known.
    TooOld,
}

/// The numbers of one lane that were used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Window {
    highest: u64,
    /// Bit `i` of the mask is the number `highest - i`.
    mask: [u64; WORDS],
}

impl Window {
    /// What is known of this number. 0 is no number.
    pub fn look(&self, _number: u64) -> Seen {
        todo!("step 1: look")
    }

    /// Marks a number as used. One below the window stays below it.
    pub fn mark(&mut self, _number: u64) {
        todo!("step 2: mark; step 3: one that is above the highest")
    }

    /// Moves the window up to `highest`. What falls off its lower end is too old from now on.
    fn advance(&mut self, _highest: u64) {
        todo!("step 3: advance")
    }
}

impl Window {
    /// The highest number that was used; 0 where none was.
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// Adds the numbers that another window of the same lane knows.
    ///
    /// The result knows every number of both that is in its window. A number that is new to both windows is new to the
    /// result or below it, and it is below only when one of the two has seen a number that is [`NUMBERS`] higher.
    pub fn unite(&mut self, _other: &Window) {
        todo!("step 4: unite")
    }

    /// The window as bytes: the highest number, then the mask, all little-endian.
    pub fn encode(&self) -> [u8; Window::BYTES] {
        let mut bytes = [0; Window::BYTES];
        bytes[..8].copy_from_slice(&self.highest.to_le_bytes());
        for (at, word) in self.mask.iter().enumerate() {
            bytes[8 + 8 * at..16 + 8 * at].copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The window that `bytes` hold; none where they contradict themselves: the highest number is always marked, and no
    /// number below 1 is.
    pub fn decode(bytes: &[u8; Window::BYTES]) -> Option<Window> {
        let (words, _) = bytes.as_chunks::<8>();
        let mut window = Window { highest: u64::from_le_bytes(words[0]), mask: [0; WORDS] };
        window.mask.iter_mut().zip(&words[1..]).for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
        // Bits after that of the number 1 would be numbers below it.
        let ends_at_1 = |(first, word): (u64, &u64)| {
            let numbers = window.highest.saturating_sub(first).min(64);
            word.checked_shr(numbers as u32).unwrap_or(0) == 0
        };
        let marks_highest = window.highest == 0 || window.mask[0] & 1 == 1;
        (marks_highest && (0..).step_by(64).zip(&window.mask).all(ends_at_1)).then_some(window)
    }

    /// The size of an encoded window.
    pub const BYTES: usize = 8 + 8 * WORDS;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// The reference for the window: all numbers that were ever marked.
    fn by_hand(marked: &BTreeSet<u64>, number: u64) -> Seen {
        let highest = marked.last().copied().unwrap_or(0);
        if number + NUMBERS <= highest {
            Seen::TooOld
        } else if marked.contains(&number) {
            Seen::Used
        } else {
            Seen::New
        }
    }

    fn numbers() -> impl Strategy<Value = Vec<u64>> {
        let near = prop_oneof![1..600u64, 1..40u64, 250..270u64, Just(u64::MAX >> 8), (1u64 << 40)..(1 << 40) + 600];
        prop::collection::vec(near, 0..80)
    }

    proptest! {
        #[test]
        fn a_window_is_the_end_of_a_set(numbers in numbers(), others in numbers()) {
            let (mut window, mut set) = (Window::default(), BTreeSet::new());
            for &number in &numbers {
                prop_assert_eq!(window.look(number), by_hand(&set, number));
                // Numbers below the window are marked too: they came from a log.
                window.mark(number);
                set.insert(number);
                prop_assert_ne!(window.look(number), Seen::New);
            }
            for number in numbers.iter().chain(&others).flat_map(|number| [number - 1, *number, number + 1]).filter(|n| *n > 0) {
                prop_assert_eq!(window.look(number), by_hand(&set, number), "{}", number);
            }
            prop_assert_eq!(Window::decode(&window.encode()), Some(window));

            let mut other = Window::default();
            others.iter().for_each(|&number| other.mark(number));
            let mut all = Window::default();
            numbers.iter().chain(&others).for_each(|&number| all.mark(number));
            let mut united = window;
            united.unite(&other);
            prop_assert_eq!(united, all);
            other.unite(&window);
            prop_assert_eq!(other, all);
        }
    }

    #[test]
    fn the_order_of_marking_does_not_matter() {
        let (mut up, mut down) = (Window::default(), Window::default());
        (1..=1_000).for_each(|number| up.mark(number));
        (1..=1_000).rev().for_each(|number| down.mark(number));
        assert_eq!(up, down);
        assert_eq!([744, 745, 1_000, 1_001].map(|n| up.look(n)), [Seen::TooOld, Seen::Used, Seen::Used, Seen::New]);
    }

    #[test]
    fn bytes_that_contradict_themselves_are_no_window() {
        let mut window = Window::default();
        window.mark(5);
        let bytes = window.encode();
        for (at, bit) in (0..Window::BYTES).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut wrong = bytes;
            wrong[at] ^= 1 << bit;
            if let Some(other) = Window::decode(&wrong) {
                assert_ne!(other, window);
                assert_eq!(other.look(other.highest()), Seen::Used, "{other:?}");
            }
        }
        assert_eq!(Window::decode(&[0; Window::BYTES]), Some(Window::default()));
    }
}
