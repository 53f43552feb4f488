// The connection to the server: requests over HTTP, and one WebSocket that is kept alive. A connection that breaks, or
// is silent for five seconds, is dropped and remade, after 1 s at first and 10 s at most. Pending requests then fail
// with `lost`: they may or may not have been carried out.

const SILENCE_MS = 5000;
const ASLEEP_MS = 2000;
const DELAYS_MS = [1000, 2000, 4000, 7000, 10000];
// A browser allows few concurrent requests. One that is never answered must not block later ones.
const ANSWER_MS = 10000;

// Why a request failed: the server's problem details, or one of ours (`lost`).
export class Problem extends Error {
    constructor(details) {
        super(details.detail || details.title || details.reason || 'problem');
        this.details = details;
        this.reason = details.reason || 'unknown';
    }
}

// A request over HTTP; returns the answer's body.
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
        // A refusal has a status even if its body can't be read. A success whose body was cut off says nothing.
        answer = await response.json().catch(error => { if (response.ok) throw error; return {}; });
    } catch {
        throw new Problem({ reason: 'lost' });
    }
    if (response.ok) return answer;
    const seconds = Number(response.headers.get('retry-after')) || undefined;
    throw new Problem({ status: response.status, reason: `status-${response.status}`, retryAfter: seconds, ...answer });
}

// The one connection. `state` is `connecting`, `live` or `waiting`; `changed` is called when it changes, and `message`
// with every message that is not an answer.
export class Stream {
    constructor({ message, changed }) {
        Object.assign(this, { message, changed });
        this.state = 'connecting';
        this.heardMs = 0; // when the last message arrived, by this page's clock
        this.lostMs = null; // since when there has been no connection
        this.retryMs = 0;
        this.lookedMs = Date.now();
        this.wasAsleep = false; // at the last check
        this.bye = null; // why the server closed it, if it gave a reason
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
            return; // not valid JSON; the next message may be
        }
        if (message.re !== undefined) return this.answer(message);
        if (message.kind === 'hello') {
            this.lostMs = null;
            this.bye = null;
            this.become('live');
        } else if (message.kind === 'bye') {
            this.bye = message;
        } else if (message.kind === 'tick') {
            // Only a connection that has lasted for a while resets the delay.
            this.attempts = 0;
        }
        this.message(message);
    }

    answer({ re, ok, problem }) {
        const waits = this.waiting.get(re);
        this.waiting.delete(re);
        if (!waits) return;
        if (problem) waits.reject(new Problem({ retryAfter: problem.retry_after_s, ...problem }));
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

    // Twice a second: has the server been silent for too long, is it time to retry?
    look() {
        const now = Date.now();
        // A page that was suspended or busy has not processed its messages: let those that arrived meanwhile be handled
        // before checking again. Do this only once: in a page that the browser wakes once a minute every check is late,
        // and has to count.
        this.wasAsleep = now - this.lookedMs > ASLEEP_MS && !this.wasAsleep;
        this.lookedMs = now;
        const since = this.state === 'live' ? this.heardMs : this.startedMs;
        if (this.state === 'waiting') {
            if (now >= this.retryMs) this.connect();
        } else if (now - since > SILENCE_MS && !this.wasAsleep) {
            this.lose();
        }
    }

    // Whether a message arrived recently. It can be false for a moment before the connection is dropped.
    get isHeard() { return this.state === 'live' && Date.now() - this.heardMs <= SILENCE_MS; }

    lose() {
        const socket = this.socket;
        this.socket = null;
        socket?.close();
        // The data is current up to the last message, not up to the moment when the silence was detected.
        this.lostMs ??= this.heardMs || Date.now();
        const delay = DELAYS_MS[Math.min(this.attempts, DELAYS_MS.length - 1)];
        this.attempts += 1;
        // Spreads out the reconnections of many pages.
        this.retryMs = Date.now() + delay * (0.8 + 0.4 * Math.random());
        const lost = [...this.waiting.values()];
        this.waiting.clear();
        lost.forEach(waits => waits.reject(new Problem({ reason: 'lost' })));
        this.become('waiting');
    }

    // Retries now instead of later.
    hurry() {
        if (this.state === 'waiting') this.connect();
    }

    become(state) {
        if (this.state === state) return;
        this.state = state;
        this.changed();
    }
}
