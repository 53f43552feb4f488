// All markets, with the chance of each, how it has changed today, and a small line of the last prices. They update by
// themselves, as far as the stream covers them: it also brings the trades that the server still has of each.

import { attribute, make, mark, put, show } from './dom.js';
import { count, moment, signed, tenths } from './format.js';
import { spark } from './spark.js';
import { language, say } from './words.js';

export function marketList(page) {
    const list = make('ul', {});
    const empty = make('p', { class: 'soft' });
    const heading = make('h2', { id: 'markets-heading' }, say('markets'));
    const element = make('nav', { class: 'list', 'aria-labelledby': 'markets-heading' }, heading, empty, list);
    const rows = new Map();

    function row(market) {
        const question = make('span', { class: 'question' });
        const chance = make('span', { class: 'chance' });
        const note = make('span', { class: 'soft' });
        const change = make('span', { class: 'change' });
        const line = spark();
        const link = make('a', { href: `#/market/${market.id}` }, question, chance, change, line.element, note);
        return { element: make('li', {}, link), link, question, chance, change, line, note, drawn: '' };
    }

    return {
        element,
        draw() {
            const { markets } = page;
            const all = markets.list;
            show(empty, all.length === 0);
            put(empty, markets.loaded ? say('no-markets') : say('loading'));
            all.forEach((market, place) => {
                if (!rows.has(market.id)) rows.set(market.id, row(market));
                const shown = rows.get(market.id);
                if (list.children[place] !== shown.element) list.insertBefore(shown.element, list.children[place] ?? null);
                const { percent } = market.chance;
                put(shown.question, market.questionIn(language()));
                put(shown.chance, percent === null ? '—' : `${tenths(percent)}%`);
                const ended = market.ended;
                put(shown.note, market.status === 'open' ? say('volume', { shares: count(market.summary.volume.shares) })
                    : ended ? say('resolved-as', { outcome: ended.toUpperCase() }) : say('resolved'));
                drawToday(shown, market);
                mark(shown.element, 'over', market.status !== 'open');
                mark(shown.element, 'stale', !markets.freshness(market).isFresh);
                attribute(shown.link, 'aria-current', markets.chosen === market.id ? 'page' : 'false');
            });
        },
    };
}

// What the trades of the day say. That is worth some work, so it is done only when there is a new one.
function drawToday(shown, market) {
    const isOpen = market.status === 'open';
    const today = isOpen ? market.today : [];
    const key = [today.length, today[0]?.id, today.at(-1)?.id].join();
    if (shown.drawn === key) return;
    shown.drawn = key;
    const by = today.length > 1 ? today.at(-1).price - today[0].price : null;
    put(shown.change, by === null ? '' : say('change-since', { change: signed(by), time: moment(today[0].time_ms) }));
    shown.line.draw(today);
    show(shown.change, by !== null);
    // A line takes room only where there is one.
    shown.line.element.toggleAttribute('hidden', by === null);
}
