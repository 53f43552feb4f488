// The prices of all days for the chart: the last hour by second, the last day by minute, everything by hour or day. They come
// from the venue's candles, are asked for when somebody chooses them, and again when they have grown old.

import { ask } from '/page/net.js';
import { addWords, say } from '/page/words.js';
import { attribute, make } from '/page/dom.js';
import { WORDS } from '/page/history_words.js';

addWords(WORDS);

const HOUR_MS = 3_600_000;
// How far each goes back, and the width of its candles: an answer has 2,000 at most.
const RANGES = {
    hour: { backMs: HOUR_MS, widths: [['second', 1_800_000], ['minute', HOUR_MS]] },
    day: { backMs: 24 * HOUR_MS, widths: [['minute', 24 * HOUR_MS]] },
    all: { backMs: 5 * 365 * 24 * HOUR_MS, widths: [['hour', 1_900 * HOUR_MS], ['day', 1_900 * 24 * HOUR_MS]] },
};
// How long what was asked for is shown before it is asked for again.
const OLD_MS = 5000;

export const extend = Account => class extends Account {
    // The control beside the chart, and the prices that it chooses; none while the last trades are shown as they come.
    past(page) {
        const known = new Map(); // by market and range: the points, and when they were asked for
        this.pastRange ??= 'live'; // it stays when the page is built again
        const buttons = ['live', ...Object.keys(RANGES)].map(range => {
            const button = make('button', { type: 'button', class: 'quiet' }, say(`past-${range}`));
            button.addEventListener('click', () => { this.pastRange = range; page.touch(); });
            return [range, button];
        });
        const element = make('div', { class: 'past', role: 'group', 'aria-label': say('past') }, ...buttons.map(([, button]) => button));
        const trades = market => {
            buttons.forEach(([range, button]) => attribute(button, 'aria-pressed', String(range === this.pastRange)));
            if (this.pastRange === 'live') return null;
            const which = `${market.id} ${this.pastRange}`;
            const one = known.get(which) ?? { points: null, askedMs: 0 };
            known.set(which, one);
            if (Date.now() - one.askedMs > OLD_MS) {
                one.askedMs = Date.now();
                pricesOf(market.id, RANGES[this.pastRange]).then(points => { one.points = points; page.touch(); }, () => {});
            }
            return one.points;
        };
        return { element, trades };
    }
};

// The prices of a range: first in the widest candles, which say when trading began, then in the narrowest that fit.
async function pricesOf(market, { backMs, widths }) {
    const to = Date.now() + 1;
    const candles = async (width, from) => (await ask('GET', `/v1/markets/${market}/candles?width=${width}&from=${Math.max(0, from)}&to=${to}`)).candles;
    const [widest] = widths.at(-1);
    const [, mostMs] = widths.at(-1);
    const wide = await candles(widest, to - Math.min(backMs, mostMs));
    if (wide.length === 0) return [];
    const span = to - wide[0].start_ms;
    const [narrow] = widths.find(([, most]) => span <= most) ?? widths.at(-1);
    const found = narrow === widest ? wide : await candles(narrow, wide[0].start_ms);
    return found.map(points);
}

// A candle as a point of the line: the price with which it ended.
const points = ({ start_ms, close, shares }) => ({ id: start_ms, time_ms: start_ms, price: close, quantity: shares });
