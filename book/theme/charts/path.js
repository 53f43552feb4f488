// Where the time of an order goes, and which sums hold: a second reading of `path.rs` in `perf/results/src/charts`.
(function path(scope) {
    'use strict';

    const { waits } = scope.book.charts;
    const KNOWN = ['http', 'websocket'];

    function named({ words, rate }, { name, offered_per_s: offered }) {
        const [protocol] = name.split('-');
        const said = KNOWN.includes(protocol) ? words.path.protocols[KNOWN.indexOf(protocol)] : protocol;
        return `${said}${words.comma}${rate(offered)}`;
    }

    // The stages of the first load's orders: the mean over all of them, and over the slowest hundredth.
    function pathStages(kit, record) {
        const { words, colours: { measured, loss } } = kit;
        const [load] = record.loads;
        const groups = load.stages.map(({ name, mean_ns: mean, slowest_ns: slowest }) => ({
            name,
            remark: words.path.stages.find(([known]) => known === name)?.[1] ?? '',
            ns: [mean, slowest],
        }));
        const bars = [[words.path.orders[0], measured], [words.path.orders[1], loss]];
        const subtitle = `${named(kit, load)}${words.comma}${words.path.stages_subtitle}`;
        return waits(kit, record, [words.path.stages_title, subtitle], bars, groups);
    }

    // For each load the means and the 99th percentiles: the stages added up, and the whole.
    function pathSums(kit, record) {
        const { words, colours: { measured, fitted } } = kit;
        const [mean, p99] = words.path.figures;
        const groups = record.loads.flatMap(load => {
            const name = named(kit, load);
            return [{ name, remark: mean, ns: [load.means_ns, load.whole.mean_ns] }, { name, remark: p99, ns: [load.p99s_ns, load.whole.p99_ns] }];
        });
        const bars = [[words.path.sums[0], fitted], [words.path.sums[1], measured]];
        return waits(kit, record, [words.path.sums_title, words.path.sums_subtitle], bars, groups);
    }

    Object.assign(scope.book.charts, { pathStages, pathSums });
})(globalThis);
