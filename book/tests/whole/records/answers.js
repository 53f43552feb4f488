// Answers what the page's script makes of records, one question a line as JSON.
//   node answers.js path/to/records.js folder/of/records < questions
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { KINDS, read, figure } = require(path.resolve(process.argv[2]));

const folder = process.argv[3];
const texts = Object.fromEntries(KINDS.map(kind => [kind, fs.readFileSync(path.join(folder, `${kind}.json`), 'utf8')]));
const all = Object.fromEntries(KINDS.map(kind => [kind, read(texts[kind]).record]));
// No run of a reader writes it, but pages show its figures.
all['history-of-figures'] = JSON.parse(fs.readFileSync(path.join(folder, 'history-of-figures.json'), 'utf8'));

// Every place in a record that is a value, as the keys that lead there.
function* leaves(value, keys = []) {
    if (typeof value !== 'object' || value === null) yield keys;
    else for (const key of Object.keys(value)) yield* leaves(value[key], [...keys, key]);
}

const SPOILED = [undefined, null, 'text', '<b>', -1, 0, 1e-320, 1e308, {}, [], { __proto__: null, median: 'x' }];

// Spoils every place of a record, or one in so many, each in another way. A record that is taken all the same shows text
// or nothing.
function spoil(kind, words, oneIn) {
    const own = words.filter(one => one.includes(`${kind}:`));
    let taken = 0;
    let refused = 0;
    [...leaves(JSON.parse(texts[kind]))].forEach((keys, at) => {
        if (at % oneIn !== 0) return;
        const record = JSON.parse(texts[kind]);
        const holder = keys.slice(0, -1).reduce((value, key) => value[key], record);
        holder[keys.at(-1)] = SPOILED[at % SPOILED.length];
        const found = read(JSON.stringify(record));
        if (found.refused) {
            refused += 1;
            return;
        }
        taken += 1;
        for (const one of own) {
            const shown = figure({ ...all, [kind]: found.record }, one, at % 2 === 0);
            if (shown !== undefined && typeof shown !== 'string') throw new Error(`${keys}: ${one}: ${shown}`);
        }
    });
    return { taken: taken > 0, refused: refused > 0 };
}

const answer = {
    kinds: () => KINDS.map(kind => read(texts[kind]).kind),
    show: ({ words, zh }) => figure(all, words, zh) ?? null,
    number: ({ x, format, zh }) => figure({ r: { x } }, `r:x as ${format}`, zh) ?? null,
    read: ({ text }) => { const { record, ...told } = read(text); return told; },
    spoil: ({ kind, words, oneIn }) => spoil(kind, words, oneIn),
};
const lines = fs.readFileSync(0, 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line));
process.stdout.write(lines.map(one => JSON.stringify(answer[one.ask](one))).join('\n') + '\n');
