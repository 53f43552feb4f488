// What an order would do to the book in this page: an estimate, because the book may have changed by the time the order
// arrives. The rules are those of `chapters/0x00-market`: the maker's price, best price first; an order that reaches a
// resting order of its own account stops there. This file does not touch the page, so a test can check it.

export const INTENTS = ['buy-yes', 'buy-no', 'sell-yes', 'sell-no'];
export const TIMES = ['gtc', 'ioc', 'fok', 'post-only'];

export const buys = intent => intent.startsWith('buy');
export const shareOf = intent => intent.endsWith('yes') ? 'yes' : 'no';
// Selling NO is betting on YES.
export const sideOf = intent => intent === 'buy-yes' || intent === 'sell-no' ? 'bid' : 'ask';
// Converts between the share's own price and the book's, which is in YES cents. Its own inverse.
export const inYesCents = (intent, price) => shareOf(intent) === 'yes' ? price : 100 - price;

// The price, in cents of the share named, at which this intent would trade now; null if there is no offer.
export function priceNow(intent, bid, ask) {
    const price = sideOf(intent) === 'bid' ? ask : bid;
    return price === null || price === undefined ? null : inYesCents(intent, price);
}

// `depth` as in a `BookView`; `own` are the account's open orders of this market. All amounts in cents and shares.
export function estimate({ intent, price, quantity, time }, depth, own) {
    const side = sideOf(intent);
    const limit = inYesCents(intent, price);
    let [left, value, ownAt] = [quantity, 0, null];
    const prices = side === 'bid' ? range(1, limit, 1) : range(99, limit, -1);
    for (const level of prices) {
        const there = side === 'bid' ? -depth[level] : depth[level];
        if (there <= 0 || left === 0) continue;
        const mine = own.filter(order => sideOf(order.intent) !== side && inYesCents(order.intent, order.price) === level)
            .reduce((sum, order) => sum + order.left, 0);
        const traded = Math.min(left, Math.max(0, there - mine));
        left -= traded;
        value += traded * inYesCents(intent, level);
        if (mine > 0 && left > 0) {
            ownAt = level;
            break;
        }
    }
    const traded = quantity - left;
    const crossing = traded > 0 || ownAt !== null;
    const rests = ownAt === null && (time === 'gtc' || time === 'post-only') ? left : 0;
    return {
        // What it would trade at once, for how much in all, and what would then rest or be cancelled.
        traded, value, rests, cancelled: left - rests,
        // Where it would reach one of the account's own orders, in YES cents.
        ownAt,
        refused: time === 'post-only' && crossing ? 'would-cross' : time === 'fok' && left > 0 ? 'cannot-fill' : null,
        // What has to be free when it arrives.
        needs: buys(intent) ? { cash: price * quantity, shares: 0 } : { cash: 0, shares: quantity },
        // The worst-case amount that it pays (or, for a seller, gets) if all of it trades.
        worst: value + price * left,
        // What stays locked with the resting part.
        locks: buys(intent) ? { cash: price * rests, shares: 0 } : { cash: 0, shares: rests },
    };
}

function range(from, to, step) {
    const list = [];
    for (let price = from; step > 0 ? price <= to : price >= to; price += step) list.push(price);
    return list;
}
