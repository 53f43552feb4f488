// The prices of all days for the chart: the last hour by second, the last day by minute, everything by hour or day. They come
// from the venue's candles. What a reader chooses is asked for over HTTP, and the stream then sends each candle that changes,
// so that the end of the line moves. Without a stream it is asked for again when it has grown old.

import { ask } from '/page/net.js';
import { addWords, say } from '/page/words.js';
import { attribute, make } from '/page/dom.js';
import { profitCard } from '/page/profit.js';
import { WORDS } from '/page/history_words.js';

addWords(WORDS);

const HOUR_MS = 3_600_000;
// How far each goes back, and the width of its candles: an answer has 2,000 at most.
const RANGES = {
    hour: { backMs: HOUR_MS, widths: [['second', 1_800_000], ['minute', HOUR_MS]] },
    day: { backMs: 24 * HOUR_MS, widths: [['minute', 24 * HOUR_MS]] },
    all: { backMs: 5 * 365 * 24 * HOUR_MS, widths: [['hour', 1_900 * HOUR_MS], ['day', 1_900 * 24 * HOUR_MS]] },
};
// How long what was asked for is shown before it is asked for again. While the stream sends what changes, only what is too
// long ago has to go.
const OLD_MS = 5000;
const WATCHED_OLD_MS = 60000;

export const extend = Account => class extends Account {
    constructor(parts) {
        super(parts);
        this.pastRange = 'live'; // it stays when the page is built again
        this.pasts = new Map(); // by market and range
        this.shown = null; // the one in the chart
        this.watched = null; // the candles that the stream sends
    }

    // The control beside the chart, and the prices that it chooses; none while the last trades are shown as they come.
    past(page) {
        const buttons = ['live', ...Object.keys(RANGES)].map(range => {
            const button = make('button', { type: 'button', class: 'quiet' }, say(`past-${range}`));
            button.addEventListener('click', () => { this.pastRange = range; page.touch(); });
            return [range, button];
        });
        const element = make('div', { class: 'past', role: 'group', 'aria-label': say('past') }, ...buttons.map(([, button]) => button));
        const trades = market => {
            buttons.forEach(([range, button]) => attribute(button, 'aria-pressed', String(range === this.pastRange)));
            if (this.pastRange === 'live') {
                this.shown = null;
                this.watchCandles(null);
                return null;
            }
            const which = `${market.id} ${this.pastRange}`;
            this.shown = this.pasts.get(which) ?? new Past(market.id, RANGES[this.pastRange]);
            this.pasts.set(which, this.shown);
            this.askPast(this.shown);
            return this.shown.points;
        };
        return { element, trades };
    }

    // Cards beside the account's orders.
    cards(page) { return [profitCard(page)]; }

    // Asks for the prices if they are not there or old.
    async askPast(past) {
        const oldMs = past.isThat(this.watched) ? WATCHED_OLD_MS : OLD_MS;
        if (Date.now() - past.askedMs < oldMs) return;
        past.askedMs = Date.now();
        try {
            const width = await past.widthNow();
            // First the stream, so that no candle changes between the answer and what the stream says.
            if (past === this.shown) await this.watchCandles(past.market, width);
            await past.ask(width);
        } catch {
            return; // it is asked for again
        }
        this.touch();
    }

    // Tells the stream which candles to send, in place of those that it sent.
    async watchCandles(market, width) {
        const before = this.watched;
        if (before?.market === market && before.width === width || !before && market === null) return;
        this.watched = market === null ? null : { market, width };
        const wanted = this.watched;
        if (before) this.stream.request({ do: 'unwatch-candles', markets: [before.market], width: before.width }).catch(() => {});
        if (!wanted) return;
        // Without a connection the chart goes on with what HTTP says.
        await this.stream.request({ do: 'watch-candles', markets: [market], width }).catch(() => {
            if (this.watched === wanted) this.watched = null;
        });
    }

    // The connection is new: it sends no candles yet, and what changed meanwhile has to be asked for.
    login() {
        this.watched = null;
        this.pasts.forEach(past => { past.askedMs = 0; });
        return super.login();
    }

    hear(told) {
        const of = [...this.pasts.values()].filter(past => past.isThat(told));
        if (told.kind === 'candle') of.forEach(past => past.take(told));
        else if (told.kind === 'candles-skipped') of.forEach(past => { past.askedMs = 0; });
        else return super.hear(told);
        this.touch();
    }
};

// The prices of one market and range.
class Past {
    constructor(market, range) {
        Object.assign(this, { market, range });
        this.width = null; // of its candles, once it is known
        this.candles = new Map(); // by the time when they begin
        this.points = []; // the same for the chart
        this.askedMs = 0;
    }

    isThat(one) { return one !== null && one.market === this.market && one.width === this.width; }

    async candlesOf(width, fromMs, toMs) {
        const query = `width=${width}&from=${Math.max(0, fromMs)}&to=${toMs}`;
        return (await ask('GET', `/v1/markets/${this.market}/candles?${query}`)).candles;
    }

    // The narrowest candles that fit. The widest say when trading began.
    async widthNow() {
        const { backMs, widths } = this.range;
        const [widest, mostMs] = widths.at(-1);
        const toMs = Date.now() + 1;
        const wide = widths.length > 1 ? await this.candlesOf(widest, toMs - Math.min(backMs, mostMs), toMs) : [];
        this.beganMs = wide.length > 0 ? wide[0].start_ms : toMs - Math.min(backMs, mostMs);
        const [narrow] = widths.find(([, most]) => toMs - this.beganMs <= most) ?? widths.at(-1);
        return narrow;
    }

    async ask(width) {
        const found = await this.candlesOf(width, this.beganMs, Date.now() + 1);
        // What the stream has said meanwhile is newer.
        const lastMs = found.at(-1)?.start_ms ?? 0;
        const newer = width === this.width ? [...this.candles.values()].filter(candle => candle.start_ms >= lastMs) : [];
        this.width = width;
        this.candles = new Map(found.map(candle => [candle.start_ms, candle]));
        newer.forEach(candle => this.put(candle));
        this.draw();
    }

    // A candle from the stream.
    take(candle) {
        this.put(candle);
        this.draw();
    }

    // Of two states of a candle the one with more trades is newer.
    put(candle) {
        const known = this.candles.get(candle.start_ms);
        if (!known || candle.trades >= known.trades) this.candles.set(candle.start_ms, candle);
    }

    draw() { this.points = [...this.candles.values()].sort((one, other) => one.start_ms - other.start_ms).map(point); }
}

// A candle as a point of the line: the price with which it ended. One that has changed is another point.
const point = ({ start_ms, close, shares, trades }) => ({ id: `${start_ms} ${trades}`, time_ms: start_ms, price: close, quantity: shares });
