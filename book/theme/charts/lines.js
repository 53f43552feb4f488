// Times over a number of readers, a log's length or a frame's size: a second reading of `curves.rs`, `feed.rs`, `recover.rs`,
// `pauses.rs` and `replicas.rs` in `perf/results/src/charts`.
(function lines(scope) {
    'use strict';

    const { scene, logAxis, logAround, valueAxis, percentileBars } = scope.book.charts;

    // Both axes of such a chart, with their ticks.
    function axes({ duration, count, layout: { width, margin } }, drawn, { places, times, top, bottom, title }) {
        const [left, right] = [margin + 78, width - margin - 90];
        const across = logAxis(Math.min(...places) / 1.6, Math.max(1, ...places) * 1.6, left, right);
        const up = logAround(times, bottom, top);
        for (const tick of up.ticks()) {
            drawn.line([[left, up.at(tick)], [right, up.at(tick)]], 1, 'grid');
            drawn.text([left - 8, up.at(tick) + 4], duration(tick), 12, 'end', 'muted');
        }
        for (const place of places) drawn.text([across.at(place), bottom + 20], count(place), 12, 'middle', 'muted');
        drawn.text([right, bottom + 42], title, 12, 'end', 'muted');
        return { across, up, left };
    }

    // The times where the lines end, to the right of them, with room between: `[place, time]` each.
    function endLabels({ duration }, drawn, ends, { across, up }) {
        let lowest = -Infinity;
        for (const [place, ns] of ends.toSorted((a, b) => b[1] - a[1])) {
            lowest = Math.max(up.at(ns) + 4, lowest + 17);
            drawn.text([across.at(place) + 12, lowest], duration(ns), 13, 'start', 'ink');
        }
    }

    // A short piece of each line with its name.
    function legendOf({ text, layout: { margin, curves: { legend } } }, drawn, curves) {
        let x = margin;
        for (const { colour, name, dashed } of curves) {
            const [from, to] = [[x, legend + 6], [x + 22, legend + 6]];
            if (dashed) drawn.dashes(from, to, 2, colour);
            else drawn.line([from, to], 2, colour);
            drawn.text([x + 28, legend + 11], name, 13, 'start', 'ink');
            x += 28 + text.width(name, 13) * 1.1 + 18;
        }
    }

    function curve(kit, drawn, { colour, name, dashed, points }, { across, up }) {
        const { words, count, duration } = kit;
        const at = point => [across.at(point.count), up.at(point.ns)];
        if (dashed) points.slice(1).forEach((point, before) => drawn.dashes(at(points[before]), at(point), 2, colour));
        else drawn.line(points.map(at), 2, colour);
        return points.map(point => {
            const [x, y] = at(point);
            if (point.isVoid) {
                drawn.line([[x - 5, y - 5], [x + 5, y + 5]], 2, colour);
                drawn.line([[x - 5, y + 5], [x + 5, y - 5]], 2, colour);
            } else if (!dashed) {
                drawn.line([[x, up.at(point.min)], [x, up.at(point.max)]], 1.5, colour);
                drawn.dot(x, y, 4.5, colour);
            }
            return `${name}${words.comma}${count(point.count)}${words.colon}${duration(point.ns)}`;
        });
    }

    // A line for each of the curves, over the counts that `along` names.
    function lined(kit, source, [title, subtitle], along, curves) {
        const { words, layout: { curves: { top, bottom, height } } } = kit;
        const drawn = scene(kit, height, title, subtitle, source);
        legendOf(kit, drawn, curves);
        const all = curves.flatMap(({ points }) => points);
        const times = all.flatMap(({ min, max }) => [min, max]);
        const both = axes(kit, drawn, { places: along.counts, times, top, bottom, title: along.title });
        if (all.some(({ isVoid }) => isVoid)) drawn.text([both.left, bottom + 42], words.void_points, 12, 'start', 'muted');
        const told = curves.flatMap(one => curve(kit, drawn, one, both));
        const ends = curves.map(({ points }) => points.at(-1)).filter(Boolean);
        endLabels(kit, drawn, ends.map(end => [end.count, end.ns]), both);
        drawn.description = kit.describe(title, told);
        return drawn;
    }

    const steady = (count, ns, isVoid) => ({ count, ns, min: ns, max: ns, isVoid });

    function feed(kit, record, titles, curves) {
        const along = { title: kit.words.feed.readers_axis, counts: record.cases.map(({ readers }) => readers) };
        return lined(kit, kit.sourceOffered(record), titles, along, curves);
    }

    const ways = ({ words: { feed: words }, colours }) => [[colours.measured, words.by_mask, 'mask'], [colours.loss, words.by_channels, 'channels']];

    function feedEvent(kit, record) {
        const { words, colours } = kit;
        const curves = ways(kit).map(([colour, name, way]) => {
            const cases = record.cases.filter(one => one[way].event_ns);
            const point = ({ readers, [way]: { event_ns: { median: ns, min, max } } }) => ({ count: readers, ns, min, max, isVoid: false });
            return { colour, name, dashed: false, points: cases.map(point) };
        });
        const bare = record.bare_event_ns;
        if (bare) {
            const points = record.cases.map(({ readers }) => steady(readers, bare.median, false));
            curves.push({ colour: colours.noise, name: words.feed.without_reader, dashed: true, points });
        }
        return feed(kit, record, [words.feed.event_title, words.feed.event_subtitle], curves);
    }

    function feedLast(kit, record) {
        const { words } = kit;
        const isVoid = way => record.rounds > 0 && (way.void ?? []).length >= record.rounds;
        const curves = ways(kit).flatMap(([colour, name, way]) => [[false, 'p99_ms', 1], [true, 'p50_ms', 0]].map(([dashed, key, place]) => {
            const points = record.cases.map(one => steady(one.readers, 1e6 * one[way].from_acknowledgement[key], isVoid(one[way])));
            return { colour, name: `${name}${words.comma}${words.percentiles[place]}`, dashed, points: points.filter(({ ns }) => ns > 0) };
        }));
        return feed(kit, record, [words.feed.last_title, words.feed.last_subtitle], curves);
    }

    // How long a frame takes, by its size.
    function replicas(kit, record) {
        const { words, colours, layout: { replicas: { kib } } } = kit;
        const deeds = [[colours.loss, words.replicas.append, 'append'], [colours.measured, words.replicas.sync, 'sync']];
        const curves = deeds.flatMap(([colour, name, deed]) => ['p50', 'p99'].map((percentile, place) => ({
            colour,
            name: `${name}${words.comma}${words.percentiles[place]}`,
            dashed: place === 1,
            points: record.sizes.map(size => steady(size.bytes / kib, size[`${deed}_${percentile}_ns`], false)),
        })));
        const along = { title: words.replicas.size_axis, counts: record.sizes.map(({ bytes }) => bytes / kib) };
        return lined(kit, kit.sourcePlain(record), [words.replicas.title, words.replicas.subtitle], along, curves);
    }

    function recover(kit, record) {
        const { words, colours, count, duration, layout: { margin, recover: { legend, top, bottom, height } } } = kit;
        const title = kit.titled(words.recover_title, record.chapter);
        const drawn = scene(kit, height, title, words.recover_subtitle, kit.source(record));
        const starting = [
            [colours.loss, words.replay_alone, 'replay'],
            [colours.measured, words.with_snapshot, 'snapshot'],
            [colours.noise, words.with_snapshot_cold, 'cold'],
        ];
        drawn.legend(margin, legend, starting);
        const places = record.starts.map(({ commands }) => commands);
        const of = (start, way) => start[way]?.start_ns;
        const times = record.starts.flatMap(start => starting.map(([, , way]) => of(start, way)).filter(Boolean));
        const both = axes(kit, drawn, { places, times: times.flatMap(({ min, max }) => [min, max]), top, bottom, title: words.commands_axis });
        const { across, up } = both;
        const told = starting.flatMap(([colour, name, way]) => {
            const starts = record.starts.filter(start => of(start, way));
            const at = start => [across.at(start.commands), up.at(of(start, way).median)];
            drawn.line(starts.map(at), 2, colour);
            return starts.map(start => {
                const [[x, y], { median, min, max }] = [at(start), of(start, way)];
                drawn.line([[x, up.at(min)], [x, up.at(max)]], 1.5, colour);
                drawn.dot(x, y, 4.5, colour);
                return `${name}${words.comma}${count(start.commands)}${words.colon}${duration(median)}`;
            });
        });
        const last = record.starts.at(-1);
        const ends = starting.map(([, , way]) => of(last, way)).filter(Boolean);
        endLabels(kit, drawn, ends.map(({ median }) => [last.commands, median]), both);
        drawn.description = kit.describe(title, told);
        return drawn;
    }

    function pauses(kit, record) {
        const { words, colours, duration, rate, layout: { width, margin, percentiles: { legend, top, group } } } = kit;
        const title = kit.titled(words.pauses_title, record.chapter);
        const bottom = top + group * record.pauses.length;
        const drawn = scene(kit, bottom + 60, title, words.latency_subtitle, kit.source(record));
        drawn.legend(margin, legend, words.percentiles.map((name, place) => [colours.percentiles[place], name]));
        const left = margin + 190;
        const times = record.pauses.map(way => [way.p50_ns, way.p99_ns, way.p999_ns, way.max_ns].map(({ median }) => median));
        const axis = logAround([...times.flat(), 1e5, 1e6], left, width - margin - 76);
        valueAxis(kit, drawn, axis, [top, bottom], '', duration);
        const offered = `${words.offered} ${rate(record.offer.rate)}`;
        const told = record.pauses.map((way, place) => {
            const middle = top + group * (place + 0.5);
            const name = way.name === 'stopped' ? words.world_stopped : way.name === 'shadow' ? words.with_shadow : words.no_snapshots;
            drawn.text([margin, middle - 4], name, 13, 'start', 'ink');
            drawn.text([margin, middle + 13], offered, 11, 'start', 'muted');
            return `${name} ${percentileBars(kit, drawn, times[place], axis, [left, middle])}`;
        });
        drawn.description = kit.describe(title, told);
        return drawn;
    }

    Object.assign(scope.book.charts, { feedEvent, feedLast, replicas, recover, pauses });
})(globalThis);
