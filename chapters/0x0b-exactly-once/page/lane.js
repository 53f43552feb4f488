// A tab's lane, and everything that the tab has to remember: the last numbers that it gave out, the requests that are under
// way, and how far it has read its notices, with what they led to. All of it is one item of the browser's storage, which is
// replaced as a whole: before a request is sent, and after something was read. So a crash never leaves half of it.
//
// Each tab has a lane of its own. Tabs that shared a lane would have to agree on each number, and the storage can't do that:
// between reading a number and writing the next one, another tab can read it too. Then two orders would have one number,
// and the venue would carry out only one of them. A lane instead is given out once, under a lock of the browser, which the
// browser itself takes back when the tab is closed or crashes; then the next tab goes on where that one stopped.
//
// Without such locks (a page that was loaded over plain HTTP from another machine has none) each load takes a lane that this
// browser has not used, and starts with a copy of what the latest one had read.

import { kept } from '/page/dom.js';
import { ask } from '/page/net.js';

const LANES = 256;
const SOON_MS = 100;
const GIVEN_BACK_MS = 100;

// All lanes of an account that this browser has used, the latest first.
function records(account) {
    const prefix = `nnc-lane-${account}-`;
    try {
        const names = Object.keys(localStorage).filter(name => name.startsWith(prefix));
        const all = names.map(name => ({ lane: Number(name.slice(prefix.length)), ...JSON.parse(kept.get(name)) }));
        return all.sort((one, other) => other.savedMs - one.savedMs);
    } catch {
        return []; // this browser stores nothing
    }
}

// A function that gives the lane back, or null if another tab has it.
function hold(account, lane) {
    return new Promise(resolve => {
        navigator.locks?.request(`nnc-lane-${account}-${lane}`, { ifAvailable: true }, lock => {
            if (!lock) return resolve(null);
            return new Promise(release => resolve(release));
        });
        if (!navigator.locks) resolve(null);
    });
}

// Takes a lane for this tab: one of those that this browser has used, or else a new one. The venue says how far each lane
// has counted, in case this browser has forgotten it.
export async function takeLane(key) {
    const { account, lanes } = await ask('GET', '/v1/lanes', { key });
    const all = records(account);
    const lane = new Lane(account, all.find(record => record.cursor));
    await takeLeft(lane, all);
    if (lane.id === null && all.length > 0) {
        // A page that is loaded anew may find its own lane still taken by the page that it was.
        await new Promise(resolve => setTimeout(resolve, GIVEN_BACK_MS));
        await takeLeft(lane, all);
    }
    while (lane.id === null) await takeNew(lane, all, lanes);
    lane.countFrom(lanes);
    lane.save();
    return lane;
}

// Takes what closed tabs have left: the first of their lanes, and all that they have under way, which keeps its lanes and
// numbers. If such a tab is still there, both send the same, which does no harm: that is what the numbers are for.
async function takeLeft(lane, all) {
    for (const record of all) {
        const release = await hold(lane.account, record.lane);
        if (!release && navigator.locks) continue;
        lane.underWay.push(...record.underWay);
        if (release && lane.id === null) lane.become(record.lane, record, release);
        else lane.empty(record, release);
    }
}

// Takes a lane that neither this browser nor another device has used, if there is one, otherwise one that no tab has now.
async function takeNew(lane, all, lanes) {
    const used = new Set([...all, ...lanes].map(one => one.lane));
    const every = [...Array(LANES).keys()];
    const unused = every.filter(id => !used.has(id));
    const from = unused.length > 0 ? unused : every;
    // At random, because another device may choose one at the same moment.
    const id = from[Math.floor(Math.random() * from.length)];
    const release = await hold(lane.account, id);
    if (release || !navigator.locks) lane.become(id, all.find(record => record.lane === id), release);
}

class Lane {
    constructor(account, { cursor = null, happened = [] } = {}) {
        Object.assign(this, { account, cursor, happened, old: happened });
        this.id = null;
        this.last = { orders: 0, cancels: 0 }; // orders and cancellations are counted apart, as the venue does
        this.underWay = [];
        this.release = null;
        this.isKept = true;
        this.timer = null;
    }

    become(id, record, release) {
        Object.assign(this, { id, release });
        if (record) this.last = record.last;
    }

    // Of a lane that another tab has left, only the numbers stay.
    empty({ lane, last }, release) {
        kept.set(`nnc-lane-${this.account}-${lane}`, JSON.stringify({ last, underWay: [], cursor: null, happened: [], savedMs: 0 }));
        release?.();
    }

    // The venue may know a higher number: this browser may have been restored from a backup, or emptied.
    countFrom(lanes) {
        for (const { kind, lane, highest } of lanes) {
            if (lane === this.id && kind in this.last) this.last[kind] = Math.max(this.last[kind], highest);
        }
    }

    // Gives a command the next number, and keeps it before it is sent.
    take(what, command) {
        const kind = command.do === 'place' ? 'orders' : 'cancels';
        this.last[kind] += 1;
        const request = { ...command, lane: this.id, number: this.last[kind] };
        this.underWay.push({ what, request, sinceMs: Date.now() });
        this.save();
        return request;
    }

    done(request) {
        this.underWay = this.underWay.filter(one => one.request !== request);
        this.saveSoon();
    }

    // A browser that is killed as a whole may forget the last seconds. Then the venue's numbers and notices fill them in.
    save() {
        clearTimeout(this.timer);
        this.timer = null;
        if (!this.isKept) return;
        const { last, underWay, cursor } = this;
        // An entry about a request that is under way is made anew; the events of an answer are kept once.
        const happened = this.happened.filter(entry => !entry.isUnderWay)
            .map(entry => entry.done ? { ...entry, done: { ...entry.done, events: undefined } } : entry);
        kept.set(`nnc-lane-${this.account}-${this.id}`, JSON.stringify({ last, underWay, cursor, happened, savedMs: Date.now() }));
    }

    // A notice that is forgotten together with what it led to is sent again, so a later moment is early enough.
    saveSoon() { this.timer ??= setTimeout(() => this.save(), SOON_MS); }

    // The tab goes on with another account. This one's numbers stay, and what is under way.
    leave(forgets = false) {
        if (forgets) [this.cursor, this.happened] = [null, []];
        this.save();
        this.isKept = false;
        this.release?.();
    }
}
