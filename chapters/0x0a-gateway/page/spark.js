// A small line of a market's last prices, without axes: it shows where the price went, and its text says it in numbers.

import { attribute } from './dom.js';
import { count } from './format.js';
import { say } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';
const TRADES = 100;
const [WIDTH, HEIGHT, EDGE] = [100, 24, 2];
// So that a price that moves by a cent does not look like one that moves by fifty.
const CENTS_MIN = 10;

export function spark() {
    const element = document.createElementNS(SVG, 'svg');
    const line = document.createElementNS(SVG, 'polyline');
    attribute(element, 'class', 'spark');
    attribute(element, 'role', 'img');
    attribute(element, 'viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
    attribute(element, 'preserveAspectRatio', 'none');
    element.append(line);
    return {
        element,
        draw(trades) {
            const prices = trades.slice(-TRADES).map(trade => trade.price);
            if (prices.length < 2) return;
            const [low, high] = [Math.min(...prices), Math.max(...prices)];
            attribute(line, 'points', points(prices, (low + high) / 2, Math.max(CENTS_MIN, high - low)));
            const values = { trades: count(prices.length), first: prices[0], last: prices.at(-1), low, high };
            attribute(element, 'aria-label', say('spark-says', values));
        },
    };
}

// Steps, as in the chart: a price holds until the next trade. All trades are equally wide.
function points(prices, middle, span) {
    const x = at => (WIDTH * at / prices.length).toFixed(1);
    const y = price => (HEIGHT / 2 - (price - middle) / span * (HEIGHT - 2 * EDGE)).toFixed(1);
    return prices.map((price, at) => `${x(at)},${y(price)} ${x(at + 1)},${y(price)}`).join(' ');
}
