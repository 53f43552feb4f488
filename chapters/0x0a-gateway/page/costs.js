// What an order costs, locks and may pay, according to the book and the holdings in this page, and warnings before it
// is sent. If the book is stale, only what does not depend on the book is shown.

import { buys, estimate, shareOf } from './estimate.js';
import { count, money, tenths } from './format.js';
import { language, say, shareWord } from './words.js';

// The lines of the ticket: `[name, text]`, by name.
export const LINES = ['now', 'cost', 'locks', 'pays', 'free'];

export function costs(page, market, asked) {
    const result = estimate(asked, market.view.depth, page.account.ordersOf(market.id));
    const { isFresh } = page.markets.freshness(market);
    const [free, tooLittle] = freeAfter(page.account.held(market.id), asked, result);
    const isBuy = buys(asked.intent);
    const share = shareWord(shareOf(asked.intent));
    const lines = {
        now: isFresh && !result.refused && [say('line-now'), atOnce(asked, result)],
        cost: [say(isBuy ? 'line-cost' : 'line-gain'), money(asked.price * asked.quantity)],
        locks: isFresh && [say('line-locks'), locked(isBuy, share, result)],
        pays: isBuy && [say('line-pays'), say('pays-if', { amount: money(asked.quantity * 100), share })],
        free,
    };
    return { lines, warnings: [tooLittle, against(result, isFresh)].filter(Boolean) };
}

// What would happen when it arrives.
function atOnce({ price }, { traded, value, rests, cancelled }) {
    const parts = [traded === 0 ? say('trades-none')
        : say('trades-now', { traded: count(traded), average: tenths(value / traded), value: money(value) })];
    if (rests > 0) parts.push(say('rests-then', { rests: count(rests), price }));
    if (cancelled > 0) parts.push(say('cancelled-then', { cancelled: count(cancelled) }));
    return parts.join(language() === 'zh' ? '，' : ', ');
}

function locked(isBuy, share, { rests, locks }) {
    if (rests === 0) return say('locks-nothing');
    return isBuy ? say('locks-cash', { cash: money(locks.cash) }) : say('locks-shares', { shares: count(locks.shares), share });
}

// What remains of the free cash or shares, and a warning if it is too little.
function freeAfter(held, { intent }, { needs }) {
    if (!held) return [null, null];
    const share = shareOf(intent);
    const words = { share: shareWord(share) };
    const [free, needed, written] = buys(intent) ? [held.cash, needs.cash, money] : [held[share], needs.shares, count];
    const name = buys(intent) ? say('line-free-cash') : say('line-free-shares', words);
    if (needed > free) return [[name, written(free)], say(buys(intent) ? 'warn-cash' : 'warn-shares', words)];
    return [[name, say(buys(intent) ? 'about-from-to' : 'from-to', { from: written(free), to: written(free - needed) })], null];
}

function against({ refused, ownAt }, isFresh) {
    if (!isFresh) return say('warn-stale');
    if (refused) return say(`warn-${refused}`);
    return ownAt === null ? null : say('warn-own', { price: ownAt });
}
