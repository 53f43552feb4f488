// A chart as a list of shapes in its own pixels, its axes, and its SVG: a second reading of `charts/scene.rs`, `axis.rs`
// and `render.rs` in `perf/results`.
(function scenes(scope) {
    'use strict';

    const ten = power => Number(`1e${power}`);

    // The smallest and the largest of numbers above zero.
    const range = values => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, 0]);

    // From `low` at pixel `from` to `high` at pixel `to`.
    function logAxis(low, high, from, to) {
        const [first, last] = [Math.log10(low), Math.log10(high)];
        const at = value => {
            const share = (Math.log10(value) - first) / (last - first);
            return from + Math.min(Math.max(share, 0), 1) * (to - from);
        };
        // Powers of ten, at most eight; on a short axis also 2 and 5 of each.
        const ticks = () => {
            const [least, most] = [Math.ceil(first - 1e-9), Math.floor(last + 1e-9)];
            const step = Math.trunc((most - least) / 8) + 1;
            const found = [];
            for (let power = least; power <= most; power += step) {
                for (const factor of last - first < 2.5 ? [1, 2, 5] : [1]) found.push(factor * ten(power));
            }
            return found.filter(tick => Math.log10(tick) <= last + 1e-9);
        };
        return { at, ticks };
    }

    // From the power of ten under `values`, the lowest a fifth of a decade up at least, to a little above the highest.
    function logAround(values, from, to) {
        const [least, high] = range(values);
        const low = ten(Math.floor(Math.log10(least) - 0.2));
        return logAxis(low, Math.max(high * 1.25, low * 10), from, to);
    }

    // From zero at pixel `from` to a round figure at or above `highest` at pixel `to`.
    function linearAxis(highest, from, to) {
        const power = ten(Math.floor(Math.log10(highest)));
        const step = [0.1, 0.2, 0.25, 0.5, 1, 2].map(part => part * power).find(one => highest / one <= 6) ?? 2 * power;
        const high = Math.ceil(highest / step - 1e-9) * step;
        const at = value => from + value / high * (to - from);
        const ticks = () => Array.from({ length: Math.round(high / step) + 1 }, (_, place) => place * step);
        return { high, at, ticks };
    }

    // A chart with its title, a line that says what is drawn, and the line that says where the figures come from.
    function scene({ layout: { width, margin }, text: { width: widthOf, fit } }, height, title, subtitle, source) {
        const shapes = [];
        const drawn = { height, title, description: '', shapes };
        drawn.bar = (bounds, paint) => shapes.push({ is: 'bar', bounds, paint });
        drawn.line = (points, thick, paint) => shapes.push({ is: 'line', points, width: thick, paint });
        drawn.dot = (x, y, radius, paint) => shapes.push({ is: 'dot', x, y, radius, paint });
        drawn.label = label => shapes.push({ is: 'text', ...label });
        drawn.text = ([x, baseline], text, size, anchor, paint) => drawn.label({ x, baseline, text, size, anchor, paint });
        drawn.dashes = (from, to, thick, paint) => {
            const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
            const at = way => [0, 1].map(axis => from[axis] + Math.min(way / length, 1) * (to[axis] - from[axis]));
            for (let way = 0; way < length; way += 10) drawn.line([at(way), at(way + 6)], thick, paint);
        };
        // Coloured squares with their names, in as many lines as it takes.
        drawn.legend = (left, top, entries) => {
            let [x, y] = [left, top];
            for (const [paint, name] of entries) {
                const room = 18 + widthOf(name, 13) * 1.1 + 16;
                if (x > left && x + room > width - margin) [x, y] = [left, y + 22];
                drawn.bar([x, y, x + 12, y + 12], paint);
                drawn.text([x + 18, y + 11], name, 13, 'start', 'ink');
                x += room;
            }
        };
        const room = width - 2 * margin;
        drawn.text([margin, 38], title, 20, 'start', 'ink');
        drawn.text([margin, 60], fit(subtitle, 13, room), 13, 'start', 'muted');
        drawn.text([margin, height - 16], fit(source, 11, room), 11, 'start', 'muted');
        return drawn;
    }

    // The shapes as elements of an SVG, texts last and over the rest: `[tag, attributes, text]`. A role is a class, which
    // the page's theme colours; a colour of the palette is itself.
    function svg({ layout: { width } }, { height, shapes }) {
        const painted = (paint, how) => {
            if (paint.startsWith('#')) return { [how]: paint };
            return { class: how === 'stroke' ? `perf-${paint}-line` : `perf-${paint}` };
        };
        const element = shape => {
            switch (shape.is) {
                case 'bar': {
                    const [left, top, right, bottom] = shape.bounds.map(Math.round);
                    const box = { x: Math.min(left, right), y: Math.min(top, bottom), width: Math.abs(right - left), height: Math.abs(bottom - top) };
                    return ['rect', { ...box, ...painted(shape.paint, 'fill') }];
                }
                case 'line': {
                    const points = shape.points.map(point => point.map(Math.round).join(',')).join(' ');
                    return ['polyline', { fill: 'none', ...painted(shape.paint, 'stroke'), 'stroke-width': Math.max(Math.round(shape.width), 1), points }];
                }
                case 'dot':
                    return ['circle', { cx: Math.round(shape.x), cy: Math.round(shape.y), r: Math.round(shape.radius), ...painted(shape.paint, 'fill') }];
                default:
                    return ['text', { x: Math.round(shape.x), y: Math.round(shape.baseline), 'text-anchor': shape.anchor, 'font-size': shape.size, ...painted(shape.paint, 'fill') }, shape.text];
            }
        };
        const isText = shape => shape.is === 'text';
        const all = [...shapes.filter(shape => !isText(shape)), ...shapes.filter(isText)];
        return { viewBox: `0 0 ${width} ${Math.trunc(height)}`, elements: all.map(element) };
    }

    Object.assign((scope.book ??= {}).charts ??= {}, { range, logAxis, logAround, linearAxis, scene, svg });
})(globalThis);
