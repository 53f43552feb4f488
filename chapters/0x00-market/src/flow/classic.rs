//! `classic`: one market, orders only, and no rejections.
//!
//! It is the flow of the first published baseline of this kind of engine: 100,000 orders that lead
//! to about 48 trades per 100. It has no cancels and no mistakes, so it measures the path of an
//! order and nothing else.
//!
//! Prices spread around 50 cents and do not drift: bids too low to trade pile up on one side, asks
//! too high on the other, and between them trading continues for as long as the flow lasts. Three
//! orders in ten rest forever. An order takes five draws.

use super::orders;
use super::random::Random;
use crate::{AccountId, Cents, Command, Intent, MarketId, Quantity, TimeInForce};

/// The only market.
const MARKET: MarketId = MarketId(1);

/// Accounts 1 to `ACCOUNTS` trade.
const ACCOUNTS: u32 = 1_024;

/// Accounts 1 to `HOLDERS` hold shares and sell; the others hold cash and buy.
const HOLDERS: u32 = 256;

/// Pairs of shares that each holder starts with: more than twice what 200 million orders sell.
const HOLDER_PAIRS: u32 = 4_000_000;

/// Cash that each buyer starts with: more than twice what 200 million orders lock.
const BUYER_CASH: Cents = Cents(400_000_000);

/// A side's prices span `2 * REACH - 1` cents from its lowest. The span and the sizes decide how
/// many orders trade: together they give the baseline's 48 in 100.
const REACH: u32 = 27;

/// The sides, bids first: the lowest price in YES cents, and what buyers and holders do there.
/// The middle of the bids is 48 cents, that of the asks 52.
const SIDES: [(u32, [Intent; 2]); 2] = [(22, [Intent::BuyYes, Intent::SellNo]), (26, [Intent::BuyNo, Intent::SellYes])];

/// Sizes as people choose them: round, and most of them small. Therefore many trades fill both
/// orders completely.
const LOTS: [u32; 8] = [10, 10, 10, 10, 10, 10, 20, 50];

// Everything that setup deposits fits into one market, so every deposit is accepted.
const _: () = {
    let inventories = HOLDERS as u64 * Cents::payout(Quantity(HOLDER_PAIRS)).0;
    let cash = (ACCOUNTS - HOLDERS) as u64 * BUYER_CASH.0;
    assert!(inventories + cash <= Cents::MARKET_MAX.0);
};

/// Opens the market, funds the accounts, and gives the holders their shares.
pub(super) fn setup() -> Vec<Command> {
    let mut setup = vec![Command::Open { market: MARKET }];
    let inventory = Cents::payout(Quantity(HOLDER_PAIRS));
    for account in 1..=ACCOUNTS {
        let amount = if account <= HOLDERS { inventory } else { BUYER_CASH };
        setup.push(Command::Deposit { market: MARKET, account: AccountId(account), amount, request: 0 });
    }
    let holders: Vec<AccountId> = (1..=HOLDERS).map(AccountId).collect();
    orders::mint_in_pairs(&mut setup, MARKET, &holders, HOLDER_PAIRS);
    setup
}

/// The orders.
pub(super) fn body(orders: usize, seed: u64) -> Vec<Command> {
    let mut random = Random::new(seed);
    let mut body = Vec::with_capacity(orders);
    body.extend((0..orders).map(|_| order(&mut random)));
    body
}

// No step branches on what was drawn: a processor would mispredict half of such branches.
#[inline]
fn order(random: &mut Random) -> Command {
    let account = random.between(1, ACCOUNTS);
    let (lowest, intents) = SIDES[random.below(2) as usize];
    let intent = intents[usize::from(account <= HOLDERS)];
    // The sum of two draws: most often in the middle of the side's prices, seldom at their ends.
    let price = lowest + random.below(REACH) + random.below(REACH);
    let quantity = random.pick(&LOTS);
    Command::Place(orders::place(MARKET, AccountId(account), intent, price, quantity, TimeInForce::Gtc))
}
