// The ladder: one row per price, 99 to 1, in a fixed place. Beside the price are the shares that rest there, also as a
// bar, and the account's own orders, each a button that cancels it. Unchanged rows are not touched, so a frame costs
// what has changed and not 99 rows.

import { make, mark, put, redraw, show } from './dom.js';
import { count } from './format.js';
import { inYesCents, shareOf, sideOf } from './estimate.js';
import { say } from './words.js';

export function ladder(page) {
    const rows = Array.from({ length: 99 }, (_, at) => row(99 - at));
    const heads = [['bid', say('bids')], ['yes', 'YES'], ['no', 'NO'], ['ask', say('asks')]];
    const table = make('table', { class: 'ladder' },
        make('caption', { class: 'unseen' }, say('ladder-scroll')),
        make('thead', {}, make('tr', {}, heads.map(([name, text]) => make('th', { scope: 'col', class: name }, text)))),
        make('tbody', { click: event => take(page, event) }, rows.map(row => row.element)));
    const scroll = make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': say('ladder-scroll') }, table);
    const view = follower(page, scroll);
    const centre = make('button', { type: 'button', class: 'small quiet', hidden: true, click: () => view.follow() }, say('centre'));
    const element = make('section', { class: 'card book' },
        make('div', { class: 'row' }, make('h2', {}, say('ladder')), centre), make('p', { class: 'soft hint' }, say('ladder-hint')), scroll);
    let shown = null;
    return {
        element,
        draw(market) {
            if (shown !== market.id) view.follow();
            shown = market.id;
            drawDepth(rows, market.view);
            drawOwn(page, rows, market);
            view.draw(market.summary, rows);
            show(centre, !view.follows);
            mark(element, 'stale', !page.markets.freshness(market).isFresh);
        },
    };
}

function row(price) {
    const side = name => {
        const [bar, shares, own] = ['bar', 'shares', 'own'].map(part => make('span', { class: part }));
        return { bar, shares, own, cell: make('td', { class: name }, bar, name === 'bid' ? [own, shares] : [shares, own]) };
    };
    const [bid, ask] = [side('bid'), side('ask')];
    const element = make('tr', { 'data-price': price }, bid.cell,
        make('th', { scope: 'row', class: 'yes' }, String(price)), make('td', { class: 'no' }, String(100 - price)), ask.cell);
    return { price, element, bid, ask, width: null, signed: null };
}

// Pressing a row copies its price to the ticket; with the keyboard, use the ticket's own field.
function take(page, event) {
    const price = Number(event.target.closest('tr')?.dataset.price);
    if (!price || event.target.closest('button')) return;
    page.draft.price = String(inYesCents(page.draft.intent, price));
    document.getElementById('ticket-price')?.scrollIntoView({ block: 'nearest' });
    page.touch();
}

function drawDepth(rows, { depth, summary }) {
    const most = depth.reduce((most, shares) => Math.max(most, Math.abs(shares)), 1);
    for (const row of rows) {
        const signed = depth[row.price];
        const width = Math.abs(signed) / most;
        mark(row.element, 'best-bid', summary?.best_bid === row.price);
        mark(row.element, 'best-ask', summary?.best_ask === row.price);
        mark(row.element, 'last', summary?.last_trade?.price === row.price);
        if (row.signed === signed && row.width === width) continue;
        Object.assign(row, { signed, width });
        for (const [side, shares] of [[row.bid, signed], [row.ask, -signed]]) {
            put(side.shares, shares > 0 ? count(shares) : '');
            side.bar.style.setProperty('inline-size', shares > 0 ? `${Math.max(2, width * 100)}%` : '0');
        }
    }
}

function drawOwn({ account }, rows, market) {
    const own = account.ordersOf(market.id);
    for (const { price, bid, ask } of rows) {
        for (const [name, side] of [['bid', bid], ['ask', ask]]) {
            const here = own.filter(order => sideOf(order.intent) === name && inYesCents(order.intent, order.price) === price);
            redraw(side.own, here.map(order => `${market.id} ${order.order} ${order.left}`).join(), () => here.map(order => chip(account, order)));
        }
    }
}

function chip(account, order) {
    const words = say('cancel-order', { ...order, intent: say(order.intent), left: count(order.left) });
    return make('button', {
        type: 'button', class: `chip ${shareOf(order.intent)}`, 'aria-label': words, title: words,
        click: () => account.cancel(order.market, order.order),
    }, count(order.left), make('span', { 'aria-hidden': 'true', class: 'cross' }, '×'));
}

// Keeps the middle of the book in view until the user scrolls away from it.
function follower(page, scroll) {
    const self = { follows: true, middle: null };
    self.follow = () => {
        Object.assign(self, { follows: true, middle: null });
        page.touch();
    };
    const leave = () => {
        self.follows = false;
        page.touch();
    };
    for (const moved of ['wheel', 'touchmove', 'keydown']) scroll.addEventListener(moved, event => event.key === 'Tab' || leave(), { passive: true });
    scroll.addEventListener('pointerdown', event => event.target === scroll && leave());
    self.draw = ({ best_bid: bid, best_ask: ask, last_trade: last }, rows) => {
        const wanted = Math.round(bid !== null && ask !== null ? (bid + ask) / 2 : bid ?? ask ?? last?.price ?? 50);
        // Don't scroll for a move of a single cent.
        if (!self.follows || scroll.clientHeight === 0 || (self.middle !== null && Math.abs(self.middle - wanted) < 3)) return;
        self.middle = wanted;
        const { element } = rows[99 - Math.min(99, Math.max(1, wanted))];
        scroll.scrollTop = element.offsetTop - scroll.clientHeight / 2;
    };
    return self;
}
