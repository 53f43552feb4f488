// The question, the chance of YES in large type, the source of that number, and its age.

import { make, mark, put } from './dom.js';
import { count, tenths } from './format.js';
import { ago, language, say } from './words.js';

export function headline(page) {
    const question = make('h1', {});
    const percent = make('span', { class: 'percent' });
    const of = make('span', { class: 'of' }, say('chance-of-yes'));
    const from = make('span', { class: 'from' });
    const facts = make('p', { class: 'facts soft' });
    const state = make('p', { class: 'age soft' });
    const element = make('section', { class: 'headline' },
        make('a', { class: 'back', href: '#/' }, say('all-markets')), question,
        make('p', { class: 'probability' }, percent, make('span', { class: 'says' }, of, from)), facts, state);
    return {
        element,
        draw(market) {
            put(question, market.questionIn(language()));
            const chance = market.chance;
            put(percent, chance.percent === null ? '—' : `${tenths(chance.percent)}%`);
            const over = market.ended ? say('resolved-as', { outcome: market.ended.toUpperCase() }) : say('resolved');
            put(of, market.status === 'open' ? say('chance-of-yes') : over);
            put(from, say(`from-${chance.from}`, { ...chance, ago: chance.timeMs ? ago(chance.timeMs) : '' }));
            const { volume, open_interest: pairs } = market.summary;
            put(facts, [say('volume', { shares: count(volume.shares) }), say('open-interest', { pairs: count(pairs) })].join(' · '));
            const fresh = page.markets.freshness(market);
            put(state, fresh.sequence === null || fresh.sinceMs === null ? say('stale-never')
                : say('as-of', { sequence: count(fresh.sequence), ago: ago(fresh.sinceMs) }));
            mark(element, 'stale', !fresh.isFresh);
        },
    };
}
