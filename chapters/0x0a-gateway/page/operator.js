// The operator's page: open a market, resolve it, move an account's cash. It is for the teacher of a class or anyone
// who runs the server; the key is typed in, and kept until the tab is closed. All requests go over HTTP, and the list
// is reloaded after each answer: actions here are rare, and their results have to be visible.

import { keeper, make, put, redraw, show } from './dom.js';
import { tenths } from './format.js';
import { ask, Problem } from './net.js';
import { language, refusal, say } from './words.js';

const KEY = 'nnc-operator-key';
const LIST_EVERY_MS = 3000;
const tab = keeper(() => sessionStorage);
let markets = [];
let isClass = false;
let sureOf = null; // the market and outcome that wait for the confirming press

const told = make('p', { role: 'status', class: 'answer' });
const list = make('ul', {});
const members = make('ul', {});
const anew = make('div', { class: 'stack' });
const classCard = make('section', { class: 'card', hidden: true });
const key = () => tab.get(KEY);

// Sends a request with the operator's key and shows the result.
async function order(method, path, body, done = () => say('done')) {
    try {
        put(told, done(await ask(method, path, { body, key: key() })));
        told.className = 'answer good';
    } catch (problem) {
        put(told, say('refused-other', { why: refusal(problem) }));
        told.className = 'answer refused';
    }
    await load();
}

// What was done, and what of it was not.
function tellPartly(text, { funded, problem }) {
    const not = [funded === false && say('not-funded'), problem && say('refused-other', { why: refusal(new Problem(problem)) })];
    return [text, ...not].filter(Boolean).join(language() === 'zh' ? '' : ' ');
}

async function load() {
    try {
        ({ markets, classroom: isClass } = await ask('GET', '/v1/markets'));
        drawList();
    } catch (problem) {
        put(told, refusal(problem));
    }
    if (isClass && key() !== null) await loadClass();
}

// Only a class has codes; otherwise the card stays hidden.
async function loadClass() {
    const found = await ask('GET', '/v1/classroom', { key: key() }).catch(() => null);
    show(classCard, found !== null);
    const all = found?.members ?? [];
    redraw(members, JSON.stringify(all), () => all.length === 0 ? [make('li', { class: 'soft' }, say('class-empty'))]
        : all.map(({ account, name, code }) => make('li', { class: 'row' }, make('span', {}, say('class-member', { account, name: name || say('class-unnamed') })), make('strong', {}, code))));
}

// Two presses here too.
function drawAnew(isSure) {
    const button = (name, text, click) => make('button', { type: 'button', 'data-focus': name, click }, text);
    const begin = outcome => {
        drawAnew(false);
        order('POST', '/v1/classroom/reset', { outcome }, anew => tellPartly(say('anew-done', { count: anew.opened.length }), anew));
    };
    anew.replaceChildren(...isSure
        ? [make('p', { class: 'warning' }, say('anew-sure')), make('div', { class: 'row start' },
            ['yes', 'no'].map(outcome => button(`anew-${outcome}`, say('anew-as', { outcome: outcome.toUpperCase() }), () => begin(outcome))),
            button('anew-not', say('resolve-not'), () => drawAnew(false)))]
        : [make('div', { class: 'row start' }, button('anew', say('anew'), () => drawAnew(true)))]);
    if (isSure) anew.querySelector('[data-focus=anew-not]').focus();
}

const labelled = (id, text, attributes = {}) => {
    const input = make('input', { id, autocomplete: 'off', ...attributes });
    return { input, element: make('div', { class: 'field' }, make('label', { for: id }, say(text)), input) };
};

function form(work, ...children) {
    return make('form', { class: 'stack', submit: event => { event.preventDefault(); work(event.submitter); } }, children);
}

// Continues with another key, or without one.
function use(typed) {
    if (typed === '') return;
    tab.set(KEY, typed);
    put(told, '');
    build();
}

function keyCard() {
    const typed = labelled('operator-key', 'operator-key', { type: 'password', spellcheck: 'false' });
    const forget = make('button', { type: 'button', click: () => use(null) }, say('operator-forget'));
    const card = key() === null
        ? form(() => use(typed.input.value.trim()), typed.element, make('p', { class: 'soft' }, say('operator-kept')),
            make('button', { type: 'submit', class: 'primary' }, say('operator-use')))
        : make('div', { class: 'row' }, make('p', { class: 'soft' }, say('operator-kept')), forget);
    return make('section', { class: 'card' }, make('h2', {}, say('operator-key')), card);
}

function openCard() {
    const english = labelled('question-en', 'question-en', { maxlength: '200' });
    const chinese = labelled('question-zh', 'question-zh', { maxlength: '200' });
    const open = async () => {
        const [en, zh] = [english.input.value.trim(), chinese.input.value.trim()];
        if (!en && !zh) return english.input.focus();
        await order('POST', '/v1/markets', { question: { en: en || zh, zh: zh || en } }, made => tellPartly(say('opened-it', made), made));
        english.input.value = chinese.input.value = '';
    };
    return make('section', { class: 'card' }, make('h2', {}, say('open-market')),
        form(open, english.element, chinese.element, make('button', { type: 'submit', class: 'primary' }, say('open-it'))));
}

function cashCard() {
    const digits = { inputmode: 'numeric', pattern: '[0-9]+', required: true, maxlength: '15' };
    const market = labelled('cash-market', 'market', digits);
    const account = labelled('cash-account', 'account-field', digits);
    const amount = labelled('cash-amount', 'amount-field', digits);
    const move = button => order('POST', `/v1/markets/${Number(market.input.value)}/${button.value}`,
        { account: Number(account.input.value), amount: Number(amount.input.value) });
    return make('section', { class: 'card' }, make('h2', {}, say('move-cash')),
        form(move, market.element, account.element, amount.element, make('div', { class: 'row start' },
            ['deposits', 'withdrawals'].map((value, at) => make('button', { type: 'submit', value }, say(['deposit', 'withdraw'][at]))))));
}

function drawList() {
    const focused = document.activeElement?.dataset?.focus;
    list.replaceChildren(...markets.map(market => {
        const isOpen = market.status === 'open';
        const { best_bid: bid, best_ask: ask } = market;
        const price = bid !== null && ask !== null ? `${tenths((bid + ask) / 2)}%` : market.last_trade ? `${market.last_trade.price}%` : '—';
        const state = isOpen ? price : market.outcome ? say('resolved-as', { outcome: market.outcome.toUpperCase() }) : say('resolved');
        const words = market.question?.[language()] || market.question?.en || '';
        const question = make('span', {}, `${market.market}. `, make('a', { href: `/#/market/${market.market}` }, words));
        return make('li', {}, make('div', { class: 'row' }, question, make('strong', {}, state)), isOpen && resolving(market.market));
    }));
    if (focused) list.querySelector(`[data-focus="${focused}"]`)?.focus();
}

// Two presses, because this can't be undone.
function resolving(id) {
    const button = (name, text, click, more = {}) => make('button', { type: 'button', 'data-focus': `${name}-${id}`, click, ...more }, text);
    if (sureOf?.id !== id) {
        const askAgain = outcome => {
            sureOf = { id, outcome };
            drawList();
            list.querySelector(`[data-focus="do-${id}"]`).focus();
        };
        return make('div', { class: 'row start' }, ['yes', 'no'].map(outcome => button(outcome, say(`resolve-${outcome}`), () => askAgain(outcome))));
    }
    const { outcome } = sureOf;
    const done = then => {
        sureOf = null;
        then();
    };
    const words = { outcome: outcome.toUpperCase() };
    return make('div', { class: 'stack' }, make('p', { class: 'warning' }, say('resolve-sure', words)), make('div', { class: 'row start' },
        button('do', say('resolve-do', words), () => done(() => order('POST', `/v1/markets/${id}/resolve`, { outcome })), { class: 'primary' }),
        button('not', say('resolve-not'), () => done(drawList))));
}

function build() {
    document.title = `${say('operator')} · ${say('title')}`;
    const cards = make('div', { class: 'stack' }, make('section', { class: 'card' }, make('h2', {}, say('markets')), list), openCard(), classCard, cashCard());
    classCard.replaceChildren(make('h2', {}, say('class')), make('p', { class: 'soft' }, say('class-codes')), members, anew);
    drawAnew(false);
    show(cards, key() !== null);
    document.body.replaceChildren(
        make('header', {}, make('a', { class: 'brand', href: '/' }, say('title'))),
        make('main', { class: 'operator' }, make('h1', {}, say('operator')), keyCard(), told, cards));
}

build();
load();
setInterval(() => { if (key() !== null && !document.hidden) load(); }, LIST_EVERY_MS);
