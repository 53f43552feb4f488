// The ticket's controls: the choice of an intent, and a number with buttons for less and more.

import { attribute, make, put } from './dom.js';
import { INTENTS, priceNow, shareOf } from './estimate.js';
import { say } from './words.js';

// A whole number from 1 to `most`, or null.
export function whole(text, most) {
    const number = /^\s*\d{1,10}\s*$/.test(text) ? Number(text) : 0;
    return number >= 1 && number <= most ? number : null;
}

// The four intents, each with the price at which it would trade now.
export function intentChoice(page) {
    const now = {};
    const choose = intent => {
        Object.assign(page.draft, { intent, price: '' });
        page.answer = null;
        page.touch();
    };
    const radios = INTENTS.map(intent => {
        now[intent] = make('span', { class: 'soft' });
        const checked = page.draft.intent === intent;
        const input = make('input', { type: 'radio', name: 'intent', value: intent, checked, change: () => choose(intent) });
        return make('label', { class: `choice ${shareOf(intent)}` }, input, make('span', { class: 'what' }, say(`${intent}-long`)), now[intent]);
    });
    const element = make('fieldset', { class: 'choices' }, make('legend', { class: 'unseen' }, say('intent')), radios);
    return {
        element,
        draw(market) {
            const { best_bid: bid, best_ask: ask } = market.summary;
            const { isFresh } = page.markets.freshness(market);
            for (const intent of INTENTS) {
                const price = priceNow(intent, bid, ask);
                // A price from a stale book may be gone, so none is shown.
                put(now[intent], !isFresh ? '—' : price === null ? say('no-offer') : say('at-now', { price: `${price}¢` }));
            }
        },
    };
}

// A number of the draft. It is a text field with a numeric keyboard, so a mouse wheel does not change it.
export function field(page, name, { most, steps }) {
    const id = `ticket-${name}`;
    const label = make('label', { for: id });
    const input = make('input', {
        id, inputmode: 'numeric', autocomplete: 'off', maxlength: '10', 'aria-describedby': 'ticket-warning',
        input: () => { page.draft[name] = input.value; page.touch(); },
        keydown: event => {
            const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
            if (!by) return;
            event.preventDefault();
            step(by);
        },
    });
    const step = by => {
        const from = whole(page.draft[name], most) ?? 0;
        // Steps of ten go from 1 to 10, not to 11.
        const to = Math.abs(by) > 1 && from === 1 && by > 0 ? by : from + by;
        page.draft[name] = String(Math.min(most, Math.max(1, to)));
        page.touch();
    };
    const [less, more] = steps.map((by, at) => make('button', { type: 'button', 'aria-label': '', click: () => step(by) }, at === 0 ? '−' : '+'));
    return {
        input,
        element: make('div', { class: 'field' }, label, make('div', { class: 'stepper' }, less, input, more)),
        draw(words) {
            put(label, words);
            if (input.value !== page.draft[name]) input.value = page.draft[name];
            attribute(less, 'aria-label', `${say('less')}: ${words}`);
            attribute(more, 'aria-label', `${say('more')}: ${words}`);
            attribute(input, 'aria-invalid', whole(page.draft[name], most) === null);
        },
    };
}
