// Throughput by batch size and by shards, with the Universal Scalability Law: a second reading of `sweep.rs`, `scale.rs` and
// `usl.rs` in `perf/results`.
(function points(scope) {
    'use strict';

    const { scene, logAround, linearAxis, figures: { fixed, grouped } } = scope.book.charts;

    // The box that a label fills; viewers' fonts may run wider.
    function boundsOf({ text }, { x, baseline, text: words, size, anchor }) {
        const width = text.width(words, size) * 1.15;
        const left = { start: x, middle: x - width / 2, end: x - width }[anchor];
        return [left, baseline - 0.85 * size, left + width, baseline + 0.2 * size];
    }
    const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

    // Writes a dot's name on the first side where it hides nothing; leaves it out where there is none.
    function placeLabel(kit, drawn, name, [x, y], taken) {
        const { layout: { width, margin, sweep: { bottom } } } = kit;
        const sides = [
            [x - 10, y - 6, 'end'],
            [x + 10, y + 15, 'start'],
            [x + 11, y + 4.5, 'start'],
            [x, y - 11, 'middle'],
            [x, y + 21, 'middle'],
            [x - 11, y + 4.5, 'end'],
        ];
        for (const [at, baseline, anchor] of sides) {
            const label = { x: at, baseline, text: name, size: 13, anchor, paint: 'ink' };
            const bounds = boundsOf(kit, label);
            const inside = bounds[0] > margin + 72 && bounds[2] < width - margin && bounds[3] < bottom;
            if (inside && !taken.some(other => overlap(other, bounds))) {
                taken.push(bounds);
                drawn.label(label);
                return;
            }
        }
    }

    function sweep(kit, record) {
        const { words, colours, count, duration, rate, layout: { width, margin, sweep: { top, bottom, height } } } = kit;
        const title = kit.titled(words.sweep_title, record.chapter);
        const drawn = scene(kit, height, title, words.sweep_subtitle, kit.source(record));
        const [left, right] = [margin + 72, width - margin - 24];
        const across = logAround(record.sizes.map(size => size.p99_ns.median), left, right);
        const up = logAround(record.sizes.map(size => size.orders_per_s.median), bottom, top);
        for (const tick of up.ticks()) {
            drawn.line([[left, up.at(tick)], [right, up.at(tick)]], 1, 'grid');
            drawn.text([left - 8, up.at(tick) + 4], count(tick), 12, 'end', 'muted');
        }
        for (const tick of across.ticks()) {
            drawn.line([[across.at(tick), top], [across.at(tick), bottom]], 1, 'grid');
            drawn.text([across.at(tick), bottom + 20], duration(tick), 12, 'middle', 'muted');
        }
        drawn.text([right, bottom + 42], words.sweep_latency_axis, 12, 'end', 'muted');
        drawn.text([margin, top - 16], words.per_second, 12, 'start', 'muted');
        const dots = record.sizes.map(size => [across.at(size.p99_ns.median), up.at(size.orders_per_s.median)]);
        drawn.line(dots, 2, colours.noise);
        for (const [x, y] of dots) drawn.dot(x, y, 5, colours.measured);
        const taken = dots.map(([x, y]) => [x - 5, y - 5, x + 5, y + 5]);
        const told = record.sizes.map((size, place) => {
            const batch = grouped(size.batch);
            placeLabel(kit, drawn, place === 0 ? `${words.batch} ${batch}` : batch, dots[place], taken);
            return `${words.batch} ${batch}: ${rate(size.orders_per_s.median)}, ${duration(size.p99_ns.median)}`;
        });
        drawn.description = kit.describe(title, told);
        return drawn;
    }

    // The smallest number that keeps all its digits.
    const LEAST = 2 ** -1022;

    // Gauss's elimination with the largest pivot; the right side stands last in each line.
    function solve(matrix, size) {
        for (let column = 0; column < size; column += 1) {
            let pivot = column;
            for (let line = column; line < size; line += 1) {
                if (Math.abs(matrix[line][column]) >= Math.abs(matrix[pivot][column])) pivot = line;
            }
            [matrix[column], matrix[pivot]] = [matrix[pivot], matrix[column]];
            const line = [...matrix[column]];
            if (!(Math.abs(line[column]) >= LEAST)) return undefined;
            for (const [place, other] of matrix.entries()) {
                if (place === column) continue;
                const factor = other[column] / line[column];
                for (let at = 0; at < other.length; at += 1) other[at] -= factor * line[at];
            }
        }
        return matrix.map((line, place) => line[size] / line[place]);
    }

    // N/X is linear in 1/λ, α/λ and β/λ; the terms that are left out are 0.
    function solveTerms(measured, terms) {
        const rows = measured.map(([n, x]) => [1, n - 1, n * (n - 1)].map(term => term * x / n));
        const sum = of => rows.reduce((all, row) => all + of(row), 0);
        const matrix = terms.map(i => [...terms.map(j => sum(row => row[i] * row[j])), sum(row => row[i])]);
        const solution = solve(matrix, terms.length);
        if (!solution) return undefined;
        const factors = [0, 0, 0];
        for (const [at, term] of terms.entries()) factors[term] = solution[at];
        const [inverse, contention, coherency] = factors;
        if (!(inverse > 0 && contention >= 0 && coherency >= 0)) return undefined;
        const [lambda, alpha, beta] = [1 / inverse, contention / inverse, coherency / inverse];
        const throughput = n => lambda * n / (1 + alpha * (n - 1) + beta * n * (n - 1));
        const error = measured.reduce((all, [n, x]) => all + (throughput(n) / x - 1) ** 2, 0);
        return { lambda, alpha, beta, throughput, error };
    }

    // The law that fits `[workers, throughput]` best; none with fewer than three numbers of workers.
    function fitLaw(measured) {
        if (new Set(measured.map(([n]) => n)).size < 3) return undefined;
        const fits = [[0, 1, 2], [0, 1], [0, 2], [0]].map(terms => solveTerms(measured, terms)).filter(Boolean);
        return fits.reduce((best, fit) => best && best.error <= fit.error ? best : fit, undefined);
    }

    function scale(kit, record) {
        const { words, colours, count, rate, layout: { width, margin, scale: { legend, top, bottom, height } } } = kit;
        const title = kit.titled(words.scale_title, record.chapter);
        const drawn = scene(kit, height, title, words.scale_subtitle, kit.source(record));
        const medians = record.shards.map(({ shards, orders_per_s: { median } }) => [shards, median]);
        const fit = fitLaw(medians);
        const percent = share => `${fixed(share * 100, 2)} %`;
        const law = fit && `${words.fitted}${words.colon}${words.contention} ${percent(fit.alpha)}${words.comma}${words.coherency} ${percent(fit.beta)}`;
        drawn.legend(margin, legend, [
            [colours.measured, words.measured],
            ...(law ? [[colours.fitted, law]] : []),
            [colours.noise, words.ideal],
        ]);
        const most = Math.max(1, ...medians.map(([shards]) => shards));
        const [left, right] = [margin + 72, width - margin - 44];
        const across = shards => left + shards / (most + 0.5) * (right - left);
        const up = linearAxis(Math.max(...record.shards.map(one => one.orders_per_s.max)) * 1.08, bottom, top);
        for (const tick of up.ticks()) {
            drawn.line([[left, up.at(tick)], [right, up.at(tick)]], 1, 'grid');
            drawn.text([left - 8, up.at(tick) + 4], count(tick), 12, 'end', 'muted');
        }
        for (const [shards] of medians) drawn.text([across(shards), bottom + 20], String(shards), 12, 'middle', 'muted');
        drawn.text([right, bottom + 42], words.shards_axis, 12, 'end', 'muted');
        drawn.text([margin, top - 16], words.per_second, 12, 'start', 'muted');
        // Perfect scaling leaves the picture at the top.
        const alone = fit ? fit.lambda : medians[0][1] / medians[0][0];
        const end = Math.min(most, up.high / alone);
        drawn.dashes([across(0), up.at(0)], [across(end), up.at(end * alone)], 1.5, colours.noise);
        if (fit) {
            const curve = Array.from({ length: 121 }, (_, step) => most * step / 120);
            drawn.line(curve.map(n => [across(n), up.at(fit.throughput(n))]), 2, colours.fitted);
        }
        const told = record.shards.map(({ shards, orders_per_s: { median, min, max } }) => {
            const x = across(shards);
            drawn.line([[x, up.at(min)], [x, up.at(max)]], 1.5, colours.measured);
            drawn.dot(x, up.at(median), 5, colours.measured);
            drawn.text([x + 8, up.at(min) + 18], count(median), 13, 'start', 'ink');
            return `${shards}: ${rate(median)}`;
        });
        drawn.description = kit.describe(title, law ? [...told, law] : told);
        return drawn;
    }

    Object.assign(scope.book.charts, { sweep, scale });
})(globalThis);
