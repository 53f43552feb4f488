//! Arbitrary bytes as a stream of commands, for the ladder and the model.

use crate::contract::{Book, Command, Event, Side, TimeInForce};
use crate::ladder::Ladder;
use crate::model::Model;

/// How many bytes encode a command.
const BYTES: usize = 12;

/// Decodes commands from any bytes, as many as are complete.
pub fn commands(bytes: &[u8]) -> Vec<Command> {
    bytes.chunks_exact(BYTES).map(command).collect()
}

fn command(bytes: &[u8]) -> Command {
    let (kind, shape, number) = (bytes[0] % 8, bytes[1], u64::from(bytes[2]));
    let mut low = [0; 8];
    low.copy_from_slice(&bytes[4..BYTES]);
    let bits = u64::from_le_bytes(low);
    // Few ids, and some random ones; prices near, in steps, or random; quantities small or large.
    let id = if shape & 1 == 0 { number % 32 } else { bits.rotate_left(17) };
    let price = match shape >> 1 & 3 {
        0 => (bits % 16) as i64,
        1 => (bits % 64) as i64 * 997,
        2 => i64::MIN.wrapping_add((bits % 8) as i64 - 4),
        _ => bits as i64,
    };
    let quantity = if shape & 8 == 0 { u32::from(bytes[3] % 8) } else { u32::MAX - u32::from(bytes[3]) };
    let side = if shape & 16 == 0 { Side::Bid } else { Side::Ask };
    let time_in_force = match shape >> 5 {
        0 => TimeInForce::Ioc,
        1 => TimeInForce::Fok,
        2 => TimeInForce::PostOnly,
        _ => TimeInForce::Gtc,
    };
    match kind {
        0..=4 => Command::Limit { id, side, price, quantity, time_in_force },
        5 => Command::Market { id, side, quantity },
        6 => Command::Cancel { id },
        _ => Command::Replace { id, price, quantity },
    }
}

/// Gives the ladder and the model the same commands.
///
/// # Panics
/// If their events differ.
pub fn orders(bytes: &[u8]) {
    let (mut ladder, mut model) = (Ladder::with_key([1, 3]), Model::default());
    for (at, command) in commands(bytes).into_iter().enumerate() {
        let (mut said, mut expected) = (Vec::<Event>::new(), Vec::<Event>::new());
        ladder.apply(command, &mut said);
        model.apply(command, &mut expected);
        assert_eq!(said, expected, "command {at}: {command:?}");
        for side in Side::BOTH {
            assert_eq!(ladder.best(side), model.best(side), "the best {side:?} after command {at}: {command:?}");
        }
        assert_eq!(ladder.orders(), model.orders());
    }
}
