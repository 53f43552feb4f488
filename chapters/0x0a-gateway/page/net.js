// The way to the server: requests over HTTP, and one WebSocket that is kept alive. A connection that breaks, or says
// nothing for five seconds, is given up and made anew, after 1 s at first and 10 s at most. Whoever waits for an answer
// then gets `lost`: the request may have been carried out or not.

const SILENCE_MS = 5000;
const ASLEEP_MS = 2000;
const DELAYS_MS = [1000, 2000, 4000, 7000, 10000];
// A browser has few connections for requests. One that is never answered must not keep them from what comes after it.
const ANSWER_MS = 10000;

// Why a request failed: the server's problem details, or one of ours (`lost`).
export class Problem extends Error {
    constructor(details) {
        super(details.detail || details.title || details.reason || 'problem');
        this.details = details;
        this.reason = details.reason || 'unknown';
    }
}

// A request over HTTP; gives the answer's body.
export async function ask(method, path, { body, key } = {}) {
    const headers = {};
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (key) headers.authorization = `Bearer ${key}`;
    let response;
    let answer;
    try {
        response = await fetch(path, {
            method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS),
        });
        answer = await response.json().catch(() => ({}));
    } catch {
        throw new Problem({ reason: 'lost' });
    }
    if (response.ok) return answer;
    const seconds = Number(response.headers.get('retry-after')) || undefined;
    throw new Problem({ status: response.status, reason: `status-${response.status}`, retryAfter: seconds, ...answer });
}

// The one connection. `state` is `connecting`, `live` or `waiting`; `changed` is called when it becomes another one,
// and `message` with every message that is no answer.
export class Stream {
    constructor({ message, changed }) {
        Object.assign(this, { message, changed });
        this.state = 'connecting';
        this.heardMs = 0; // when the server was last heard, by this page's clock
        this.lostMs = null; // since when there has been no connection
        this.retryMs = 0;
        this.lookedMs = Date.now();
        this.wasAsleep = false; // at the last look
        this.bye = null; // why the server closed it, if it said so
        this.attempts = 0;
        this.number = 0;
        this.waiting = new Map();
        this.socket = null;
        setInterval(() => this.look(), 500);
        addEventListener('online', () => this.hurry());
        document.addEventListener('visibilitychange', () => document.hidden || this.hurry());
    }

    connect() {
        this.become('connecting');
        this.startedMs = Date.now();
        const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
        const socket = new WebSocket(`${scheme}://${location.host}/v1/stream`);
        this.socket = socket;
        socket.onmessage = event => socket === this.socket && this.hear(event.data);
        socket.onclose = () => socket === this.socket && this.lose();
    }

    hear(text) {
        this.heardMs = Date.now();
        let message;
        try {
            message = JSON.parse(text);
        } catch {
            return; // no text of ours; the next one may be
        }
        if (message.re !== undefined) return this.answer(message);
        if (message.kind === 'hello') {
            this.lostMs = null;
            this.bye = null;
            this.become('live');
        } else if (message.kind === 'bye') {
            this.bye = message;
        } else if (message.kind === 'tick') {
            // Only a connection that has lived for a while lets the next delay be short again.
            this.attempts = 0;
        }
        this.message(message);
    }

    answer({ re, ok, problem }) {
        const waits = this.waiting.get(re);
        this.waiting.delete(re);
        if (!waits) return;
        if (problem) waits.reject(new Problem(problem));
        else waits.resolve(ok);
    }

    // Sends a request and waits for its answer.
    request(request) {
        if (this.state !== 'live') return Promise.reject(new Problem({ reason: 'not-connected' }));
        const id = ++this.number;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            this.socket.send(JSON.stringify({ id, ...request }));
        });
    }

    // Twice a second: has the server been silent for too long, is it time to try again?
    look() {
        const now = Date.now();
        // A page that slept itself, or was busy, did not listen: what has come meanwhile is heard before this is asked again.
        // That is said once: where every look is late, as in a page that the browser wakes once a minute, it is asked then.
        this.wasAsleep = now - this.lookedMs > ASLEEP_MS && !this.wasAsleep;
        this.lookedMs = now;
        const since = this.state === 'live' ? this.heardMs : this.startedMs;
        if (this.state === 'waiting') {
            if (now >= this.retryMs) this.connect();
        } else if (now - since > SILENCE_MS && !this.wasAsleep) {
            this.lose();
        }
    }

    // Whether the server was heard lately. It can be false for a moment before the connection is given up.
    get isHeard() { return this.state === 'live' && Date.now() - this.heardMs <= SILENCE_MS; }

    lose() {
        const socket = this.socket;
        this.socket = null;
        socket?.close();
        // What was known is known up to the last message, not up to when its absence was noticed.
        this.lostMs ??= this.heardMs || Date.now();
        const delay = DELAYS_MS[Math.min(this.attempts, DELAYS_MS.length - 1)];
        this.attempts += 1;
        // A room full of pages does not come back in the same moment.
        this.retryMs = Date.now() + delay * (0.8 + 0.4 * Math.random());
        const lost = [...this.waiting.values()];
        this.waiting.clear();
        lost.forEach(waits => waits.reject(new Problem({ reason: 'lost' })));
        this.become('waiting');
    }

    // Tries now instead of later.
    hurry() {
        if (this.state === 'waiting') this.connect();
    }

    become(state) {
        if (this.state === state) return;
        this.state = state;
        this.changed();
    }
}
