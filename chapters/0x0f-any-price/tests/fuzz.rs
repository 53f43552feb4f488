//! Arbitrary bytes, on stable Rust and only briefly; `scripts/fuzz any_price` is guided by coverage.

use any_price::flow::random::Random;

#[test]
fn any_bytes_are_answered_as_the_model_answers() {
    let mut random = Random::new(0xF0);
    for case in 0..1_500 {
        let length = 12 * random.below(if case % 50 == 0 { 900 } else { 90 });
        let bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        any_price::fuzz::orders(&bytes);
    }
}
