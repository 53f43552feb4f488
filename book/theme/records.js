// A reader's record, read a second time: what `book/src/pointer.rs`, `figure.rs` and `format.rs` do in Rust when the book
// is built with one's own run, for a record that is dropped in the page. That it agrees is tested: a test of the book
// shows the same figures through both.
//
// A record may be anything. Every text in it stays text, every path walks own keys only, and what a page does not
// understand it does not show.
(function records(scope) {
    'use strict';

    const NBSP = '\u00a0';
    // Ours have less than a tenth of that.
    const BYTES_MAX = 1_000_000;
    const TEXT_MAX = 1_000;
    const DEPTH_MAX = 12;

    // What a field has to be for the book to show the record. A list is one entry or more of its kind.
    const text = value => typeof value === 'string';
    const count = value => typeof value === 'number' && value >= 0;
    const above = value => typeof value === 'number' && value > 0;
    const any = value => value !== undefined;
    const spread = { median: above, min: above, max: above };
    const late = { p50_ms: count, p99_ms: count };
    const way = { from_acknowledgement: late };

    // The records that the book shows, by their files' names. `is` names the keys by which one is recognized.
    const KINDS = {
        ladder: { is: ['chapters', 'flow'], has: { chapters: [{ chapter: text, orders_per_s: spread }] } },
        numbers: { is: ['numbers'], has: { numbers: [{ id: text, measured: any }] } },
        scale: { is: ['shards', 'usl'], has: { chapter: text, shards: [{ shards: count, orders_per_s: spread }] } },
        sweep: { is: ['flow', 'sizes'], has: { chapter: text, sizes: [{ batch: count, orders_per_s: spread, p50_ns: spread, p99_ns: spread }] } },
        disks: { is: ['disks'], has: { chapter: text, offered_per_s: count, disks: [{ name: text, sync_at_least_ms: count, limits: [{ batch: count, orders_per_s: spread, orders_per_sync: spread, latency_ns: { p50: count, p99: count, p999: count } }] }] } },
        lab: { is: ['experiments'], has: { experiments: [{ name: text, cases: [{ name: text, variants: [{ name: text, ns: spread }] }] }] } },
        feed: { is: ['cases', 'offered_per_s'], has: { cases: [{ name: text, readers: count, mask: way, channels: way }] } },
        recover: { is: ['starts', 'pauses'], has: { starts: [{ commands: count, replay: { start_ns: spread }, snapshot: { start_ns: spread } }], pauses: [{ name: text, p50_ns: spread, p99_ns: spread }] } },
        venue: { is: ['http', 'stream'], has: { http: any, stream: [{ name: text }] } },
        once: { is: ['inside', 'naive'], has: { inside: any, costs: [{ name: text }], naive: [{ name: text, asked: count, twice: count, lost: count }] } },
        path: { is: ['loads', 'usual_ns'], has: { loads: [{ name: text, whole: any, stages: [{ name: text, p99_ns: count }] }], costs: [{ name: text }] } },
        history: { is: ['stores', 'forms'], has: { stores: [{ name: text, rows_per_s: spread, bytes: count }], reads: [{ name: text, p50_ns: spread, p99_ns: spread }], pages: [{ name: text, p50_ns: spread }], forms: [{ name: text, bytes: count }] } },
        replicas: { is: ['sizes', 'takeovers'], has: { sizes: [{ name: text, sync_p50_ns: count, append_p50_ns: count }], throughput: [{ name: text, per_s: spread }], late: [{ name: text }], takeovers: [{ name: text, ns: spread }] } },
        soak: { is: ['trends', 'windows'], has: { windows: [{ p99_ms: count }], trends: [{ name: text, before: count, after: count }] } },
        races: { is: ['series'], has: { series: [{ name: text, raced: count, worse: count, seconds: spread, estimates: any }] } },
        // Before the record without peers, whose keys it has too.
        'any-price-peers': { is: ['flows', 'plain'], has: { flows: [{ name: text }] } },
        'any-price': { is: ['flows', 'lines'], has: { flows: [{ name: text }] } },
    };
    const EVERY = { machine: { cpu: text, cores: count }, commit: text };

    const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);
    const own = (value, key) => typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key] : undefined;

    // Where a value is not what it has to be: the first such path, or nothing.
    function unlike(value, shape, path) {
        if (typeof shape === 'function') return shape(value) ? undefined : path;
        if (Array.isArray(shape)) {
            if (!Array.isArray(value) || !value.length) return path;
            for (const [at, entry] of value.entries()) {
                const wrong = unlike(entry, shape[0], `${path}[${at}]`);
                if (wrong) return wrong;
            }
            return undefined;
        }
        if (!isObject(value)) return path;
        for (const [key, inside] of Object.entries(shape)) {
            const wrong = unlike(own(value, key), inside, path ? `${path}.${key}` : key);
            if (wrong) return wrong;
        }
        return undefined;
    }

    // Where a record holds what none does: a number beyond all numbers, an endless text, boxes in boxes.
    function strange(value, path, depth) {
        if (typeof value === 'number') return Number.isFinite(value) ? undefined : path;
        if (typeof value === 'string') return value.length > TEXT_MAX ? path : undefined;
        if (typeof value !== 'object' || value === null) return undefined;
        if (depth === 0) return path;
        for (const [key, inside] of Object.entries(value)) {
            const wrong = strange(inside, `${path}${Array.isArray(value) ? `[${key}]` : `.${key}`}`, depth - 1);
            if (wrong) return wrong;
        }
        return undefined;
    }

    // A path fit to be read out in a sentence.
    const shortened = path => path.replace(/^\./, '').slice(0, 80);

    // The record that a text holds, with its kind; or why there is none, and where.
    function read(source) {
        let record;
        try { record = JSON.parse(source); } catch { return { refused: 'json' }; }
        if (!isObject(record)) return { refused: 'kind' };
        const found = Object.entries(KINDS).find(([, { is }]) => is.every(key => Object.hasOwn(record, key)));
        if (!found) return { refused: 'kind' };
        const [kind, { has }] = found;
        const at = unlike(record, { ...EVERY, ...has }, '') || strange(record, '', DEPTH_MAX);
        return at ? { refused: 'version', kind, at: shortened(at) } : { kind, record };
    }

    const NAMES = ['chapter', 'name', 'id', 'key'];

    function entry(list, selector) {
        if (!Array.isArray(list)) return undefined;
        if (/^\+?\d+$/.test(selector)) return list[Number(selector)];
        const equals = selector.indexOf('=');
        if (equals >= 0) {
            const [field, value] = [selector.slice(0, equals), selector.slice(equals + 1)];
            const said = item => { const name = own(item, field); return text(name) || Number.isSafeInteger(name) ? String(name) : undefined; };
            return list.find(item => said(item) === value);
        }
        const names = item => NAMES.map(field => own(item, field)).filter(text);
        return list.find(item => names(item).some(name => name === selector || name.startsWith(`${selector}-`)));
    }

    // The value at `record:path`.
    function value(all, pointer) {
        const colon = pointer.indexOf(':');
        let here = own(all, pointer.slice(0, colon));
        for (const [, selector, key] of pointer.slice(colon + 1).matchAll(/\[([^\]]*)\]|([^.[]+)/g)) {
            here = selector === undefined ? own(here, key) : entry(here, selector);
        }
        return here;
    }

    // The power of ten under a number.
    const power = x => Number(x.toExponential().split('e')[1]);

    function round(x, digits) {
        if (x === 0 || !Number.isFinite(x)) return x;
        const places = digits - 1 - power(x);
        const scale = Number(`1e${Math.abs(places)}`);
        const whole = y => Math.sign(y) * Math.round(Math.abs(y));
        return places >= 0 ? whole(x * scale) / scale : whole(x / scale) * scale;
    }

    function group(number) {
        const sign = number.startsWith('-') ? '−' : '';
        const [whole, fraction] = number.replace('-', '').split('.');
        const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
        return sign + grouped + (fraction === undefined ? '' : `.${fraction}`);
    }

    // Without an exponent, however large.
    function plain(x, decimals) {
        if (Math.abs(x) >= 1e21) return String(BigInt(x));
        return (Object.is(x, -0) ? '-' : '') + x.toFixed(Math.min(decimals, 100));
    }

    function significant(x, digits) {
        const rounded = round(x, digits);
        if (rounded === 0 || !Number.isFinite(rounded)) return String(rounded);
        const shown = plain(rounded, Math.max(digits - 1 - power(rounded), 0));
        return group(shown.includes('.') ? shown.replace(/\.?0+$/, '') : shown);
    }

    function scaled(x, digits, units) {
        const rounded = Math.abs(round(x, digits));
        const [size, unit] = units.find(([size]) => rounded >= size) || units.at(-1);
        return significant(x / size, digits) + NBSP + unit;
    }

    function counted(x, digits, zh) {
        const units = zh ? [[1e8, '亿'], [1e4, '万']] : [[1e9, 'billion'], [1e6, 'million']];
        const rounded = Math.abs(round(x, digits));
        const found = units.find(([size]) => rounded >= size);
        return found ? significant(x / found[0], digits) + NBSP + found[1] : significant(x, digits);
    }

    // The whole number next to `x`; of two that are as near, the even one.
    function even(x) {
        if (x < 0) return -even(-x);
        const below = Math.floor(x);
        if (x - below !== 0.5) return Math.round(x);
        return below % 2 === 0 ? below : below + 1;
    }

    const TIMES = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
    const BYTES = [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'KB'], [1, 'B']];
    const NANOSECONDS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

    // A number in a format; nothing where it can't be shown.
    function number(x, format, zh) {
        const [, word, given] = /^([a-z]+)(\d?)$/.exec(format);
        const digits = Number(given);
        if (!Number.isFinite(x)) return undefined;
        if (Object.hasOwn(NANOSECONDS, word)) return scaled(x * NANOSECONDS[word], digits, TIMES);
        switch (word) {
            case 'si': return counted(x, digits, zh);
            case 'x': return significant(x, digits) + (zh ? `${NBSP}倍` : '×');
            case 'pct': return `${significant(x * 100, digits)}%`;
            case 'bytes': return scaled(x, digits, BYTES);
            case 'gib': return `${plain(even(x / 2 ** 30), 0)}${NBSP}GiB`;
            case 'int': return group(plain(even(x), 0));
            default: return String(x);
        }
    }

    // A figure as the page names it, `a ÷ b + c as x2`, out of the records there are; nothing where they have none.
    function figure(all, words, zh) {
        const as = words.lastIndexOf(' as ');
        const [of, over] = words.slice(0, as).split(' ÷ ');
        const format = words.slice(as + 4);
        const above = value(all, of);
        if (over === undefined) {
            if (format === 'raw' && text(above)) return above;
            return typeof above === 'number' ? number(above, format, zh) : undefined;
        }
        const parts = [above, ...over.split(' + ').map(path => value(all, path))];
        if (!parts.every(part => typeof part === 'number')) return undefined;
        const below = parts.slice(1).reduce((sum, part) => sum + part, 0);
        return below === 0 ? undefined : number(above / below, format, zh);
    }

    const rules = { KINDS: Object.keys(KINDS), BYTES_MAX, read, value, figure, unlike };
    if (typeof module === 'object') module.exports = rules;
    else (scope.book ??= {}).records = rules;
})(globalThis);
