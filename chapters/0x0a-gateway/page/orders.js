// The account's open orders, each with a button to cancel it, and below them what happened to them: as text, with the
// time and the command in the log. This is the only place where the page reports on orders.

import { make, mark, redraw, show } from './dom.js';
import { shareOf } from './estimate.js';
import { clock, count, money, tenths, took } from './format.js';
import { Problem } from './net.js';
import { knows, language, refusal, say } from './words.js';

export function openOrders(page) {
    const { account } = page;
    const list = make('ul', {});
    const none = make('p', { class: 'soft' }, say('no-orders'));
    const all = make('button', { type: 'button', class: 'small quiet', click: () => account.cancelAll(page.market().id) }, say('cancel-all'));
    const element = make('section', { class: 'card orders' }, make('div', { class: 'row' }, make('h2', {}, say('orders')), all), none, list);

    function row(market, order) {
        const words = { ...order, intent: say(order.intent), left: count(order.left) };
        const part = order.left === order.quantity ? '' : ` · ${say('order-part', { left: count(order.left), quantity: count(order.quantity) })}`;
        const placed = order.time_ms ? ` · ${clock(order.time_ms)}` : '';
        return make('li', { class: 'row' },
            make('span', {}, make('strong', { class: shareOf(order.intent) }, say('order-line', words)),
                make('span', { class: 'soft small' }, `${say('order-number', order)}${part}${placed}`)),
            make('button', { type: 'button', class: 'small', 'aria-label': say('cancel-order', words), click: cancel(order) }, say('cancel')));
    }

    // A pressed button waits for its answer; it disappears with its order.
    const cancel = ({ market, order }) => async ({ target }) => {
        target.disabled = true;
        await account.cancel(market, order);
        target.disabled = false;
    };

    return {
        element,
        draw(market) {
            const own = account.ordersOf(market.id);
            show(element, account.isOpen && market.status === 'open');
            show(none, own.length === 0);
            show(all, own.length > 1);
            redraw(list, own.map(order => `${market.id} ${order.order} ${order.left}`).join(), () => own.map(order => row(market, order)));
            mark(element, 'stale', account.problem !== null);
        },
    };
}

export function happened(page) {
    const list = make('ol', { class: 'entries' });
    const none = make('p', { class: 'soft' }, say('nothing-happened'));
    const element = make('section', { class: 'card happened' }, make('h2', {}, say('happened')), none,
        make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': say('happened') }, list));
    return {
        element,
        draw(market) {
            const entries = page.account.happened.filter(entry => entry.market === market.id);
            show(element, page.account.isOpen);
            show(none, entries.length === 0);
            redraw(list, `${market.id} ${page.account.changes}`, () => entries.map(entryRow));
        },
    };
}

function entryRow(entry) {
    const command = entry.sequence ? ` · ${say('by-sequence', { sequence: count(entry.sequence) })}` : '';
    return make('li', { class: entry.problem && !entry.isUnknown && 'refused' },
        make('span', { class: 'soft when' }, clock(entry.timeMs), command), make('span', {}, tellEntry(entry)));
}

// The results of requests, and what others did, as sentences.
export function tellEntry(entry) {
    const joint = language() === 'zh' ? '' : ' ';
    // The notes of a layer, by the keys of their texts.
    return [tellResult(entry, joint), ...(entry.notes ?? []).map(key => say(key))].join(joint);
}

function tellResult({ events = [], asked, problem, done, ms, placed, isUnknown }, joint) {
    if (problem) {
        const why = refusal(problem);
        // Without an answer the result is unknown; that is not a refusal.
        const kind = isUnknown || problem.reason === 'lost' ? 'unknown' : 'refused';
        if (!placed) return say(`${kind}-other`, { why });
        return say(`${kind}-place`, { ...placed, intent: say(placed.intent), quantity: count(placed.quantity), why });
    }
    const parts = asked === 'place' ? tellPlaced(events, done, placed) : events.map(event => tellEvent(event, asked));
    if (asked === 'cancel' || asked === 'cancel-all') parts.push(cancelled(done));
    // Of all orders, some were refused.
    if (done?.problem) parts.push(say('refused-other', { why: refusal(new Problem(done.problem)) }));
    if (ms !== undefined) parts.push(say('on-disk', { took: took(ms) }));
    return parts.filter(Boolean).join(joint);
}

// The order, its trades as one sentence, and the fate of the remainder.
function tellPlaced(events, { status, left, filled, events_left_out: unsaid }, { price }) {
    const is = name => events.filter(event => event.event === name);
    const traded = is('traded');
    const parts = is('accepted').map(event => tellEvent(event));
    if (unsaid) {
        // A long series of trades is summarized.
        parts.push(say('e-traded-many', { quantity: count(filled) }));
    } else if (traded.length > 0) {
        const quantity = traded.reduce((sum, trade) => sum + trade.quantity, 0);
        const value = traded.reduce((sum, trade) => sum + trade.quantity * trade.price, 0);
        const isOnePrice = traded.every(trade => trade.price === traded[0].price);
        parts.push(say(isOnePrice ? 'e-traded-own' : 'e-traded-average', { quantity: count(quantity), price: tenths(value / quantity) }));
    }
    for (const { quantity, reason } of is('cancelled')) parts.push(say('e-cancelled-own', { quantity: count(quantity), why: say(`why-${reason}`) }));
    if (status === 'resting') parts.push(say('s-resting', { left: count(left), price }));
    if (status === 'filled') parts.push(say('s-filled'));
    return parts;
}

function cancelled(done) {
    const orders = (done.cancelled ?? []).map(order => say('order-number', { order }));
    if (orders.length === 0) return say(done.more ? 's-more-left' : 's-nothing-to-cancel').trim();
    const all = say('s-none-left', { orders: orders.join(language() === 'zh' ? '、' : ', ') });
    return done.more ? all + say('s-more-left') : all;
}

function tellEvent(event, asked) {
    const hadShares = event.event === 'resolved' && event.yes + event.no > 0;
    const key = hadShares ? 'e-resolved-held' : `e-${event.event}`;
    // The answer as a whole reports what a cancellation did.
    if (event.event === 'cancelled' && asked?.startsWith('cancel')) return '';
    if (!knows(key)) return say('e-other', { event: event.event });
    return say(key, {
        ...event,
        intent: event.intent && say(event.intent),
        quantity: event.quantity !== undefined && count(event.quantity),
        amount: event.amount !== undefined && money(event.amount),
        paid: event.paid !== undefined && money(event.paid),
        outcome: event.outcome?.toUpperCase() ?? '?',
        role: event.role && say(`role-${event.role}`),
        why: event.reason && say(`why-${event.reason}`),
    });
}
