//! Small and large damage to a seed: what a bad disk, an editor or a hostile sender could do to it.

use contract::streams::Random;

/// Bytes that mean something to one reader or another.
const BYTES: [u8; 12] = [0, 1, 2, 24, 99, 100, 127, 255, b'\n', b'\r', b'"', b','];

/// Numbers at which counting goes wrong.
const NUMBERS: [u64; 10] = [0, 1, 23, 24, 25, 65_536 * 24, 65_537 * 24, u32::MAX as u64, i64::MAX as u64, u64::MAX];

/// A longer input seldom finds more than a shorter one, and takes longer.
const LENGTH_MAX: usize = 8_192;

/// One input in this many is longer all the same: what is cheap for a page may be expensive for
/// megabytes.
const LONG_ONE_IN: u64 = 40;
const LONG_MAX: u64 = 3_000_000;

/// One of `seeds` after one to eight changes.
pub fn changed(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = pick(seeds, random).clone();
    for _ in 0..=random.below(8) {
        change(&mut bytes, seeds, random);
        bytes.truncate(LENGTH_MAX);
    }
    if random.one_in(LONG_ONE_IN) {
        lengthen(&mut bytes, random);
    }
    bytes
}

/// Repeats the end of an input until it has megabytes, and changes a little of that.
fn lengthen(bytes: &mut Vec<u8>, random: &mut Random) {
    let from = place(bytes.len(), random);
    let again = bytes[from - from % 24..].to_vec();
    let length = random.below(LONG_MAX) as usize;
    while !again.is_empty() && bytes.len() < length {
        bytes.extend_from_slice(&again);
    }
    for _ in 0..random.below(4) {
        let at = place(bytes.len(), random);
        bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << random.below(8));
    }
}

fn pick<'a>(seeds: &'a [Vec<u8>], random: &mut Random) -> &'a Vec<u8> {
    &seeds[random.below(seeds.len() as u64) as usize]
}

/// A place in a list of this length, or its end.
fn place(length: usize, random: &mut Random) -> usize {
    random.below(length as u64 + 1) as usize
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let at = place(bytes.len(), random);
    let end = (at + 1 + random.below(40) as usize).min(bytes.len());
    match random.below(8) {
        0 => bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << random.below(8)),
        1 => bytes.get_mut(at).into_iter().for_each(|byte| *byte = random.pick(&BYTES)),
        2 => bytes.insert(at, random.below(256) as u8),
        3 => drop(bytes.drain(at..end)),
        4 => {
            let again = bytes[at..end].to_vec();
            let to = place(bytes.len(), random);
            bytes.splice(to..to, again);
        }
        5 => bytes.truncate(at),
        6 => {
            let number = random.pick(&NUMBERS).wrapping_add(random.below(3)).to_le_bytes();
            let number = &number[..random.pick(&[2, 4, 8])];
            let end = (at + number.len()).min(bytes.len());
            bytes[at..end].copy_from_slice(&number[..end - at]);
        }
        _ => {
            // The tail of another seed, from a whole record most of the time.
            let other = pick(seeds, random);
            let from = place(other.len(), random);
            let from = if random.one_in(4) { from } else { from - from % 24 };
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
    }
}
