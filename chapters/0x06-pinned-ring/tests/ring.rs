//! What the ring guarantees to one thread that holds all halves.

mod one_by_one;

use ch06::ring::{self, Closed, Progress, ring};
use ch06::wait::Wait;
use one_by_one::{Pop, Push, Refused};

#[test]
fn a_full_ring_pushes_back_and_keeps_what_it_has() {
    let (mut producer, [mut consumer]) = ring::<u32, 1>(4);
    assert_eq!(producer.push_slice(&[1, 2, 3]), Ok(3));
    assert_eq!(producer.push_slice(&[4, 5, 6]), Ok(1));
    assert_eq!(producer.push_slice(&[5, 6]), Ok(0));
    assert_eq!(producer.push(5), Err(Refused::Full));
    assert_eq!(consumer.peek(), Ok(&[1, 2, 3, 4][..]));
    consumer.advance(2);
    assert_eq!(producer.push_slice(&[5, 6, 7]), Ok(2));
    // Items beyond the circle's end come in a second slice.
    assert_eq!(consumer.peek(), Ok(&[3, 4][..]));
    consumer.advance(2);
    assert_eq!(consumer.peek(), Ok(&[5, 6][..]));
    assert_eq!(consumer.position(), 4);
}

/// `look` shows what was published after the last read; without it, that shows only after all known items are used
/// up.
#[test]
fn a_look_sees_all_that_there_is() {
    let (mut producer, [mut consumer]) = ring::<u32, 1>(4);
    assert!(!consumer.look());
    assert_eq!(producer.push_slice(&[1, 2]), Ok(2));
    assert_eq!(consumer.peek(), Ok(&[1, 2][..]));
    consumer.advance(1);
    assert_eq!(producer.push_slice(&[3, 4]), Ok(2));
    assert_eq!(consumer.peek(), Ok(&[2][..]));
    assert!(consumer.look());
    assert_eq!(consumer.peek(), Ok(&[2, 3, 4][..]));
}

/// Each way of writing and reading slots, so that every `unsafe` block of `memory` and `ring` is reached: one item,
/// a batch in one piece, a batch over the circle's end, and what is read before and behind that end. (Whether slots
/// may be shared between threads at all is tested by `ring_stress` and `ring_loom`.)
#[test]
fn a_batch_over_the_circles_end_is_whole() {
    let (mut producer, [mut consumer]) = ring::<[u64; 3], 1>(4);
    let items = |from: u64, to: u64| (from..to).map(|n| [n, n + 1, n + 2]).collect::<Vec<_>>();
    assert_eq!(producer.push([0, 1, 2]), Ok(()));
    assert_eq!(producer.push_slice(&items(1, 3)), Ok(2));
    assert_eq!(consumer.peek(), Ok(&items(0, 3)[..]));
    consumer.advance(3);
    assert_eq!(producer.push_slice(&items(3, 7)), Ok(4));
    assert_eq!(consumer.peek(), Ok(&items(3, 4)[..]));
    consumer.advance(1);
    assert_eq!(consumer.peek(), Ok(&items(4, 7)[..]));
}

#[test]
fn the_slowest_consumer_holds_the_producer() {
    let (mut producer, [mut fast, mut slow]) = ring::<u32, 2>(2);
    assert_eq!(producer.push_slice(&[1, 2]), Ok(2));
    assert_eq!((fast.pop(), fast.pop(), fast.pop()), (Ok(Some(1)), Ok(Some(2)), Ok(None)));
    assert_eq!(producer.push(3), Err(Refused::Full));
    assert_eq!(slow.pop(), Ok(Some(1)));
    assert_eq!(producer.push(3), Ok(()));
    assert_eq!(fast.progress(1), Progress { position: 1, left: false });
    drop(slow);
    assert_eq!(fast.progress(1), Progress { position: 1, left: true });
}

#[test]
fn consumers_drain_what_a_producer_left_behind() {
    let (mut producer, [mut consumer]) = ring::<u32, 1>(4);
    assert_eq!(consumer.peek(), Ok(&[][..]));
    assert_eq!(producer.push_slice(&[1, 2]), Ok(2));
    drop(producer);
    assert_eq!((consumer.pop(), consumer.pop()), (Ok(Some(1)), Ok(Some(2))));
    assert_eq!(consumer.pop(), Err(Closed));
}

#[test]
fn a_consumer_that_leaves_closes_the_ring_for_all() {
    let (mut producer, [leaves, mut stays]) = ring::<u32, 2>(4);
    assert_eq!(producer.push(1), Ok(()));
    drop(leaves);
    assert_eq!(producer.push(2), Err(Refused::Closed));
    assert_eq!(producer.push_slice(&[2]), Err(Closed));
    assert_eq!((stays.pop(), stays.pop()), (Ok(Some(1)), Err(Closed)));
}

#[test]
#[should_panic(expected = "a power of two, not 3")]
fn an_odd_capacity_is_refused() {
    ring::<u32, 1>(3);
}

#[test]
#[should_panic(expected = "released more than was published")]
fn nothing_is_released_unseen() {
    let (mut producer, [mut consumer]) = ring::<u32, 1>(4);
    producer.push(1).unwrap();
    consumer.advance(1); // published, but not yet read
}

/// Compiles only if the halves may move to another thread.
#[test]
fn halves_may_move_to_other_threads() {
    fn movable<T: Send>(_: T) {}
    movable(ring::<[u64; 3], 2>(1));
}

#[test]
fn no_thread_spins_without_a_core_to_spare() {
    assert_eq!(Wait::for_machine(3, 16), Wait::Spin);
    assert_eq!(Wait::for_machine(3, 3), Wait::Yield);
    assert_eq!(Wait::for_machine(3, 2), Wait::Park);
    assert_eq!(Wait::for_machine(3, 1), Wait::Park);
}
