// The price of YES over time, from the known trades: a stepped line on a canvas, because the last price holds until the
// next trade. The line is broken where trades were missed. The account's own trades are dots. A sentence says the same
// for users who can't see the chart. An account that knows older prices hands them in, with a control to choose the time.

import { attribute, make, mark, put } from './dom.js';
import { count, moment, clock } from './format.js';
import { inYesCents } from './estimate.js';
import { say } from './words.js';

const EDGE = { top: 10, right: 44, bottom: 24, left: 8 };

export function chart(page) {
    const canvas = make('canvas', { role: 'img' });
    const readout = make('p', { class: 'soft readout', 'aria-hidden': 'true' });
    const none = make('p', { class: 'soft none' });
    const box = make('div', { class: 'canvas' }, canvas, none);
    const past = page.account.past?.(page);
    const element = make('section', { class: 'card chart' },
        make('div', { class: 'row' }, make('h2', {}, say('chart')), past?.element ?? '', readout), box);
    let drawn = '';
    let pointed = null; // where the pointer is, from the left edge
    new ResizeObserver(() => page.touch()).observe(box);
    canvas.addEventListener('pointermove', event => { pointed = event.offsetX; page.touch(); });
    canvas.addEventListener('pointerleave', () => { pointed = null; page.touch(); });

    return {
        element,
        draw(market) {
            const trades = past?.trades(market) ?? market.trades;
            const [width, height, scale] = [box.clientWidth, box.clientHeight, devicePixelRatio || 1];
            mark(element, 'stale', !page.markets.freshness(market).isFresh);
            const own = page.account.fills.filter(fill => fill.market === market.id);
            const now = Math.max(Date.now(), trades.at(-1)?.time_ms ?? 0);
            // The line grows to the right with time even without trades; once in five seconds is enough for that.
            const size = [width, height, scale];
            const key = [market.id, trades.at(-1)?.id, trades.length, own.length, page.colours, ...size, pointed, Math.floor(now / 5000)].join();
            if (drawn === key || width === 0) return;
            drawn = key;
            put(none, trades.length === 0 ? say('chart-empty') : '');
            attribute(canvas, 'aria-label', summary(trades));
            canvas.width = Math.round(width * scale);
            canvas.height = Math.round(height * scale);
            const context = canvas.getContext('2d');
            context.scale(scale, scale);
            if (trades.length === 0) return put(readout, '');
            const until = market.status === 'open' ? now : trades.at(-1).time_ms;
            const near = paint(context, { trades, own, width, height, pointed, now: until });
            put(readout, near ? say('chart-point', { price: near.price, quantity: count(near.quantity), time: clock(near.time_ms) }) : '');
        },
    };
}

function summary(trades) {
    if (trades.length === 0) return `${say('chart')}: ${say('chart-empty')}`;
    const prices = trades.map(trade => trade.price);
    const values = {
        trades: count(trades.length), from: moment(trades[0].time_ms), to: moment(trades.at(-1).time_ms),
        first: prices[0], last: prices.at(-1), low: Math.min(...prices), high: Math.max(...prices),
    };
    return `${say('chart')}: ${say('chart-says', values)}`;
}

// Draws everything and returns the trade under the pointer.
function paint(context, { trades, own, width, height, pointed, now }) {
    const style = getComputedStyle(context.canvas);
    const colour = name => style.getPropertyValue(name).trim();
    const prices = trades.map(trade => trade.price);
    // At least twenty cents high, in steps of ten, within 0 and 100.
    let low = Math.max(0, Math.floor((Math.min(...prices) - 2) / 10) * 10);
    let high = Math.min(100, Math.ceil((Math.max(...prices) + 2) / 10) * 10);
    if (high - low < 20) [low, high] = low === 0 ? [0, 20] : high === 100 ? [80, 100] : [low - 10, high];
    const first = trades[0].time_ms;
    const span = Math.max(now - first, 1000);
    const end = first + span;
    const x = timeMs => EDGE.left + (timeMs - first) / span * (width - EDGE.left - EDGE.right);
    const y = price => EDGE.top + (high - price) / (high - low) * (height - EDGE.top - EDGE.bottom);
    context.clearRect(0, 0, width, height);
    context.font = `12px ${style.fontFamily}`;
    context.lineWidth = 1;
    grid(context, { low, high, x, y, first, end, width, height, line: colour('--rule'), text: colour('--soft') });
    line(context, { trades, x, y, end, colour: colour('--yes'), fill: colour('--yes-fill'), floor: y(low) });
    for (const fill of own) {
        if (fill.time_ms < first || fill.time_ms === null) continue;
        dot(context, x(fill.time_ms), y(inYesCents(fill.intent, fill.price)), 4, colour('--card'), colour('--fg'));
    }
    if (pointed === null) return null;
    const near = trades.reduce((one, other) => Math.abs(x(other.time_ms) - pointed) < Math.abs(x(one.time_ms) - pointed) ? other : one);
    dot(context, x(near.time_ms), y(near.price), 5, colour('--yes'), colour('--card'));
    return near;
}

function grid(context, { low, high, x, y, first, end, width, height, line, text }) {
    context.strokeStyle = line;
    context.fillStyle = text;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    const step = high - low > 40 ? 20 : 10;
    for (let price = Math.ceil(low / step) * step; price <= high; price += step) {
        context.beginPath();
        context.moveTo(EDGE.left, Math.round(y(price)) + 0.5);
        context.lineTo(width - EDGE.right, Math.round(y(price)) + 0.5);
        context.stroke();
        context.fillText(`${price}¢`, width - EDGE.right + 8, y(price));
    }
    context.textBaseline = 'bottom';
    const written = end - first < 600_000 ? clock : moment;
    for (const [timeMs, align] of [[first, 'left'], [(first + end) / 2, 'center'], [end, 'right']]) {
        context.textAlign = align;
        context.fillText(written(timeMs), x(timeMs), height - 2);
    }
}

// The steps, broken where trades are missing, and the area below them a little darker.
function line(context, { trades, x, y, end, colour, fill, floor }) {
    const pieces = [];
    for (const trade of trades) {
        if (pieces.length === 0 || trade.gap) pieces.push([]);
        pieces.at(-1).push(trade);
    }
    pieces.forEach((piece, number) => {
        const to = number === pieces.length - 1 ? end : piece.at(-1).time_ms;
        const path = () => {
            context.beginPath();
            context.moveTo(x(piece[0].time_ms), y(piece[0].price));
            let { price } = piece[0];
            for (const trade of piece) {
                context.lineTo(x(trade.time_ms), y(price));
                context.lineTo(x(trade.time_ms), y(trade.price));
                price = trade.price;
            }
            context.lineTo(x(to), y(price));
        };
        path();
        context.lineTo(x(to), floor);
        context.lineTo(x(piece[0].time_ms), floor);
        context.fillStyle = fill;
        context.fill();
        path();
        context.strokeStyle = colour;
        context.lineWidth = 1.5;
        context.lineJoin = 'round';
        context.stroke();
    });
}

function dot(context, x, y, radius, fill, stroke) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = fill;
    context.fill();
    context.strokeStyle = stroke;
    context.lineWidth = 1.5;
    context.stroke();
}
