// The operator's page: where the time of requests goes now. It asks GET /v1/path once a second, with the operator's key, which
// is typed in and kept until the tab is closed.

import { keeper, make, put, redraw } from './dom.js';
import { ask } from './net.js';
import { WORDS } from './path_words.js';
import { addWords, refusal, say } from './words.js';

addWords(WORDS);

const KEY = 'nnc-operator-key';
const EVERY_MS = 1000;
const SHOWN = 5;
const tab = keeper(() => sessionStorage);
const told = make('p', { role: 'status', class: 'soft' });
const table = make('section', { class: 'card' });
const heat = make('section', { class: 'card' });
const slowest = make('section', { class: 'card' });

const us = ns => ns < 1e6 ? `${(ns / 1e3).toFixed(1)} µs` : `${(ns / 1e6).toFixed(1)} ms`;

function svg(name, attributes, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    element.append(...children);
    return element;
}

// Bars are drawn on one scale, so that they can be compared: the longest p99 of a stage is as wide as there is room.
function bar({ p50_ns: p50, p99_ns: p99 }, longest) {
    const width = ns => 100 * Math.min(ns / longest, 1);
    const rectangle = (kind, ns) => svg('rect', { class: kind, x: 0, y: 1, width: width(ns), height: 8 });
    return svg('svg', { viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, rectangle('p99', p99), rectangle('p50', p50));
}

function row(times, name, longest) {
    const cells = [times.mean_ns, times.p50_ns, times.p99_ns].map(ns => make('td', {}, us(ns)));
    return make('tr', {}, make('th', { scope: 'row' }, name), cells, make('td', { class: 'bar' }, bar(times, longest)));
}

function drawTable({ stages, whole, sync, notice }) {
    const longest = Math.max(...stages.map(stage => stage.p99_ns), 1);
    const head = ['path-stage', 'path-mean'].map(word => make('th', { scope: 'col' }, say(word)));
    const more = [['path-whole', whole], ['path-sync', sync], ['path-notice', notice]].filter(([, times]) => times.count > 0);
    table.replaceChildren(make('table', {},
        make('thead', {}, make('tr', {}, head, ['p50', 'p99'].map(word => make('th', { scope: 'col' }, word)), make('th', { scope: 'col', class: 'bar' }, say('path-bar')))),
        make('tbody', {}, stages.map(stage => row(stage, stage.name, longest)), more.map(([word, times]) => row(times, say(word), longest)))));
}

// A column for each second of the last minute, a row for each range of times, the longest on top; the more syncs, the stronger the colour.
function drawHeat({ heat: { up_to_ns: bounds, seconds } }) {
    const rows = bounds.length + 1;
    const most = Math.max(...seconds.flat());
    const all = seconds.flat().reduce((sum, count) => sum + count, 0);
    // One sync has to be seen beside a thousand.
    const shade = count => .15 + .85 * Math.log1p(count) / Math.log1p(most);
    const cells = seconds.flatMap((counts, second) => counts.map((count, row) => count === 0 ? [] : svg('rect', {
        class: 'cell', x: second, y: rows - 1 - row, width: 1, height: 1, 'fill-opacity': shade(count).toFixed(2),
    })).flat());
    const highest = seconds.reduce((top, counts) => Math.max(top, counts.findLastIndex(count => count > 0)), -1);
    const bound = row => row < bounds.length ? us(bounds[row]) : `> ${us(bounds[bounds.length - 1])}`;
    const label = say('path-heat-label', { count: all, highest: all === 0 ? '' : bound(highest) });
    const scale = make('div', { class: 'scale', 'aria-hidden': 'true' },
        Array.from({ length: rows }, (_, at) => make('span', {}, (rows - 1 - at) % 2 ? bound(rows - 1 - at) : '')));
    const drawing = svg('svg', { class: 'heat', viewBox: `0 0 ${seconds.length} ${rows}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, ...cells);
    heat.replaceChildren(make('h2', {}, say('path-heat')), make('div', { class: 'heat' }, scale, drawing,
        make('p', { class: 'soft when' }, make('span', {}, say('path-heat-from')), make('span', {}, say('path-heat-to')))),
        make('p', { class: 'soft' }, all === 0 ? say('path-heat-none') : say('path-heat-most', { most })));
}

// One bar a stage, each beginning where the one before ends.
function waterfall({ at_ns: at, sequence }, names) {
    const [start, whole] = [at[0], at[at.length - 1] - at[0]];
    const stages = names.map((name, place) => ({ name, from: at[place] - start, took: at[place + 1] - at[place] }));
    const most = stages.reduce((one, other) => other.took > one.took ? other : one);
    const rectangles = stages.map(({ from, took }, place) => svg('rect', {
        class: took === most.took ? 'longest' : 'stage', x: 100 * from / whole, y: place + .1, width: Math.max(100 * took / whole, .3), height: .8,
    }));
    const label = say('path-falls', { sequence, stages: stages.map(({ name, took }) => `${name} ${us(took)}`).join(', ') });
    return make('li', { class: 'stack' }, make('p', {}, say('path-one', { sequence, ms: (whole / 1e6).toFixed(1), stage: most.name })),
        svg('svg', { class: 'falls', viewBox: `0 0 100 ${stages.length}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, ...rectangles));
}

function drawSlowest({ stages, slowest: all }) {
    const names = stages.map(stage => stage.name);
    const shown = all.slice(0, SHOWN);
    redraw(slowest, JSON.stringify(shown), () => [make('h2', {}, say('path-slowest')),
        shown.length === 0 ? make('p', { class: 'soft' }, say('path-no-slow')) : make('ul', { class: 'stack' }, shown.map(one => waterfall(one, names)))]);
}

async function load() {
    try {
        const report = await ask('GET', '/v1/path', { key: tab.get(KEY) });
        put(told, say(report.whole.count === 0 ? 'path-none' : 'path-what'));
        drawTable(report);
        drawHeat(report);
        drawSlowest(report);
    } catch (problem) {
        put(told, refusal(problem));
    }
}

function keyCard() {
    const input = make('input', { id: 'path-key', type: 'password', autocomplete: 'off', spellcheck: 'false' });
    const use = event => {
        event.preventDefault();
        tab.set(KEY, input.value.trim());
        build();
    };
    return make('form', { class: 'card stack', submit: use }, make('div', { class: 'field' }, make('label', { for: 'path-key' }, say('path-key')), input),
        make('button', { type: 'submit', class: 'primary' }, say('path-use')));
}

function build() {
    document.title = `${say('path-title')} · ${say('title')}`;
    const shown = tab.get(KEY) === null ? [keyCard()] : [told, table, heat, slowest];
    document.body.replaceChildren(make('header', {}, make('a', { class: 'brand', href: '/' }, say('title'))),
        make('main', { class: 'operator path' }, make('h1', {}, say('path-title')), ...shown));
    if (tab.get(KEY) !== null) load();
}

build();
setInterval(() => { if (tab.get(KEY) !== null && !document.hidden) load(); }, EVERY_MS);
