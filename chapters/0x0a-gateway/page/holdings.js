// The account's holdings: in one market beside its book, and in all markets on the list's page. Each market keeps its
// own cash. Shares are valued at the last price; the two other columns show the certain results: the cash, plus 100
// cents for each share of the winning side. Open orders count as if they never traded.

import { make, mark, put, redraw, show } from './dom.js';
import { count, money, tenths } from './format.js';
import { language, refusal, say } from './words.js';
import { newcomer } from './newcomer.js';

// All cash and shares, free and locked, and their value.
function worth(held, market) {
    const cash = held.cash + held.cash_locked;
    const yes = held.yes + held.yes_locked;
    const no = held.no + held.no_locked;
    const price = market?.worth ?? null;
    return {
        cash, yes, no, price,
        now: yes + no === 0 ? cash : price === null ? null : Math.round(cash + yes * price + no * (100 - price)),
        ifYes: cash + yes * 100,
        ifNo: cash + no * 100,
    };
}

const withLocked = (written, free, locked) => locked > 0 ? say('plus-locked', { free: written(free), locked: written(locked) }) : written(free);

// The position in one market.
export function positionOf(page) {
    const keys = ['cash', 'yes', 'no', 'now', 'ifYes', 'ifNo'];
    const lines = Object.fromEntries(keys.map(key => [key, { dt: make('dt', {}), dd: make('dd', {}) }]));
    const none = make('p', { class: 'soft' }, say('held-nothing'));
    const problem = make('p', { class: 'warning' });
    const list = make('dl', { class: 'lines' }, Object.values(lines).map(({ dt, dd }) => make('div', {}, dt, dd)));
    const asOf = make('p', { class: 'soft small' });
    const element = make('section', { class: 'card position' }, make('h2', {}, say('position')), none, list, problem, asOf);
    const write = (key, name, text) => {
        show(lines[key].dt.parentElement, text !== null);
        put(lines[key].dt, name);
        put(lines[key].dd, text ?? '');
    };
    return {
        element,
        draw(market) {
            const { account } = page;
            show(element, account.isOpen);
            const held = account.held(market.id);
            show(none, account.at !== null && !held);
            show(list, Boolean(held));
            put(problem, !account.problem ? '' : account.problem.reason === 'unauthenticated' ? say('key-refused') : refusal(account.problem));
            show(problem, problem.textContent !== '');
            put(asOf, account.at ? say('account-as-of', { sequence: account.at.map(count).join(' / ') }) : '');
            if (!held) return;
            const sum = worth(held, market);
            const isOpen = market.status === 'open';
            write('cash', say('cash-free'), withLocked(money, held.cash, held.cash_locked));
            write('yes', 'YES', sum.yes > 0 ? withLocked(count, held.yes, held.yes_locked) : null);
            write('no', 'NO', sum.no > 0 ? withLocked(count, held.no, held.no_locked) : null);
            const hasShares = isOpen && sum.yes + sum.no > 0;
            const price = sum.price === null ? '' : `${tenths(sum.price)}¢`;
            write('now', say('value-now', { price }), hasShares && sum.now !== null ? money(sum.now) : null);
            write('ifYes', say('if-yes'), hasShares ? money(sum.ifYes) : null);
            write('ifNo', say('if-no'), hasShares ? money(sum.ifNo) : null);
        },
    };
}

// All positions, with their value.
export function positions(page) {
    const body = make('tbody', {});
    const foot = make('tr', {});
    const heads = ['market', 'cash', 'held', 'value', 'if-yes', 'if-no'];
    const table = make('table', { class: 'positions' },
        make('caption', { class: 'unseen' }, say('positions')),
        make('thead', {}, make('tr', {}, heads.map((key, at) => make('th', { scope: 'col', class: at > 0 && 'number' }, say(key))))),
        body, make('tfoot', {}, foot));
    const scroll = make('div', { class: 'scroll wide', tabindex: '0', role: 'region', 'aria-label': say('positions') }, table);
    const visitor = newcomer(page);
    const note = make('p', { class: 'soft' }, say('each-own-cash'));
    const element = make('section', { class: 'card overview' }, make('h1', {}, say('positions')), visitor.element, note, scroll);

    function row({ market, held, sum }) {
        const isOpen = market.status === 'open';
        const shares = sum.yes + sum.no > 0 ? say('held-shares', { yes: count(sum.yes), no: count(sum.no) }) : '—';
        const cells = [withLocked(money, held.cash, held.cash_locked), shares, sum.now === null ? '—' : money(sum.now),
            isOpen ? money(sum.ifYes) : '—', isOpen ? money(sum.ifNo) : '—'];
        return make('tr', {}, make('th', { scope: 'row' }, make('a', { href: `#/market/${market.id}` }, market.questionIn(language()))),
            cells.map(text => make('td', { class: 'number' }, text)));
    }

    return {
        element,
        draw() {
            const { account, markets } = page;
            const held = [...account.holdings].filter(([id]) => markets.get(id)).map(([id, held]) => {
                const market = markets.get(id);
                return { market, held, sum: worth(held, market) };
            });
            visitor.draw(!account.isOpen);
            show(scroll, held.length > 0);
            show(note, account.isOpen);
            mark(element, 'stale', account.problem !== null);
            redraw(body, JSON.stringify([...held.map(({ market, held, sum }) => [market.id, market.status, held, sum])]), () => held.map(row));
            const isKnown = held.every(({ sum }) => sum.now !== null);
            const total = isKnown ? money(held.reduce((total, { sum }) => total + sum.now, 0)) : '—';
            redraw(foot, total, () => [
                make('th', { scope: 'row' }, say('total')), make('td', {}), make('td', {}),
                make('td', { class: 'number' }, total), make('td', {}), make('td', {}),
            ]);
        },
    };
}
