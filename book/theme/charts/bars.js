// Some thin bars under each of some names: a second reading of `bars.rs` and `any_price.rs` in `perf/results/src/charts`.
(function bars(scope) {
    'use strict';

    const { scene, logAround, valueAxis } = scope.book.charts;

    // How wide the column of names is; the bars start after it.
    function column({ text, layout: { margin } }, names) {
        return margin + Math.min(Math.max(60, ...names.map(name => text.width(name, 13) * 1.15)), 300) + 14;
    }

    // Some thin bars under each of `{ name, remark, ns }`, for each of `[name, colour]` as far as there is a time.
    function waits(kit, record, [title, subtitle], bars, groups) {
        const { duration, text, layout: { width, margin, bars: { legend, groups: top, thin } } } = kit;
        const most = Math.max(0, ...groups.map(({ ns }) => ns.length));
        const height = (thin + 3) * most + 28;
        const bottom = top + height * groups.length;
        const drawn = scene(kit, bottom + 60, title, subtitle, kit.sourcePlain(record));
        drawn.legend(margin, legend, bars.slice(0, most).map(([name, colour]) => [colour, name]));
        const left = column(kit, groups.flatMap(({ name, remark }) => [name, remark]));
        const axis = logAround(groups.flatMap(({ ns }) => ns.map(one => Math.max(one, 1))), left, width - margin - 76);
        valueAxis(kit, drawn, axis, [top, bottom], '', duration);
        const told = groups.flatMap(({ name, remark, ns }, place) => {
            const middle = top + height * (place + 0.5);
            drawn.text([margin, middle - 4], text.fit(name, 13, left - margin), 13, 'start', 'ink');
            drawn.text([margin, middle + 16], text.fit(remark, 11, left - margin), 11, 'start', 'muted');
            const first = middle - (thin + 3) * ns.length / 2;
            return ns.slice(0, bars.length).map((one, row) => {
                const [from, end] = [first + (thin + 3) * row, axis.at(Math.max(one, 1))];
                drawn.bar([left, from, end, from + thin], bars[row][1]);
                drawn.text([end + 8, from + thin - 2], duration(one), 11, 'start', 'ink');
                return `${name} (${remark}) ${bars[row][0]} ${duration(one)}`;
            });
        });
        drawn.description = kit.describe(title, told);
        return drawn;
    }

    // What a message costs, by flow and by book. A library is called as it calls itself.
    function anyPrice(kit, record) {
        const { words, colours, count } = kit;
        const named = { ladder: 0, tree: 1, vectors: 2 };
        const books = record.flows[0].engines.map(({ name }) => Object.hasOwn(named, name) ? words.any_price_books[named[name]] : name);
        const groups = record.flows.map(({ name, orders, engines }) => ({
            name,
            remark: `${count(orders)} ${words.any_price_orders}`,
            ns: engines.map(({ ns: { median } }) => median),
        }));
        const bars = books.slice(0, colours.books.length).map((name, place) => [name, colours.books[place]]);
        return waits(kit, record, [words.any_price_title, words.any_price_subtitle], bars, groups);
    }

    Object.assign(scope.book.charts, { column, waits, anyPrice });
})(globalThis);
