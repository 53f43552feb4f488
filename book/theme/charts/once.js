// What exactly-once costs, how long a reader needs that was away, and what the naive ways do twice or lose: a second reading
// of `once.rs` in `perf/results/src/charts`.
(function once(scope) {
    'use strict';

    const { scene, logAxis, valueAxis, column, waits, rates } = scope.book.charts;

    // Orders a second: 0x0a, and 0x0b without numbers and with them.
    function onceCosts(kit, record) {
        const { words, colours: { noise, measured } } = kit;
        const rows = record.costs.flatMap(({ name, before_per_s: before, without_per_s: without, with_per_s: numbered }) => {
            const known = ['http', 'websocket'].indexOf(name);
            const way = words.once.ways[known < 0 ? 2 : known];
            const named = words.once.venues.map(venue => `${way}${words.comma}${venue}`);
            return [[named[0], before, noise], [named[1], without, measured], [named[2], numbered, measured]];
        });
        return rates(kit, record, [words.once.costs_title, words.once.costs_subtitle], rows);
    }

    // How long a reader needs that was away.
    function onceReturning(kit, record) {
        const { words, count, colours: { measured, fitted } } = kit;
        const groups = record.returning.map(({ notices, ring_ms: ring, log_ms: log }) => ({
            name: count(notices),
            remark: words.once.missed,
            ns: [ring, log].map(({ median }) => 1e6 * median),
        }));
        const bars = [[words.once.places[0], measured], [words.once.places[1], fitted]];
        return waits(kit, record, [words.once.returning_title, words.once.returning_subtitle], bars, groups);
    }

    const KNOWN = ['retry-without-number', 'ask-first', 'numbers', 'expiring-set', 'keys-in-sqlite', 'broker'];

    // How many of a million each way does twice or loses.
    function onceNaive(kit, record) {
        const { words, count, text, colours: { loss }, layout: { width, margin, venue: { top, row, bar }, once: { of, room } } } = kit;
        const bottom = top + row * record.naive.length;
        const drawn = scene(kit, bottom + 74, words.once.naive_title, words.once.naive_subtitle, kit.sourcePlain(record));
        const names = record.naive.map(({ name }) => KNOWN.includes(name) ? words.once.naive[KNOWN.indexOf(name)] : name);
        const left = column(kit, names);
        const axis = logAxis(1, of, left, width - margin - room);
        valueAxis(kit, drawn, axis, [top, bottom], words.once.naive_axis, count);
        const told = record.naive.map(({ asked, twice, lost }, place) => {
            const middle = top + row * (place + 0.5);
            drawn.text([margin, middle + 5], text.fit(names[place], 13, left - margin), 13, 'start', 'ink');
            const share = number => of * number / asked;
            const wrong = [[words.once.twice, twice], [words.once.lost, lost]].filter(([, number]) => number > 0);
            const [before, behind] = words.once.none;
            const label = wrong.map(([what, number]) => `${what}${words.colon}${count(share(number))}`).join(words.comma)
                || `${before}${count(asked)}${behind}`;
            const end = wrong.length ? axis.at(share(twice + lost)) : left;
            if (wrong.length) drawn.bar([left, middle - bar / 2, end, middle + bar / 2], loss);
            drawn.text([end + 10, middle + 5], label, 14, 'start', 'ink');
            return `${names[place]}${words.comma}${label}`;
        });
        drawn.description = kit.describe(words.once.naive_title, told);
        return drawn;
    }

    Object.assign(scope.book.charts, { onceCosts, onceReturning, onceNaive });
})(globalThis);
