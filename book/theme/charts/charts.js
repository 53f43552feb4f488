// The charts of a reader's own record: which there are, which record each needs, and what all of them say. The measuring
// tool draws the same, and a test of the book shows that shapes and texts are equal (`cargo test -p book --test charts`).
(function charts(scope) {
    'use strict';

    const { charts: drawers, records: { unlike } } = scope.book;
    const { figures: { fixed, inUnits, measured } } = drawers;

    // More rows than any measurement of ours has by far, and no picture higher than a screen can scroll.
    const ROWS_MAX = 64;

    // What a chart needs beyond what a record has to have to be taken: numbers that fit on an axis, and rows in number.
    const text = value => typeof value === 'string';
    const from = (least, most) => value => typeof value === 'number' && value >= least && value <= most;
    const size = from(1e-9, 1e18);
    const some = value => value === 0 || size(value);
    const whole = value => Number.isSafeInteger(value) && value > 0;
    const counted = value => value === 0 || whole(value);
    const flag = value => typeof value === 'boolean';
    const maybe = shape => value => value === undefined || value === null || unlike(value, shape, '?') === undefined;
    const spread = value => unlike(value, { median: size, min: size, max: size }, '?') === undefined
        && value.min <= value.median && value.median <= value.max;
    const rows = (shape, least = 1) => value => Array.isArray(value) && value.length >= least && value.length <= ROWS_MAX
        && value.every(row => unlike(row, shape, '?') === undefined);

    const origin = {
        machine: { cpu: text, cores: whole, memory_bytes: maybe(some), disk: text, filesystem: text, os: text, arch: text },
        commit: text,
    };
    const run = { ...origin, flow: { name: text, seed: maybe(some), input: maybe(text) } };
    const stages = { log_append: some, log_sync: some, balance_check: some, matching: some, settlement: some, ledger: some };
    const latency = { offered_per_s: size, p50: some, p99: some, p999: some, max: some };
    const ladder = { ...run, chapters: rows({ chapter: text, orders_per_s: spread, latency_ns: maybe(latency), stages_ns: maybe(stages) }) };
    const sweep = { ...run, chapter: text, sizes: rows({ batch: some, orders_per_s: spread, p99_ns: spread }) };
    const scale = { ...run, chapter: text, shards: rows({ shards: whole, orders_per_s: spread }) };
    const way = { event_ns: maybe(spread), from_acknowledgement: { p50_ms: some, p99_ms: some }, void: maybe(Array.isArray) };
    const cases = rows({ readers: whole, mask: way, channels: way });
    const feed = { ...origin, rounds: some, offered_per_s: some, bare_event_ns: maybe(spread),
        cases: value => cases(value) && value.some(one => one.mask.event_ns) && value.some(one => one.mask.from_acknowledgement.p50_ms > 0) };
    const started = { start_ns: spread };
    const pause = { name: text, p50_ns: spread, p99_ns: spread, p999_ns: spread, max_ns: spread };
    const recover = { ...run, chapter: text, offer: { rate: some }, starts: rows({ commands: whole, replay: started, snapshot: started, cold: maybe(started) }), pauses: rows(pause) };
    const http = { empty_per_s: spread, orders_per_s: spread, fresh_per_s: spread };
    const streams = rows({ name: text, per_s: spread });
    const answered = { name: text, offered_per_s: some, p50_ms: some, p99_ms: some, p999_ms: some, load: maybe({ is_void: flag }) };
    // What the load was the limit of is not drawn.
    const late = value => rows(answered)(value) && value.some(one => one.p50_ms > 0 && !one.load?.is_void);
    const watched = rows({ connections: whole, connection_bytes: maybe(some), last_p50_ms: some, last_p99_ms: some });
    const flows = rows({ name: text, orders: some, engines: rows({ name: text, ns: spread }) });

    const costs = rows({ name: text, before_per_s: spread, without_per_s: spread, with_per_s: spread });
    const returning = rows({ notices: whole, ring_ms: spread, log_ms: spread });
    const naive = rows({ name: text, asked: whole, twice: counted, lost: counted });

    const passed = rows({ name: text, mean_ns: some, slowest_ns: some });
    const loads = rows({ name: text, offered_per_s: some, stages: passed, whole: { mean_ns: some, p99_ns: some }, means_ns: some, p99s_ns: some });

    const frames = rows({ bytes: whole, sync_p50_ns: size, sync_p99_ns: size, append_p50_ns: size, append_p99_ns: size });

    // A chart by its name: its record, what it needs of it, and who draws it.
    const CHARTS = {
        throughput: ['ladder', ladder, drawers.throughput],
        stages: ['ladder', ladder, drawers.stages],
        gain: ['ladder', ladder, drawers.gain],
        latency: ['ladder', ladder, drawers.latency],
        sweep: ['sweep', sweep, drawers.sweep],
        scale: ['scale', scale, drawers.scale],
        'feed-event': ['feed', feed, drawers.feedEvent],
        'feed-last': ['feed', feed, drawers.feedLast],
        recover: ['recover', recover, drawers.recover],
        'recover-pauses': ['recover', recover, drawers.pauses],
        'venue-throughput': ['venue', { ...origin, http, stream: value => streams(value) && value.some(({ name }) => name === 'echo') }, drawers.venueThroughput],
        'venue-late': ['venue', { ...origin, late, late_high: maybe(rows(answered, 0)) }, drawers.venueLate],
        'venue-engines': ['venue', { ...origin, engines: rows({ name: text, orders_per_s: spread }) }, drawers.venueEngines],
        'any-price': ['any-price', { ...origin, flows }, drawers.anyPrice],
        'once-costs': ['once', { ...origin, costs }, drawers.onceCosts],
        'once-returning': ['once', { ...origin, returning }, drawers.onceReturning],
        'once-naive': ['once', { ...origin, naive }, drawers.onceNaive],
        'path-stages': ['path', { ...origin, loads }, drawers.pathStages],
        'path-sums': ['path', { ...origin, loads }, drawers.pathSums],
        replicas: ['replicas', { ...origin, sizes: frames }, drawers.replicas],
        'venue-connections': ['venue', { ...origin, connections: { cases: watched } }, drawers.venueConnections],
    };

    // What is given, and what every chart makes of it.
    function kitOf(given) {
        const { words, chapters, unknown } = given;
        const units = inUnits(given.units);
        // A chapter's number and title; one that the book does not have is called as its folder is.
        const named = chapter => {
            const [number, ...slug] = chapter.split('-');
            return [number, Object.hasOwn(chapters, chapter) ? chapters[chapter] : slug.join(' ')];
        };
        const summary = ({ cpu, cores, memory_bytes: memory, filesystem, disk, os, arch }) => {
            const parts = [cpu, `${cores} core${cores === 1 ? '' : 's'}`];
            if (typeof memory === 'number') parts.push(`${fixed(memory / 2 ** 30, 0)} GiB`);
            if (filesystem !== unknown) parts.push(disk === unknown ? filesystem : `${filesystem} on ${disk}`);
            return [...parts, `${os} ${arch}`].join(', ');
        };
        const sourced = ({ commit, machine }, ...told) => [`${words.commit} ${commit}`, ...told, summary(machine)].join(' | ');
        const source = record => {
            const { input, name, seed } = record.flow;
            const seeded = typeof seed === 'number' ? `${words.comma}${words.seed} ${seed}` : '';
            return sourced(record, `${words.flow} ${input ?? name}${seeded}`);
        };
        return {
            ...given,
            ...units,
            text: measured(given.font),
            named,
            titled: (title, chapter) => `${title}${words.colon}${named(chapter).join(' ')}`,
            describe: (title, told) => `${title}${words.colon}${told.join(words.list[0])}${words.list[1]}`,
            source,
            sourcePlain: record => sourced(record),
            sourceOffered: record => sourced(record, `${words.offered} ${units.rate(record.offered_per_s)}`),
        };
    }

    // One for all charts of what is given: the widths of a thousand characters are sorted once.
    const kits = new WeakMap();
    function kitFor(given) {
        if (!kits.has(given)) kits.set(given, kitOf(given));
        return kits.get(given);
    }

    // A chart's scene out of the records there are, by kind; nothing where they do not have what it needs.
    function draw(name, records, given) {
        if (!Object.hasOwn(CHARTS, name)) return undefined;
        const [kind, needs, drawer] = CHARTS[name];
        const record = Object.hasOwn(records, kind) ? records[kind] : undefined;
        return record === undefined || unlike(record, needs, '') ? undefined : drawer(kitFor(given), record);
    }

    Object.assign(drawers, { NAMES: Object.keys(CHARTS), draw });
})(globalThis);
