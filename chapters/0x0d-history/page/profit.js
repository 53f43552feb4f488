// What the account has won and lost, beside its orders: cash that came in, less cash that went out, plus what the shares that
// are left would bring at the last price. It is asked for while it is shown, so it is a few seconds old, and says as of when.

import { ask } from '/page/net.js';
import { make, put, show } from '/page/dom.js';
import { count, money } from '/page/format.js';
import { say } from '/page/words.js';

const OLD_MS = 3000;
const KEYS = ['paid', 'received', 'payout', 'value', 'profit', 'all'];

export function profitCard(page) {
    const lines = KEYS.map(key => [key, make('dd', {})]);
    const list = make('dl', { class: 'lines' }, lines.map(([key, dd]) => make('div', {}, make('dt', {}, say(`profit-${key}`)), dd)));
    const missing = make('p', { class: 'soft small' }, say('profit-missing'));
    const asOf = make('p', { class: 'soft small' });
    const element = make('section', { class: 'card profit' }, make('h2', {}, say('profit')), list, missing, asOf);
    let known = null; // what was answered, and for which key
    let asked = { key: null, ms: 0 };

    async function load(key) {
        asked = { key, ms: Date.now() };
        try {
            const answer = await profitOf(key);
            if (key === page.account.key) known = { key, ...answer };
        } catch (problem) {
            // It is asked for again, but not of a venue that keeps no history.
            if (problem.reason === 'no-history') asked.ms = Infinity;
            return;
        }
        page.touch();
    }

    return {
        element,
        draw({ id }) {
            const { key } = page.account;
            if (key && (key !== asked.key || Date.now() - asked.ms > OLD_MS)) load(key);
            const here = known?.key === key ? known.markets.find(({ market }) => market === id) : undefined;
            show(element, Boolean(key && here));
            if (!key || !here) return;
            const sums = { ...here, all: known.all };
            for (const [name, dd] of lines) put(dd, name === 'profit' || name === 'all' ? withSign(sums[name]) : money(sums[name]));
            show(missing, known.missing.length > 0);
            put(asOf, say('account-as-of', { sequence: known.through.map(count).join(' / ') }));
        },
    };
}

// All markets in which the account has traded, and the sum of them.
async function profitOf(key) {
    const all = { markets: [], all: 0 };
    let after = null;
    do {
        const answer = await ask('GET', `/v1/account/profit${after === null ? '' : `?after=${after}`}`, { key });
        all.markets.push(...answer.markets);
        all.all += answer.all.profit;
        Object.assign(all, { through: all.through ?? answer.through, missing: answer.missing });
        after = answer.next;
    } while (after !== null);
    return all;
}

const withSign = cents => `${cents > 0 ? '+' : ''}${money(cents)}`;
