// The ticket: intent, price, quantity. It shows what the order would cost, lock and may pay, and what remains of the
// free cash. The server decides: a warning never prevents sending. The result appears below.

import { attribute, make, mark, put, show } from './dom.js';
import { priceNow, shareOf, TIMES } from './estimate.js';
import { costs, LINES } from './costs.js';
import { field, intentChoice, whole } from './fields.js';
import { count } from './format.js';
import { language, say, shareWord } from './words.js';
import { newcomer } from './newcomer.js';
import { tellEntry } from './orders.js';

const QUANTITY_MAX = 2 ** 32 - 1;

export function ticket(page, dialog) {
    const parts = {
        choices: intentChoice(page),
        price: field(page, 'price', { most: 99, steps: [-1, 1] }),
        quantity: field(page, 'quantity', { most: QUANTITY_MAX, steps: [-10, 10] }),
        lines: Object.fromEntries(LINES.map(name => [name, { dt: make('dt', {}), dd: make('dd', {}) }])),
        warning: make('p', { class: 'warning', id: 'ticket-warning' }),
        submit: make('button', { type: 'submit', class: 'primary', 'aria-describedby': 'ticket-warning' }),
        answer: make('p', { class: 'answer', role: 'status' }),
        visitor: newcomer(page, make('button', { type: 'button', class: 'quiet', click: () => dialog.open() }, say('have-key'))),
        over: make('p', { class: 'soft' }, say('market-over')),
        isSending: false,
    };
    parts.form = form(page, parts);
    const element = make('section', { class: 'card ticket' }, make('h2', {}, say('ticket')), parts.over, parts.visitor.element, parts.form);
    return {
        element,
        draw(market) {
            const isOpen = market.status === 'open';
            show(parts.over, !isOpen);
            show(parts.form, isOpen);
            parts.visitor.draw(isOpen && !page.account.isOpen);
            suggestPrice(page, market, parts.price.input);
            parts.choices.draw(market);
            parts.price.draw(say('price-field', { share: shareWord(shareOf(page.draft.intent)) }));
            parts.quantity.draw(say('quantity-field'));
            const asked = order(page.draft);
            drawCosts(parts, asked.isWhole ? costs(page, market, asked) : { lines: {}, warnings: [say('bad-number')] });
            drawSubmit(page, parts, asked);
            drawAnswer(page, parts, market);
        },
    };
}

function form(page, parts) {
    const { draft } = page;
    const time = make('select', { id: 'ticket-time', change: () => { draft.time = time.value; page.touch(); } },
        TIMES.map(value => make('option', { value, selected: draft.time === value }, say(value))));
    const lines = Object.entries(parts.lines).map(([name, { dt, dd }]) => make('div', { 'data-line': name }, dt, dd));
    return make('form', { novalidate: true, submit: event => { event.preventDefault(); send(page, parts); } },
        parts.choices.element, make('div', { class: 'fields' }, parts.price.element, parts.quantity.element),
        make('div', { class: 'field' }, make('label', { for: 'ticket-time' }, say('time-field')), time),
        make('dl', { class: 'lines' }, lines), parts.warning, parts.submit, parts.answer);
}

// The typed values as numbers; null if they are invalid.
function order(draft) {
    const [price, quantity] = [whole(draft.price, 99), whole(draft.quantity, QUANTITY_MAX)];
    return { intent: draft.intent, price, quantity, time: draft.time, isWhole: price !== null && quantity !== null };
}

async function send(page, parts) {
    const market = page.market();
    const { intent, price, quantity, time, isWhole } = order(page.draft);
    if (parts.isSending || !market || !page.account.isOpen) return;
    if (!isWhole) {
        page.answer = { market: market.id, text: 'bad-number' };
        (price === null ? parts.price : parts.quantity).input.focus();
        return page.touch();
    }
    parts.isSending = true;
    page.answer = null;
    page.touch();
    page.answer = { market: market.id, entry: await page.account.place({ market: market.id, intent, price, quantity, time_in_force: time }) };
    parts.isSending = false;
    page.touch();
}

// Unless the user has typed a price, it is the one at which this order would trade now.
function suggestPrice({ draft }, market, input) {
    if (draft.price !== '' || document.activeElement === input || !market.view.summary) return;
    const { best_bid: bid, best_ask: ask } = market.summary;
    draft.price = String(priceNow(draft.intent, bid, ask) ?? Math.min(99, Math.max(1, Math.round(market.chance.percent ?? 50))));
}

function drawCosts({ lines, warning }, told) {
    for (const [name, { dt, dd }] of Object.entries(lines)) {
        const line = told.lines[name];
        show(dt.parentElement, Boolean(line));
        put(dt, line ? line[0] : '');
        put(dd, line ? line[1] : '');
    }
    put(warning, told.warnings.join(language() === 'zh' ? '' : ' '));
    show(warning, told.warnings.length > 0);
}

function drawSubmit(page, { submit, isSending }, { intent, price, quantity, isWhole }) {
    const name = say(`${intent}-long`);
    put(submit, isWhole ? say('submit', { intent: name, quantity: count(quantity), price }) : name);
    attribute(submit, 'class', `primary ${shareOf(intent)}`);
    submit.disabled = !page.account.isOpen;
    attribute(submit, 'aria-busy', isSending);
}

function drawAnswer(page, { answer, isSending }, market) {
    const told = page.answer?.market === market.id ? page.answer : null;
    // A layer reports a request that it still has under way.
    const underWay = isSending && page.account.happened.find(entry => entry.isUnderWay && entry.market === market.id);
    put(answer, underWay ? tellEntry(underWay) : isSending ? say('sending') : !told ? '' : told.text ? say(told.text) : tellEntry(told.entry));
    mark(answer, 'refused', Boolean(told?.entry?.problem || told?.text));
    mark(answer, 'good', Boolean(told?.entry?.done));
}
