// Reads commands, one a line as JSON, and answers each with its events, its market's state and whether the laws
// hold. A line `null` begins a new stream.
//   node answers.js path/to/market.js < commands
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { Model } = require(path.resolve(process.argv[2]));

let model = new Model();
const answers = [];
for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
    const command = JSON.parse(line);
    if (command === null) {
        model = new Model();
        continue;
    }
    const events = model.apply(command);
    const market = model.markets.get(command.market);
    const laws = !market || market.laws().every(({ holds }) => holds);
    answers.push(JSON.stringify({ events, state: market ? market.state() : null, laws }));
}
process.stdout.write(answers.join('\n') + '\n');
