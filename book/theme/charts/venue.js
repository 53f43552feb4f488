// How far it is from a client to the disk: a second reading of `venue.rs` in `perf/results/src/charts`.
(function venue(scope) {
    'use strict';

    const { scene, logAround, valueAxis, column, waits, figures: { fixed } } = scope.book.charts;

    // A bar for each of `[name, spread, colour]`.
    function rates(kit, record, [title, subtitle], rows) {
        const { words, count, text, layout: { width, margin, venue: { top, row, bar } } } = kit;
        const bottom = top + row * rows.length;
        const drawn = scene(kit, bottom + 74, title, subtitle, kit.sourcePlain(record));
        const left = column(kit, rows.map(([name]) => name));
        const axis = logAround(rows.flatMap(([, { min, max }]) => [min, max]), left, width - margin - 64);
        valueAxis(kit, drawn, axis, [top, bottom], words.orders_per_s_axis, count);
        const told = rows.map(([name, { median, min, max }, colour], place) => {
            const middle = top + row * (place + 0.5);
            drawn.text([margin, middle + 5], text.fit(name, 13, left - margin), 13, 'start', 'ink');
            drawn.bar([left, middle - bar / 2, axis.at(median), middle + bar / 2], colour);
            drawn.line([[axis.at(min), middle], [axis.at(max), middle]], 1.5, 'ink');
            drawn.text([axis.at(max) + 10, middle + 5], count(median), 14, 'start', 'ink');
            return `${name} ${count(median)}`;
        });
        drawn.description = kit.describe(title, told);
        return drawn;
    }

    function venueThroughput(kit, record) {
        const { words, colours: { noise: bare, measured: ours } } = kit;
        const { http, stream } = record;
        const known = { echo: [3, bare], one: [4, ours], 'json-batch': [5, ours] };
        const ways = [
            [0, http.empty_per_s, bare],
            [1, http.orders_per_s, ours],
            [2, http.fresh_per_s, ours],
            ...stream.map(({ name, per_s: speed }) => {
                const [place, colour] = Object.hasOwn(known, name) ? known[name] : [6, ours];
                return [place, speed, colour];
            }),
        ];
        const rows = ways.map(([place, speed, colour]) => [words.venue_ways[place], speed, colour]);
        return rates(kit, record, [words.venue_title, words.venue_subtitle], rows);
    }

    function venueEngines(kit, record) {
        const { words, colours } = kit;
        const rows = record.engines.map(({ name, orders_per_s: speed }) => [name, speed, colours.measured]);
        return rates(kit, record, [words.venue_engines_title, words.venue_engines_subtitle], rows);
    }

    // The bars of a wait.
    function percentiles({ words, colours }) {
        return words.percentiles.map((name, place) => [name, colours.percentiles[place]]);
    }

    function venueLate(kit, record) {
        const { words, rate } = kit;
        const [http, stream] = words.venue_doors;
        const all = [...record.late, ...record.late_high ?? []];
        const groups = all.filter(({ load }) => !load?.is_void).map(late => ({
            name: late.name === 'bare' ? words.venue_bare : late.name === 'http' ? http : stream,
            remark: `${words.offered} ${rate(late.offered_per_s)}`,
            ns: [late.p50_ms, late.p99_ms, late.p999_ms].map(ms => 1e6 * ms),
        }));
        return waits(kit, record, [words.venue_late_title, words.venue_late_subtitle], percentiles(kit), groups);
    }

    function venueConnections(kit, record) {
        const { words, count } = kit;
        const groups = record.connections.cases.map(({ connections, connection_bytes: bytes, last_p50_ms: p50, last_p99_ms: p99 }) => ({
            name: `${count(connections)} ${words.venue_connections}`,
            remark: typeof bytes === 'number' ? `${fixed(bytes / 1024, 1)} KiB ${words.venue_each}` : words.venue_each_unseen,
            ns: [p50, p99].map(ms => 1e6 * ms),
        }));
        return waits(kit, record, [words.venue_connections_title, words.venue_connections_subtitle], percentiles(kit), groups);
    }

    Object.assign(scope.book.charts, { rates, venueThroughput, venueEngines, venueLate, venueConnections });
})(globalThis);
