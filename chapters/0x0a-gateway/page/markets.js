// All markets known to this page: the server's list, and for each a `BookView` and its last trades. It applies the
// stream's messages, requests what is missing, and knows how current each book is.

import { BookView } from './bookview.js';
import { ask } from './net.js';

const TRADES_MAX = 500;
// The list is reloaded from time to time, because others open markets. Watched markets update by themselves.
const LIST_EVERY_MS = 10000;
const WATCHED_MAX = 64;
const ASK_AGAIN_MS = 1000;

const order = (one, other) => one.id[0] - other.id[0] || one.id[1] - other.id[1];

export class Markets {
    // `over` is called when a market ends.
    constructor({ touch, over }) {
        Object.assign(this, { touch, over });
        this.stream = null;
        this.byId = new Map();
        this.loaded = false;
        this.problem = null;
        this.chosen = null;
        this.staleSinceMs = null; // since when the server's books are stale
        setInterval(() => this.load(), LIST_EVERY_MS);
        setInterval(() => this.askForMissing(), ASK_AGAIN_MS);
    }

    // First the open ones, then the resolved ones; each group by number.
    get list() {
        return [...this.byId.values()].sort((one, other) =>
            (one.status === 'open' ? 0 : 1) - (other.status === 'open' ? 0 : 1) || one.id - other.id);
    }

    get(id) { return this.byId.get(id); }

    async load() {
        try {
            const { markets, stale_since_ms: staleSinceMs } = await ask('GET', '/v1/markets');
            this.staleSinceMs = staleSinceMs;
            markets.forEach(told => this.take(told));
            this.loaded = true;
            this.problem = null;
            this.watch();
        } catch (problem) {
            this.problem = problem;
        }
        this.touch();
    }

    take(told) {
        const known = this.byId.get(told.market);
        if (known) {
            // The list is older than the stream, except for the two fields that only the list has.
            known.question = told.question;
            known.outcome = told.outcome ?? known.outcome;
            if (!known.view.summary) known.told = told;
            return;
        }
        this.byId.set(told.market, new Market(told));
    }

    // Tells the stream which markets to send: all, up to a number that every server accepts, with the open one first.
    watch() {
        if (this.stream?.state !== 'live') return;
        const all = new Set([this.get(this.chosen), ...this.list].filter(Boolean));
        const wanted = [...all].slice(0, WATCHED_MAX).filter(market => !market.isWatched);
        if (wanted.length === 0) return;
        wanted.forEach(market => { market.isWatched = true; market.askedMs = Date.now(); });
        // One request per market, because a market that can't be watched must not block the others: a restarted server
        // may not have all of them yet, or ever.
        wanted.forEach(market => this.stream.request({ do: 'watch', markets: [market.id] }).catch(() => { market.isWatched = false; }));
    }

    choose(id) {
        this.chosen = id;
        const market = this.get(id);
        this.watch();
        if (market && !market.hasHistory) this.loadTrades(market);
    }

    // A message of the feed.
    hear({ format, message }) {
        const market = format === 1 && this.get(message.market);
        if (!market) return;
        const wasOpen = market.status === 'open';
        const led = market.view.apply(message);
        if (led === 'book') market.confirmedMs = Date.now();
        if (wasOpen && market.status !== 'open') this.over(market);
        if (led === 'trade') market.addTrades([message]);
        // Trades that the feed no longer has may still be in the list of the last trades.
        if ((led === 'trades-lost' || led === 'missed') && (market.hasHistory || market.id === this.chosen)) this.loadTrades(market);
        if (market.view.needsBook) this.askForBook(market);
        this.touch();
    }

    // The server is alive, so fresh books still are. If its books are stale, it says since when.
    tick({ stale_since_ms: staleSinceMs = null }) {
        this.staleSinceMs = staleSinceMs;
        for (const market of this.byId.values()) if (market.view.isFresh) market.confirmedMs = Date.now();
        this.touch();
    }

    disconnected() {
        for (const market of this.byId.values()) {
            market.view.disconnected();
            market.isWatched = false;
        }
        this.touch();
    }

    askForMissing() {
        if (this.stream?.state !== 'live') return;
        this.watch();
        for (const market of this.byId.values()) if (market.isWatched && market.view.needsBook) this.askForBook(market);
    }

    // Watches a market again to get its whole book. At most once a second, however many messages are rejected.
    askForBook(market) {
        if (this.stream?.state !== 'live' || Date.now() - market.askedMs < ASK_AGAIN_MS) return;
        market.askedMs = Date.now();
        this.stream.request({ do: 'watch', markets: [market.id] }).catch(() => {});
    }

    async loadTrades(market) {
        if (market.isLoading) return;
        market.isLoading = true;
        const heard = market.view.tradesHeard;
        try {
            const { trades } = await ask('GET', `/v1/markets/${market.id}/trades?limit=${TRADES_MAX}`);
            market.hasHistory = true;
            market.addTrades(trades);
            market.view.tradesUpTo(heard);
        } catch {
            // Without a connection this is repeated when there is one.
        }
        market.isLoading = false;
        this.touch();
    }

    // How current a market's book is: `why` is `live`, `connection`, `feed` (the feed is behind the engine),
    // `feed-ended` (there is no feed), `gap` (a whole book was requested) or `none` (there has been none).
    freshness(market) {
        const { view, confirmedMs } = market;
        const sequence = view.summary?.sequence ?? null;
        const stale = why => ({ isFresh: false, why, sinceMs: confirmedMs, sequence });
        if (!this.stream.isHeard) return stale('connection');
        if (!view.summary) return stale('none');
        if (view.needsBook) return stale('gap');
        // A page that was opened later, and got an old book, learns from the server since when it is old.
        if (!view.summary.is_fresh && this.staleSinceMs !== null) return { ...stale('feed-ended'), sinceMs: this.staleSinceMs };
        if (!view.summary.is_fresh) return stale('feed');
        return { isFresh: true, why: 'live', sinceMs: confirmedMs, sequence };
    }
}

class Market {
    constructor(told) {
        this.id = told.market;
        this.told = told; // the list's data, until the stream has newer data
        this.question = told.question;
        this.outcome = told.outcome;
        this.view = new BookView(told.market);
        this.trades = []; // oldest first; `gap` on one says that those before it were missed
        this.confirmedMs = null; // when the book was last known to be current
        this.isWatched = false;
        this.askedMs = 0;
        this.hasHistory = false;
        this.isLoading = false;
    }

    get summary() { return this.view.summary ?? this.told; }

    get status() { return this.summary.status === 'open' ? 'open' : 'resolved'; }

    // How the question was resolved: `yes`, `no`, or null if that is unknown here.
    get ended() {
        if (this.status === 'open') return null;
        const [, outcome] = this.summary.status.split('-');
        return outcome || this.outcome || null;
    }

    questionIn(language) { return this.question?.[language] || this.question?.en || this.question?.zh || `#${this.id}`; }

    addTrades(trades) {
        const last = this.trades.at(-1);
        // Nearly always it is the next one.
        if (trades.length === 1 && (!last || order(trades[0], last) > 0)) {
            this.trades.push(trades[0]);
            if (this.trades.length > TRADES_MAX) this.trades.shift();
            return;
        }
        const known = new Set(this.trades.map(trade => trade.id.join()));
        const fresh = trades.filter(trade => !known.has(trade.id.join()));
        if (fresh.length === 0) return;
        // A list that does not reach back to the last known trade leaves a hole.
        if (last && trades.length > 1 && order(trades[0], last) > 0) fresh[0].gap = true;
        this.trades = [...this.trades, ...fresh].sort(order).slice(-TRADES_MAX);
    }

    // The chance of YES in per cent, and its source: the middle of the book if the spread is narrow, otherwise the last
    // trade, otherwise the middle of a wide book; `null` without any price.
    get chance() {
        const { best_bid: bid, best_ask: ask, last_trade: last } = this.summary;
        const ended = this.ended;
        if (ended) return { percent: ended === 'yes' ? 100 : 0, from: 'resolved' };
        const both = bid !== null && ask !== null;
        if (both && ask - bid <= 10) return { percent: (bid + ask) / 2, from: 'middle', bid, ask };
        if (last) return { percent: last.price, from: 'last', timeMs: last.time_ms };
        return both ? { percent: (bid + ask) / 2, from: 'middle', bid, ask } : { percent: null, from: 'none' };
    }

    // The known trades since midnight; of a market without any, all that are known.
    get today() {
        const midnight = new Date().setHours(0, 0, 0, 0);
        const first = this.trades.findIndex(trade => trade.time_ms >= midnight);
        return first < 0 ? this.trades : this.trades.slice(first);
    }

    // The value of a YES share in cents, for adding up positions: the last price, otherwise the middle.
    get worth() { return this.summary.last_trade?.price ?? this.chance.percent; }
}
