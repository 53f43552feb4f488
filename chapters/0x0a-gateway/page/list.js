// All markets, with the chance of each. They update by themselves, as far as the stream covers them.

import { attribute, make, mark, put, show } from './dom.js';
import { count, tenths } from './format.js';
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
        const link = make('a', { href: `#/market/${market.id}` }, question, chance, note);
        return { element: make('li', {}, link), link, question, chance, note };
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
                mark(shown.element, 'over', market.status !== 'open');
                mark(shown.element, 'stale', !markets.freshness(market).isFresh);
                attribute(shown.link, 'aria-current', markets.chosen === market.id ? 'page' : 'false');
            });
        },
    };
}
