// Answers how the page's script draws records, one question a line as JSON.
//   node draw.js path/to/theme script.js … < questions
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const [theme, ...scripts] = process.argv.slice(2);
const records = require(path.resolve(theme, 'records.js'));
globalThis.book = { records };
for (const script of scripts) require(path.resolve(theme, script));
const { charts } = globalThis.book;

// Every place in a record that is a value, as the keys that lead there; of a list its ends.
function* leaves(value, keys = []) {
    if (typeof value !== 'object' || value === null) {
        yield keys;
        return;
    }
    const all = Object.keys(value);
    for (const key of all.length > 2 && Array.isArray(value) ? [all[0], all.at(-1)] : all) yield* leaves(value[key], [...keys, key]);
}

// A scene whose pixels are no pixels.
function strayed({ height, shapes }) {
    const isNone = one => !Number.isFinite(one) || Math.abs(one) > 1e5;
    for (const { bounds, points, x, y, baseline } of [{ bounds: [height] }, ...shapes]) {
        const wrong = (bounds ?? points?.flat() ?? [x, y ?? baseline]).find(isNone);
        if (wrong !== undefined) return wrong;
    }
    return undefined;
}

const SPOILED = [undefined, null, 'text', '<b>', -1, 0, 1e-320, 1e308, 1e999, 0.5, {}, [], true, 'x'.repeat(1_000)];

// Spoils every place of a record in every way, or does one in so many of all that: what is taken all the same is drawn as a
// picture or not at all.
function spoil({ kind, text, given, oneIn }) {
    const told = { refused: 0, nothing: 0, drawn: 0 };
    let tried = 0;
    for (const keys of leaves(JSON.parse(text))) {
        for (const spoiled of SPOILED) {
            tried += 1;
            if (tried % oneIn !== 0) continue;
            const record = JSON.parse(text);
            const holder = keys.slice(0, -1).reduce((value, key) => value[key], record);
            holder[keys.at(-1)] = spoiled;
            const found = records.read(JSON.stringify(record));
            if (found.refused) {
                told.refused += 1;
                continue;
            }
            for (const name of charts.NAMES) {
                const scene = charts.draw(name, { [kind]: found.record }, given);
                told[scene ? 'drawn' : 'nothing'] += 1;
                const wrong = scene && strayed(scene);
                if (wrong !== undefined) throw new Error(`${name}: ${keys.join('.')} = ${String(spoiled).slice(0, 20)}: ${wrong}`);
                if (scene) charts.svg(given, scene);
            }
        }
    }
    return told;
}

const given = {};
const answer = {
    given: ({ language, value }) => { given[language] = value; return null; },
    names: () => charts.NAMES,
    // What is not drawn has no value, and so no place in the answer.
    draw: ({ records: all, language }) => Object.fromEntries(charts.NAMES.map(name => [name, charts.draw(name, all, given[language])])),
    svg: ({ name, records: all, language }) => charts.svg(given[language], charts.draw(name, all, given[language])),
    spoil: ({ language, ...asked }) => spoil({ ...asked, given: given[language] }),
};
const lines = fs.readFileSync(0, 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line));
process.stdout.write(lines.map(one => JSON.stringify(answer[one.ask](one))).join('\n') + '\n');
