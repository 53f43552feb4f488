//! Rows as clients read them: an account's own with prices as it gave them, and a market's without names.

use gateway::problem::Why;
use gateway::wire::{cancel_word, kind_word};
use market::{Side, TradeKind, UnixMs};
use serde_json::{Value, json};

use crate::candle::Candle;
use crate::moment::{Moment, Sums, levels, sums};
use crate::place::Place;
use crate::profit::OfMarket;
use crate::rows::{MarketTrade, Money, Movement, Order, OrderState, OwnTrade};

/// One account's side of a trade.
pub fn own_trade(place: Place, trade: &OwnTrade) -> Value {
    json!({
        "market": trade.market.0,
        "order": trade.order.0,
        "role": if trade.is_maker { "maker" } else { "taker" },
        "intent": trade.intent.word(),
        "price": trade.intent.in_yes_cents(trade.price).cents(),
        "quantity": trade.quantity.0,
        "time_ms": place.time.0,
        "shard": place.shard,
        "sequence": place.sequence.0,
        "index": place.index,
    })
}

/// An order, and what became of it.
pub fn order(place: Place, order: &Order) -> Value {
    let (state, reason) = match order.state {
        OrderState::Open => ("open", None),
        OrderState::Filled => ("filled", None),
        OrderState::Cancelled(reason) => ("cancelled", Some(cancel_word(reason))),
        OrderState::Rejected(reason) => ("rejected", Some(Why::Rejected(reason).words().0)),
    };
    json!({
        "market": order.market.0,
        "order": (order.order.0 > 0).then_some(order.order.0),
        "client_order_id": order.client_order_id,
        "intent": order.intent.word(),
        "time_in_force": order.time_in_force.word(),
        "price": order.price,
        "quantity": order.quantity,
        "filled": order.filled,
        "state": state,
        "reason": reason,
        "placed_ms": place.time.0,
        "changed_ms": order.changed.0,
        "shard": place.shard,
        "sequence": place.sequence.0,
    })
}

/// A deposit, a withdrawal or a payout.
pub fn money(place: Place, money: &Money) -> Value {
    let movement = match money.movement {
        Movement::Deposit => "deposit",
        Movement::Withdrawal => "withdrawal",
        Movement::Payout => "payout",
    };
    json!({
        "market": money.market.0,
        "movement": movement,
        "amount": money.amount.0,
        "time_ms": place.time.0,
        "shard": place.shard,
        "sequence": place.sequence.0,
        "index": place.index,
    })
}

/// An account's profit and loss by market, and in all of these markets together; amounts in cents.
pub fn profits(rows: &[OfMarket]) -> (Value, Value) {
    let markets = rows.iter().map(|(market, row, of)| {
        let is_over = of.resolved.is_some();
        json!({
            "market": market.0,
            "paid": row.paid.0,
            "received": row.received.0,
            "payout": row.payout.0,
            "yes": if is_over { 0 } else { row.yes },
            "no": if is_over { 0 } else { row.no },
            "last_price": of.last.map(|(_, price)| price.cents()),
            "value": row.value(of),
            "profit": row.profit(of),
        })
    });
    let sum = |of: fn(&OfMarket) -> u64| rows.iter().map(of).fold(0, u64::saturating_add);
    let signed = |of: fn(&OfMarket) -> i64| rows.iter().map(of).fold(0, i64::saturating_add);
    let all = json!({
        "paid": sum(|(_, row, _)| row.paid.0),
        "received": sum(|(_, row, _)| row.received.0),
        "payout": sum(|(_, row, _)| row.payout.0),
        "value": signed(|(_, row, of)| row.value(of)),
        "profit": signed(|(_, row, of)| row.profit(of)),
    });
    (markets.collect(), all)
}

/// A trade as the public sees it: neither orders nor accounts. Its id is that of 0x09's feed, which counts the trades of a
/// command; the event before the first is the order's acceptance.
pub fn public_trade(place: Place, trade: &MarketTrade) -> Value {
    let taker = match trade.taker_intent.side() {
        Side::Bid => "bid",
        Side::Ask => "ask",
    };
    json!({
        "id": [place.sequence.0, place.index.saturating_sub(1)],
        "time_ms": place.time.0,
        "price": trade.price.cents(),
        "quantity": trade.quantity.0,
        "taker": taker,
        "trade": kind_word(TradeKind::of(trade.maker_intent, trade.taker_intent)),
    })
}

/// A candle: when it began, its prices in YES cents, its shares and trades.
pub fn candle(start: UnixMs, candle: &Candle) -> Value {
    json!({
        "start_ms": start.0,
        "open": candle.open.cents(),
        "high": candle.high.cents(),
        "low": candle.low.cents(),
        "close": candle.close.cents(),
        "shares": candle.shares,
        "trades": candle.trades,
    })
}

/// A market as it was: its book, what all accounts held together, and the last trade.
pub fn book(market: u32, found: &Moment, last_trade: Option<Value>) -> Value {
    let Moment { last, state, .. } = found;
    let side =
        |orders| levels(orders).iter().map(|(price, quantity)| json!([price.cents(), quantity])).collect::<Vec<_>>();
    let Sums { accounts, cash, yes, no } = sums(state);
    json!({
        "market": market,
        "sequence": last.sequence.0,
        "time_ms": last.time.0,
        "status": if state.closed { "resolved" } else { "open" },
        "bids": side(&state.bids),
        "asks": side(&state.asks),
        "held": { "accounts": accounts, "cash": cash, "yes": yes, "no": no, "pot": state.pot.0 },
        "last_trade": last_trade,
    })
}
