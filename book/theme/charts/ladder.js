// The charts of a ladder: throughput, gain, stages, latency. A second reading of `throughput.rs`, `gain.rs`, `stages.rs` and
// `percentiles.rs` in `perf/results/src/charts`.
(function ladder(scope) {
    'use strict';

    const { scene, logAxis, logAround, range, figures: { fixed, plain, factor } } = scope.book.charts;

    // How wide the column of chapter names is; the bars start after it.
    function nameColumn({ text, layout: { margin } }, names) {
        const widths = names.map(([number, name]) => text.width(number, 13) + text.width(name, 13) * 1.15 + 12);
        return margin + Math.min(Math.max(60, ...widths), 260) + 14;
    }

    // A chapter's number and name, to the left of its bar.
    function rowName({ text, layout: { margin } }, drawn, [number, name], left, middle) {
        drawn.text([margin, middle + 5], number, 13, 'start', 'muted');
        const start = margin + text.width('0x00', 13) * 1.15 + 8;
        drawn.text([start, middle + 5], text.fit(name, 13, left - start), 13, 'start', 'ink');
    }

    // Vertical grid lines with their figures under them, and what they count.
    function valueAxis({ layout: { width, margin } }, drawn, axis, [top, bottom], title, label) {
        for (const tick of axis.ticks()) {
            const x = axis.at(tick);
            drawn.line([[x, top], [x, bottom]], 1, 'grid');
            drawn.text([x, bottom + 18], label(tick), 12, 'middle', 'muted');
        }
        drawn.text([width - margin, bottom + 36], title, 12, 'end', 'muted');
    }

    // A thin line from the slowest to the fastest round, where the two can be told apart.
    function whisker(drawn, [from, to], middle) {
        if (to - from < 2) return;
        drawn.line([[from, middle], [to, middle]], 1.5, 'ink');
        for (const x of [from, to]) drawn.line([[x, middle - 5], [x, middle + 5]], 1.5, 'ink');
    }

    function throughput(kit, record) {
        const { words, colours, count, rate, layout: { width, margin, throughput: { top, row, bar } } } = kit;
        const { chapters } = record;
        const bottom = top + row * chapters.length;
        const drawn = scene(kit, bottom + 74, words.throughput_title, words.throughput_subtitle, kit.source(record));
        const names = chapters.map(({ chapter }) => kit.named(chapter));
        const left = nameColumn(kit, names);
        const speeds = chapters.map(chapter => chapter.orders_per_s);
        const axis = logAround(speeds.flatMap(({ min, max }) => [min, max]), left, width - margin - 64);
        valueAxis(kit, drawn, axis, [top, bottom], words.orders_per_s_axis, count);
        const told = speeds.map(({ median, min, max }, place) => {
            const middle = top + row * (place + 0.5);
            rowName(kit, drawn, names[place], left, middle);
            drawn.bar([left, middle - bar / 2, axis.at(median), middle + bar / 2], colours.chapters[place] ?? colours.chapters.at(-1));
            whisker(drawn, [axis.at(min), axis.at(max)], middle);
            drawn.text([axis.at(Math.max(max, median)) + 10, middle + 5], count(median), 14, 'start', 'ink');
            return `${names[place].join(' ')} ${rate(median)}`;
        });
        drawn.description = kit.describe(words.throughput_title, told);
        return drawn;
    }

    // A gain or a loss only when all rounds of one are beyond all rounds of the other.
    function stepColour({ colours }, before, after) {
        if (after.min > before.max) return colours.gain;
        return after.max < before.min ? colours.loss : colours.noise;
    }

    // Breaks a name after as many words as fit; the rest is the second line.
    function twoLines(name, fits) {
        const breaks = [...[...name.matchAll(/ /g)].map(({ index }) => index), name.length];
        const end = breaks.findLast(one => fits(name.slice(0, one))) ?? name.length;
        return [name.slice(0, end), name.slice(end).trimStart()];
    }

    // Where the columns of the gains stand.
    function columns(kit, drawn, left, wide) {
        const { text, colours, layout: { gain: { bottom } } } = kit;
        const middle = place => left + wide * (place + 0.5);
        const edges = place => [middle(place) - Math.min(wide * 0.32, 32), middle(place) + Math.min(wide * 0.32, 32)];
        // A bar from one level to the next, its factor beyond its end, and a thin line back to the column before.
        const step = (place, [from, to], colour, label) => {
            const [start, end] = edges(place);
            if (colour !== colours.total) drawn.line([[edges(place - 1)[1], from], [start, from]], 1, colours.noise);
            const [high, low] = [Math.min(from, to), Math.max(from, to)];
            const spare = Math.max(3 - (low - high), 0) / 2;
            drawn.bar([start, high - spare, end, low + spare], colour);
            const baseline = to > from + 3 ? low + 17 : high - spare - 8;
            drawn.text([(start + end) / 2, baseline], label, 14, 'middle', 'ink');
        };
        const name = (place, number, title) => {
            drawn.text([middle(place), bottom + 20], number, 13, 'middle', 'muted');
            for (const [row, line] of twoLines(title, some => text.width(some, 12) * 1.15 <= wide).entries()) {
                drawn.text([middle(place), bottom + 37 + 15 * row], text.fit(line, 12, wide), 12, 'middle', 'ink');
            }
        };
        return { edges, step, name };
    }

    function gain(kit, record) {
        const { words, colours, count, layout: { width, margin, gain: { legend, top, bottom, height } } } = kit;
        const drawn = scene(kit, height, words.gain_title, words.gain_subtitle, kit.source(record));
        drawn.legend(margin, legend, ['gain', 'loss', 'noise', 'total'].map(of => [colours[of], words[of]]));
        const speeds = record.chapters.map(chapter => chapter.orders_per_s);
        const levels = speeds.map(({ median }) => median / speeds[0].median);
        const [low, high] = range(levels);
        const axis = logAxis(low * 0.6, Math.max(high, 10) * 1.2, bottom, top);
        const left = margin + 56;
        for (const tick of axis.ticks()) {
            const y = axis.at(tick);
            drawn.line([[left, y], [width - margin, y]], 1, 'grid');
            const label = tick < 1 ? `×${plain(tick)}` : factor(tick).replace('.00', '').replace('.0', '');
            drawn.text([left - 8, y + 4], label, 12, 'end', 'muted');
        }
        const { edges, step, name } = columns(kit, drawn, left, (width - margin - left) / (speeds.length + 1));
        // The first chapter has no step: a line at ×1 with its throughput.
        const [start, end] = edges(0);
        drawn.line([[start, axis.at(1)], [end, axis.at(1)]], 3, colours.chapters[0]);
        drawn.text([(start + end) / 2, axis.at(1) - 9], count(speeds[0].median), 13, 'middle', 'ink');
        const told = [];
        for (const [place, { chapter }] of record.chapters.entries()) {
            const [number, title] = kit.named(chapter);
            name(place, number, title);
            if (place === 0) continue;
            const [before, after] = [speeds[place - 1], speeds[place]];
            const gained = factor(after.median / before.median);
            step(place, [axis.at(levels[place - 1]), axis.at(levels[place])], stepColour(kit, before, after), gained);
            told.push(`${number} ${title} ${gained}`);
        }
        const total = factor(levels.at(-1));
        step(speeds.length, [axis.at(1), axis.at(levels.at(-1))], colours.total, total);
        name(speeds.length, words.total, '');
        drawn.description = kit.describe(words.gain_title, [...told, `${words.total} ${total}`]);
        return drawn;
    }

    // One bar of stages, with the share in each that has room for it.
    function stack({ text, colours }, drawn, shares, [left, right], middle, bar) {
        let start = left;
        for (const [place, share] of shares.entries()) {
            const end = start + share * (right - left);
            drawn.bar([start, middle - bar / 2, end, middle + bar / 2], colours.stages[place]);
            const label = `${fixed(share * 100, 0)} %`;
            if (text.width(label, 12) * 1.15 + 8 <= end - start) {
                drawn.text([(start + end) / 2, middle + 4.5], label, 12, 'middle', colours.on_stages[place]);
            }
            start = end;
        }
    }

    function stages(kit, record) {
        const { words, colours, duration, stages: known, layout: { width, margin, stages: { legend, row, bar } } } = kit;
        const top = legend + 32;
        const bottom = top + row * record.chapters.length;
        const drawn = scene(kit, bottom + 60, words.stages_title, words.stages_subtitle, kit.source(record));
        drawn.legend(margin, legend, known.map(({ name }, place) => [colours.stages[place], name]));
        const names = record.chapters.map(({ chapter }) => kit.named(chapter));
        const [left, right] = [nameColumn(kit, names), width - margin - 118];
        for (const share of [0, 1, 2, 3, 4]) {
            const x = left + (right - left) * share / 4;
            drawn.line([[x, top], [x, bottom]], 1, 'grid');
            drawn.text([x, bottom + 18], `${share * 25} %`, 12, 'middle', 'muted');
        }
        const told = [];
        for (const [place, { stages_ns: times }] of record.chapters.entries()) {
            const middle = top + row * (place + 0.5);
            rowName(kit, drawn, names[place], left, middle);
            const ns = times ? known.map(({ key }) => times[key]) : [];
            const total = ns.reduce((sum, one) => sum + one, 0);
            if (!(total > 0)) {
                drawn.text([left + 10, middle + 5], words.not_instrumented, 13, 'start', 'muted');
                continue;
            }
            stack(kit, drawn, ns.map(one => one / total), [left, right], middle, bar);
            const all = duration(total) + words.per_order;
            drawn.text([width - margin, middle + 5], all, 14, 'end', 'ink');
            const shares = known.map(({ name }, at) => `${name} ${fixed(100 * ns[at] / total, 0)} %`);
            told.push(`${names[place].join(' ')} ${all} (${shares.join(', ')})`);
        }
        drawn.description = kit.describe(words.stages_title, told);
        return drawn;
    }

    // Bars of percentiles, each with its figure; returns them in words.
    function percentileBars({ words, colours, duration, layout: { percentiles: { bar } } }, drawn, times, axis, [left, middle]) {
        return times.map((ns, place) => {
            const top = middle + (place - 2) * (bar + 3) + 1.5;
            const end = axis.at(ns);
            drawn.bar([left, top, end, top + bar], colours.percentiles[place]);
            drawn.text([end + 8, top + bar - 2], duration(ns), 11, 'start', 'ink');
            return `${words.percentiles[place]} ${duration(ns)}`;
        }).join(', ');
    }

    function latency(kit, record) {
        const { words, colours, duration, rate, layout: { width, margin, percentiles: { legend, top, group, empty } } } = kit;
        const times = record.chapters.map(({ latency_ns: ns }) => ns && [ns.p50, ns.p99, ns.p999, ns.max].map(one => Math.max(one, 1)));
        const heights = times.map(ns => ns ? group : empty);
        const bottom = top + heights.reduce((sum, one) => sum + one, 0);
        const drawn = scene(kit, bottom + 60, words.latency_title, words.latency_subtitle, kit.source(record));
        drawn.legend(margin, legend, words.percentiles.map((name, place) => [colours.percentiles[place], name]));
        const names = record.chapters.map(({ chapter }) => kit.named(chapter));
        const left = Math.max(nameColumn(kit, names), margin + 190);
        const axis = logAround([...times.flatMap(ns => ns ?? []), 1e5, 1e6], left, width - margin - 76);
        valueAxis(kit, drawn, axis, [top, bottom], '', duration);
        const told = [];
        let row = top;
        for (const [place, ns] of times.entries()) {
            const middle = row + heights[place] / 2;
            if (ns) {
                rowName(kit, drawn, names[place], left, middle - 9);
                const offered = `${words.offered} ${rate(record.chapters[place].latency_ns.offered_per_s)}`;
                drawn.text([margin, middle + 13], offered, 11, 'start', 'muted');
                told.push(`${names[place].join(' ')} (${offered}) ${percentileBars(kit, drawn, ns, axis, [left, middle])}`);
            } else {
                rowName(kit, drawn, names[place], left, middle);
                drawn.text([left + 10, middle + 5], words.not_measured, 13, 'start', 'muted');
            }
            row += heights[place];
        }
        drawn.description = kit.describe(words.latency_title, told);
        return drawn;
    }

    Object.assign(scope.book.charts, { valueAxis, percentileBars, throughput, gain, stages, latency });
})(globalThis);
