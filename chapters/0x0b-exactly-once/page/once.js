// Exactly once, on the page. Each command has a number of this tab's lane (see lane.js) and is sent again, by itself, until
// an answer comes: the venue carries it out once. Notices are read behind a cursor, so what happened while the page was
// closed is shown once, too.

import { ask, Problem } from '/page/net.js';
import { addWords } from '/page/words.js';
import { takeLane } from '/page/lane.js';
import { WORDS } from '/page/once_words.js';

const FIRST_WAIT_MS = 300;
const WAIT_MS_MAX = 10000;
// An answer that takes longer is taken for lost. A repeat of a request that is still under way joins it.
const ANSWER_MS = 10000;
// An order is not sent again for ever: after this time its price is one of the past. Its outcome is then unknown, and if it
// was carried out after all, the notices say so.
const PATIENCE_MS = 600000;
// How often to count on past numbers that others have used.
const COUNTS_MAX = 3;

const lost = () => new Problem({ reason: 'lost' });

addWords(WORDS);

export const extend = Account => class extends Account {
    constructor(parts) {
        super(parts);
        this.wakers = new Set();
        addEventListener('pagehide', () => this.mine?.leave());
        if (this.key) queueMicrotask(() => this.lane().catch(problem => this.refuse(problem)));
    }

    clear() {
        this.mine?.leave(this.key === null);
        this.mine = null; // the lane, once this tab has it
        this.taking = null;
        this.inFlight = 0;
        this.heldBack = [];
        super.clear();
    }

    // The lane of this tab. It is taken once for each key.
    lane() {
        this.taking ??= this.takeLane(this.key).catch(problem => {
            this.taking = null;
            throw problem;
        });
        return this.taking;
    }

    async takeLane(key) {
        const lane = await this.untilAnswered(key, Date.now(), () => takeLane(key));
        if (key !== this.key) {
            lane.leave();
            throw lost();
        }
        this.mine = lane;
        if (lane.cursor) {
            // What is kept goes as far as the cursor, and the notices go on there.
            this.happened = [...this.happened, ...lane.happened];
            this.told = true;
            this.changes += 1;
        } else {
            this.refresh();
        }
        for (const { what, request, sinceMs } of lane.underWay) {
            this.send({ ...what, notes: ['sent-again'] }, request, performance.now() - (Date.now() - sinceMs));
        }
        this.touch();
        return lane;
    }

    // The account's trades tell of the past only where no cursor does.
    tellPast(fills) {
        if (this.mine) super.tellPast(fills);
    }

    // Calls until there is an answer, with growing waits and jitter, so that pages that failed together return apart.
    async untilAnswered(key, sinceMs, attempt, again = () => {}) {
        for (let failed = 0; ; failed += 1) {
            if (Date.now() - sinceMs > PATIENCE_MS) throw lost();
            try {
                return await attempt();
            } catch (problem) {
                if (!(problem instanceof Problem)) throw problem;
                const { status, retryAfter } = problem.details;
                const mayHelp = ['lost', 'not-connected'].includes(problem.reason) || status === 503 || status === 429;
                if (!mayHelp || key !== this.key) throw problem;
                again();
                await this.pause(failed, retryAfter);
                if (key !== this.key) throw lost();
            }
        }
    }

    // A server that says when to return is obeyed; otherwise a connection that is back ends the wait.
    pause(failed, retryAfter) {
        return new Promise(resolve => {
            const own = Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** failed) * (0.5 + Math.random());
            setTimeout(resolve, retryAfter ? 1000 * retryAfter + own : own);
            if (retryAfter) return;
            const wake = () => { this.wakers.delete(wake); setTimeout(resolve, FIRST_WAIT_MS * Math.random()); };
            this.wakers.add(wake);
        });
    }

    async carry(what, command) {
        if (command.do === 'cancel-all') return this.cancelEach(what, command.market);
        const key = this.key;
        const lane = await this.lane();
        for (let counts = 0; ; counts += 1) {
            // One that a tab has left under way has its number already.
            const request = command.number ? command : lane.take(what, command);
            try {
                return await this.carryOnce(key, what, request);
            } catch (problem) {
                // Another program of this account counts in the same lane, and what has the number is not this request,
                // so this one was never carried out, and may have another number.
                if (problem.reason !== 'number-reused' || counts === COUNTS_MAX) throw problem;
                command = { ...command, lane: undefined, number: undefined };
                await this.countOn(lane);
            } finally {
                lane.done(request);
            }
        }
    }

    async carryOnce(key, what, request) {
        let underWay = null;
        const again = () => {
            what.notes = ['sent-again'];
            underWay ??= this.tell({ ...what, notes: [], isUnderWay: true, isUnknown: true, problem: new Problem({ reason: 'sending-again' }) });
        };
        const { sinceMs } = this.mine?.underWay.find(one => one.request === request) ?? { sinceMs: Date.now() };
        try {
            return await this.untilAnswered(key, sinceMs, () => this.attemptInTime(request), again);
        } catch (problem) {
            what.isUnknown = ['number-done', 'number-too-old'].includes(problem.reason);
            throw problem;
        } finally {
            this.happened = this.happened.filter(entry => entry !== underWay);
            this.changes += 1;
        }
    }

    async attemptInTime(request) {
        const { mine } = this;
        this.inFlight += 1;
        let timer;
        const late = new Promise((_, reject) => { timer = setTimeout(() => reject(lost()), ANSWER_MS); });
        try {
            return await Promise.race([this.attempt(request), late]);
        } finally {
            clearTimeout(timer);
            if (mine === this.mine) this.inFlight -= 1;
            // The answer is told first.
            setTimeout(() => this.takeHeldBack());
        }
    }

    // The lane's numbers, as far as the venue has seen them.
    async countOn(lane) {
        const { lanes } = await ask('GET', '/v1/lanes', { key: this.key });
        lane.countFrom(lanes);
    }

    // "All" has no number, since what it means changes with each repeat. Each order that the user sees has one.
    async cancelEach(what, market) {
        const each = this.ordersOf(market).map(async ({ order }) => {
            const one = { market, order, asked: 'cancel' };
            const done = await this.carry(one, { do: 'cancel', market, order });
            what.notes = one.notes ?? what.notes;
            return done;
        });
        const answers = await Promise.allSettled(each);
        // An order that has traded in the meantime no longer rests, which is what was asked for.
        const failed = answers.find(({ reason: problem }) => problem && problem.reason !== 'unknown-order');
        if (failed) throw failed.reason;
        const done = answers.filter(({ value }) => value).map(({ value }) => value);
        const sequences = done.map(({ sequence }) => sequence);
        return { cancelled: done.flatMap(({ cancelled }) => cancelled), sequence: sequences.at(-1), sequences };
    }

    async login() {
        [...this.wakers].forEach(wake => wake());
        await super.login();
        if (this.key) this.readNotices().catch(problem => this.refuse(problem));
    }

    // Notices go on behind the cursor; without one they begin now, and the account's trades tell of the past.
    async readNotices() {
        const lane = await this.lane();
        if (this.stream.state !== 'live' || lane !== this.mine) return;
        try {
            const { cursor } = await this.stream.request({ do: 'notices', after: lane.cursor ?? undefined });
            lane.cursor ??= cursor;
            lane.saveSoon();
        } catch (problem) {
            if (problem.reason !== 'no-cursor') throw problem;
            // The venue has other logs than the ones that the cursor is of. What was kept is not theirs.
            lane.cursor = null;
            this.happened = this.happened.filter(entry => !lane.old.includes(entry));
            this.told = false;
            this.changes += 1;
            await this.refresh();
            await this.readNotices();
        }
    }

    hear(told) {
        if (told.kind === 'gone' && this.mine) {
            // What came before this cursor can't be had any more.
            this.mine.cursor = told.cursor;
            this.mine.saveSoon();
        }
        if (told.kind !== 'notice') return;
        // A notice without a cursor comes again, with one, if there is a cursor to go on from.
        if (!told.cursor || !this.mine) return void (this.mine?.cursor || super.hear(told));
        // The answer to a command says more than its notices, and is shown in their place: those that could be of a command
        // that is in flight wait for its answer, and all later ones behind them.
        if (this.heldBack.length > 0 || this.inFlight > 0 && mayBeOwn(told.event)) this.heldBack.push(told);
        else this.take(told);
    }

    takeHeldBack() {
        if (this.inFlight > 0) return;
        for (const told of this.heldBack.splice(0)) this.take(told);
    }

    take(told) {
        const { market, sequence, index, event, cursor } = told;
        const known = this.happened.find(entry => isOf(entry, market, sequence));
        const isNew = !known || known.noticed && index > known.index;
        if (isNew && (!known || event.event === 'resolved')) {
            super.hear(told);
            Object.assign(this.happened[0], { noticed: true, index });
        } else if (isNew) {
            // All that one command led to is one entry.
            known.events.push(event);
            known.index = index;
            this.changes += 1;
            this.refresh();
        }
        this.mine.cursor = cursor;
        this.keep();
    }

    // Shows an entry. An answer takes the place of what notices have said of the same command.
    tell(entry) {
        if (entry.done || entry.problem) this.happened = this.happened.filter(known => !known.noticed || !isOf(entry, known.market, known.sequence));
        const told = super.tell(entry);
        this.keep();
        return told;
    }

    keep() {
        if (!this.mine) return;
        this.mine.happened = this.happened;
        this.mine.saveSoon();
    }
};

// Whether an entry is about this command, or about several and this is one of them.
const isOf = (entry, market, sequence) => entry.market === market && !entry.byTheBook && (entry.sequence === sequence || entry.done?.sequences?.includes(sequence));

// Whether an event can come of the account's own command: what others do trades with it as the maker, pays, or ends a market.
const mayBeOwn = ({ event, role, reason }) => event === 'accepted' || role === 'taker' || event === 'cancelled' && reason !== 'resolved';
