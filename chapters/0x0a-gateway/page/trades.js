// The last trades, newest first. Known gaps are shown.

import { make, mark, redraw, show, put } from './dom.js';
import { clock, count } from './format.js';
import { say } from './words.js';

const SHOWN = 30;

export function lastTrades(page) {
    const body = make('tbody', {});
    const none = make('p', { class: 'soft' }, say('no-trades'));
    const heads = [['time'], ['price', 'number'], ['shares', 'number'], ['taker-bet'], ['kind', 'kind']];
    const table = make('table', { class: 'trades' },
        make('caption', { class: 'unseen' }, say('trades')),
        make('thead', {}, make('tr', {}, heads.map(([key, name]) => make('th', { scope: 'col', class: name }, say(key))))), body);
    const scroll = make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': say('trades') }, table);
    const element = make('section', { class: 'card last' }, make('h2', {}, say('trades')), none, scroll);

    const row = trade => [
        make('tr', {},
            make('td', {}, clock(trade.time_ms)), make('td', { class: 'number' }, String(trade.price)),
            make('td', { class: 'number' }, count(trade.quantity)), make('td', { class: trade.taker }, say(`bets-${trade.taker}`)),
            make('td', { class: 'soft kind' }, say(trade.trade))),
        trade.gap && make('tr', { class: 'gap' }, make('td', { colspan: '5' }, say('trades-gap'))),
    ];

    return {
        element,
        draw(market) {
            const shown = market.trades.slice(-SHOWN).reverse();
            show(none, shown.length === 0);
            show(scroll, shown.length > 0);
            put(none, say('no-trades'));
            redraw(body, `${market.id} ${shown[0]?.id} ${shown.length}`, () => shown.map(row));
            mark(element, 'stale', !page.markets.freshness(market).isFresh);
        },
    };
}
