// One market's book in this page, and its position among the market's trades. The rules are those of `BookView` in
// `chapters/0x09-market-data/src/view.rs`: messages may arrive late, twice, out of order, or not at all.
//
// Two numbers are enough to stay correct: the version of the book, and the greatest version that any message has named.
// A rejected message changes neither depth nor trades. The view does not detect silence: the owner of the connection
// calls `disconnected`. Prices are YES cents; depth is signed, bids positive, asks negative.

// A version is (epoch, counter), a position among trades is (sequence, index): both are compared from the left.
const NONE = [0, 0];
const after = (one, other) => one[0] - other[0] || one[1] - other[1];
const later = (one, other) => after(one, other) < 0 ? other : one;
const next = ([sequence, index]) => [sequence, index + 1];

export class BookView {
    constructor(market) {
        this.market = market;
        this.depth = new Float64Array(100); // up to 2^39 shares at a price, so no Int32Array
        this.summary = null;
        this.version = NONE;
        this.heard = NONE;
        this.nextTrade = NONE;
        this.tradesHeard = NONE;
    }

    // Applies a message and returns the result: `book`, `trade`, `missed`, `known`; or why it was rejected:
    // `old-epoch`, `hole`, `wrong-book`, `trades-lost`. In that case `needsBook` and `needsTrades` say what to request.
    apply(message) {
        switch (message.kind) {
            case 'book': return this.book(message);
            case 'trade': return this.follow(message.since, next(message.id), 'trade');
            case 'missed': return this.follow(message.from, message.to, 'missed');
            default: return 'known';
        }
    }

    book(message) {
        const to = [message.epoch, message.to];
        if (to[0] < this.heard[0]) return 'old-epoch';
        if (after(to, this.version) <= 0) return 'known';
        // From here on this version is known to exist, whether it can be applied or not.
        this.heard = later(this.heard, to);
        const isWhole = message.from === null;
        // It contains all prices that have changed since `from`, so it also covers any later version.
        const follows = message.epoch === this.version[0] && message.from <= this.version[1];
        if (!isWhole && !follows) return 'hole';
        const depth = isWhole ? new Float64Array(100) : this.depth.slice();
        for (const [price, shares] of message.depth) depth[price] = shares;
        const [bid, ask] = best(depth);
        if (bid !== message.best_bid || ask !== message.best_ask) {
            this.version = NONE;
            return 'wrong-book';
        }
        this.depth = depth;
        this.summary = message;
        this.version = to;
        return 'book';
    }

    // The span between two positions among the trades is new, known, or comes after something that is missing.
    follow(from, to, kind) {
        this.tradesHeard = later(this.tradesHeard, to);
        if (after(to, this.nextTrade) <= 0) return 'known';
        if (after(from, this.nextTrade) > 0) return 'trades-lost';
        this.nextTrade = to;
        return kind;
    }

    // A requested list has filled in all trades before this position.
    tradesUpTo(place) {
        this.nextTrade = later(this.nextTrade, place);
        this.tradesHeard = later(this.tradesHeard, place);
    }

    // The connection is lost, and the next one may be to a feed of any epoch. The book stays for display until a whole
    // one arrives; the position among the trades stays too.
    disconnected() {
        this.version = NONE;
        this.heard = NONE;
    }

    // Whether it is the newest version that any message has named, and the feed said that it is following the engine.
    get isFresh() { return this.summary !== null && this.summary.is_fresh && !this.needsBook; }

    get needsBook() { return this.version === NONE || after(this.version, this.heard) !== 0; }

    get needsTrades() { return after(this.nextTrade, this.tradesHeard) !== 0; }
}

// The highest bid and the lowest ask of a depth; null if there is none.
export function best(depth) {
    let [bid, ask] = [null, null];
    for (let price = 1; price < 100; price++) {
        if (depth[price] > 0) bid = price;
        if (depth[price] < 0 && ask === null) ask = price;
    }
    return [bid, ask];
}
