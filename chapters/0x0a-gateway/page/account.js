// The user's account: its key, its holdings, its open orders, and what happened to them. Only the server's data counts:
// after every event the page requests everything again and draws the answers.
//
// The key is stored in this browser, because it is shown only once and can't be requested again.

import { kept } from './dom.js';
import { ask, Problem } from './net.js';

const KEY = 'nnc-key';
const CODE = 'nnc-code';
const HAPPENED_MAX = 100;
const AGAIN_MS = 1000;

export class Account {
    constructor({ touch }) {
        this.touch = touch;
        this.stream = null;
        this.key = kept.get(KEY);
        this.code = kept.get(CODE); // in a class only
        this.isKept = true; // whether the browser stores the key
        this.clear();
    }

    clear() {
        this.id = null;
        this.name = null;
        this.holdings = new Map();
        this.orders = [];
        this.fills = [];
        this.happened = []; // newest first
        this.changes = 0; // how often that list has changed
        this.at = null; // how far the shown data reaches, one sequence per shard
        this.wanted = []; // how far it has to reach, by shard
        this.problem = null;
        this.told = false;
        this.busy = null;
        this.again = false;
    }

    get isOpen() { return this.key !== null; }

    async open(name) {
        const made = await ask('POST', '/v1/accounts', { body: name ? { name } : {} });
        await this.use(made.key, made.code);
        // Its play money was refused for now. A request with the same key gets what is missing.
        if (made.funded === false) await ask('POST', '/v1/accounts', { body: { name: made.name, key: made.key, code: false } });
    }

    // In a class: recovers an account by its short code. The key that it had elsewhere stops working.
    async join(code) {
        const joined = await ask('POST', '/v1/classroom/join', { body: { code } });
        await this.use(joined.key, joined.code);
    }

    // Continues with a key: a new one, or one that was typed in.
    async use(key, code = null) {
        this.clear();
        this.key = key;
        this.code = code;
        kept.set(CODE, code);
        this.isKept = kept.set(KEY, key);
        await Promise.all([this.login(), this.refresh()]);
    }

    forget() {
        kept.set(KEY, null);
        kept.set(CODE, null);
        this.key = null;
        this.code = null;
        this.clear();
        // The connection is logged in for the old key; a new one is not.
        this.stream.lose();
        this.stream.hurry();
        this.touch();
    }

    async login() {
        // The server may have restarted with a log that is shorter.
        this.wanted = [];
        if (!this.key || this.stream.state !== 'live') return;
        try {
            await this.stream.request({ do: 'login', key: this.key });
        } catch (problem) {
            this.refuse(problem);
        }
    }

    refuse(problem) {
        // A broken connection is retried automatically; every other problem is shown.
        if (problem.reason !== 'lost' && problem.reason !== 'not-connected') this.problem = problem;
        this.touch();
    }

    // Requests everything again. If a round is in progress, further calls cause one more round, not several.
    refresh() {
        if (!this.key) return Promise.resolve();
        if (this.busy) {
            this.again = true;
            return this.busy;
        }
        this.busy = (async () => {
            try {
                do {
                    this.again = false;
                    await this.load();
                } while (this.again && this.key);
            } finally {
                this.busy = null;
            }
        })();
        return this.busy;
    }

    async load() {
        const key = this.key;
        try {
            // The server answers once it has everything that this page knows of.
            const least = `at_least=${Array.from(this.wanted, sequence => sequence ?? 0).join(',') || 0}`;
            const [account, orders, fills] = await Promise.all([
                ask('GET', `/v1/account?${least}`, { key }), allOrders(least, key), ask('GET', `/v1/fills?limit=200&${least}`, { key })]);
            if (key !== this.key) return;
            Object.assign(this, { id: account.account, name: account.name, orders, fills: fills.fills, at: account.at });
            this.holdings = new Map(account.holdings.map(held => [held.market, held]));
            this.problem = null;
            if (!this.told) this.tellPast(fills.fills);
        } catch (problem) {
            if (!(problem instanceof Problem)) throw problem;
            this.refuse(problem);
        }
        this.touch();
    }

    // What happened before this page was opened: the account's trades, as far back as the server knows.
    tellPast(fills) {
        this.told = true;
        const past = fills.map(fill => ({
            timeMs: fill.time_ms, market: fill.market, sequence: fill.sequence, past: true, events: [{ event: 'traded', ...fill }],
        }));
        const known = new Set(this.happened.map(entry => `${entry.market} ${entry.sequence}`));
        this.happened.push(...past.reverse().filter(entry => !known.has(`${entry.market} ${entry.sequence}`)));
        this.happened.length = Math.min(this.happened.length, HAPPENED_MAX);
        this.changes += 1;
    }

    tell(entry) {
        const told = { timeMs: Date.now(), ...entry };
        this.happened.unshift(told);
        this.happened.length = Math.min(this.happened.length, HAPPENED_MAX);
        this.changes += 1;
        this.touch();
        return told;
    }

    // What others did to the account's orders, and the end of a market. Other messages are for layers.
    hear({ kind, market, order, sequence, time_ms: timeMs, event }) {
        if (kind !== 'notice') return;
        // The book may already have shown that it is over; the notice says more.
        if (event.event === 'resolved') this.happened = this.happened.filter(entry => entry.market !== market || !entry.byTheBook);
        this.tell({ market, order, sequence, timeMs, events: [event] });
        this.refresh();
    }

    // Every account that held anything gets a notice, but a page that was offline then did not: for it, the market is
    // over when the book says so. The last answer may be from before that, so request it again.
    marketIsOver({ id, ended, summary }) {
        if (!this.held(id)) return;
        const isTold = this.happened.some(entry => entry.market === id && entry.events?.some(({ event }) => event === 'resolved'));
        if (!isTold) this.tell({ market: id, sequence: summary.sequence, byTheBook: true, events: [{ event: 'resolved', outcome: ended }] });
        this.refresh();
        setTimeout(() => this.refresh(), AGAIN_MS);
    }

    // Sends a command and shows the result, with `what` it was. `ms` is the time from the click to the answer, which
    // arrives when the command is on disk.
    async send(what, command, began = performance.now()) {
        try {
            const done = await this.carry(what, command);
            const ms = performance.now() - began;
            if (done.shard !== undefined) this.wanted[done.shard] = Math.max(this.wanted[done.shard] ?? 0, done.sequence);
            return this.tell({ ...what, ms, timeMs: done.time_ms ?? Date.now(), sequence: done.sequence, done, events: done.events ?? [] });
        } catch (problem) {
            if (!(problem instanceof Problem)) throw problem;
            return this.tell({ ...what, problem, sequence: problem.details.sequence });
        } finally {
            this.refresh();
        }
    }

    // Gets the answer to a command. One attempt: a layer may know how to make several.
    carry(what, command) { return this.attempt(command); }

    // Sends a command over the connection if there is one, otherwise over HTTP.
    attempt(command) {
        return this.stream.state === 'live' ? this.stream.request(command) : ask(...overHttp(command, this.key));
    }

    place(order) { return this.send({ market: order.market, asked: 'place', placed: order }, { do: 'place', ...order }); }

    cancel(market, order) { return this.send({ market, order, asked: 'cancel' }, { do: 'cancel', market, order }); }

    cancelAll(market) { return this.send({ market, asked: 'cancel-all' }, { do: 'cancel-all', market }); }

    ordersOf(market) { return this.orders.filter(order => order.market === market); }

    held(market) { return this.holdings.get(market) ?? null; }
}

// The account's open orders, page by page.
async function allOrders(least, key) {
    const orders = [];
    let after = '';
    do {
        const page = await ask('GET', `/v1/orders?${least}${after}`, { key });
        orders.push(...page.orders);
        after = page.next && `&after=${page.next}`;
    } while (after);
    return orders;
}

// The same command as method, address and content of a request.
function overHttp({ do: what, market, order, ...more }, key) {
    if (what === 'place') return ['POST', '/v1/orders', { body: { market, ...more }, key }];
    const one = what === 'cancel' ? `/${order}` : '';
    // A cancellation has no body, so what else it says is in the address.
    const query = new URLSearchParams(more).toString();
    return ['DELETE', `/v1/markets/${market}/orders${one}${query && `?${query}`}`, { key }];
}
