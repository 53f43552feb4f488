// The page: it owns the state, puts the parts together, and draws. Messages only change the state and call `touch`;
// the browser then draws once before its next frame, however many messages came. A hidden page draws nothing.
//
//   net.js ── messages ──▶ markets.js, account.js (state) ── touch ──▶ frame ──▶ every part's draw()
//
// Every part is a function that creates its element once and returns `{ element, draw }`. When the language changes,
// all parts are created again; the state stays.
//
// The server says in `extensions.js` what the venue's layers add to the account; a venue without layers adds nothing.

import { Account } from './account.js';
import { accountDialog } from './dialog.js';
import { chart } from './chart.js';
import { extensions } from './extensions.js';
import { happened, openOrders } from './orders.js';
import { applyColours, header, staleBanner } from './header.js';
import { headline } from './headline.js';
import { ladder } from './ladder.js';
import { make, show } from './dom.js';
import { Markets } from './markets.js';
import { marketList } from './list.js';
import { positionOf, positions } from './holdings.js';
import { say } from './words.js';
import { Stream } from './net.js';
import { lastTrades } from './trades.js';
import { ticket } from './ticket.js';

// Where the list stands beside the market; as in page.css.
const DESK = matchMedia('(min-width: 80rem)');

const VenueAccount = extensions.reduce((account, extend) => extend(account), Account);

const page = {
    markets: new Markets({ touch, over: market => page.account.marketIsOver(market) }),
    account: new VenueAccount({ touch }),
    stream: null,
    // The draft in the ticket. It survives a change of language.
    draft: { intent: 'buy-yes', price: '', quantity: '10', time: 'gtc' },
    answer: null, // the result of the last order, under the ticket
    colours: 0, // how often the colours have changed: the canvas is then redrawn
    touch,
    rebuild,
    recolour() {
        applyColours();
        page.colours += 1;
        touch();
    },
    market: () => page.markets.get(page.markets.chosen),
    draw: () => {},
};

let isAsked = false;

// Requests a frame; only the first of several calls counts.
function touch() {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
        isAsked = false;
        page.draw();
    });
}

// Called when the connection is made or lost.
function changed() {
    const { stream, markets, account } = page;
    if (stream.state === 'live') {
        account.login();
        account.refresh();
        // Watch the known markets at once; a list that is late, or never arrives, must not hold that up.
        markets.watch();
        markets.load();
    } else if (stream.state === 'waiting') {
        markets.disconnected();
        account.refresh();
    }
    touch();
}

function message(told) {
    if (told.format !== undefined) page.markets.hear(told);
    else if (told.kind === 'tick') page.markets.tick(told);
    else page.account.hear(told);
}

// `#/` is the list of all markets, `#/market/1` one of them.
function route() {
    const [, id] = location.hash.match(/^#\/market\/(\d{1,10})$/) ?? [];
    const chosen = id === undefined ? null : Number(id);
    if (chosen !== page.markets.chosen) {
        page.draft.price = '';
        page.answer = null;
    }
    page.markets.choose(chosen);
    document.body.dataset.view = chosen === null ? 'list' : 'market';
    scrollTo(0, 0);
    touch();
}

// At a desk the page starts with the first open market. The address is replaced, so that Back still leaves the page.
function begin() {
    const first = page.markets.list.find(market => market.status === 'open');
    if (location.hash === '' && first && DESK.matches) history.replaceState(null, '', `#/market/${first.id}`);
    route();
}

function rebuild() {
    const dialog = accountDialog(page);
    const parts = { header: header(page, dialog), banner: staleBanner(page), list: marketList(page), overview: positions(page) };
    const market = {
        headline: headline(page), chart: chart(page), ladder: ladder(page), trades: lastTrades(page),
        ticket: ticket(page, dialog), position: positionOf(page), orders: openOrders(page), happened: happened(page),
    };
    // An account of a layer may have more to show beside its orders.
    const more = page.account.cards?.(page) ?? [];
    const missing = make('p', { class: 'missing', hidden: true });
    const one = make('div', { class: 'market' },
        make('div', { class: 'reading' }, market.headline.element, market.chart.element),
        make('div', { class: 'doing' }, market.ticket.element, market.orders.element, more.map(({ element }) => element),
            market.position.element, market.happened.element),
        make('div', { class: 'pair' }, market.ladder.element, market.trades.element));
    const main = make('main', { id: 'main', tabindex: '-1' }, parts.banner.element, missing, one, parts.overview.element);
    document.body.replaceChildren(
        make('a', { class: 'skip', href: '#main', click: event => { event.preventDefault(); main.focus(); } }, say('skip')),
        parts.header.element,
        make('div', { class: 'columns' }, parts.list.element, main),
        dialog.element);

    page.draw = () => {
        const chosen = page.market();
        document.title = chosen ? `${chosen.questionIn(document.documentElement.lang)} · ${say('title')}` : say('title');
        Object.values(parts).forEach(part => part.draw());
        dialog.draw();
        show(one, chosen !== undefined);
        show(parts.overview.element, page.markets.chosen === null);
        const text = page.markets.loaded ? say('unknown-market-here') : say('loading');
        show(missing, page.markets.chosen !== null && !chosen);
        missing.textContent = text;
        if (chosen) [...Object.values(market), ...more].forEach(part => part.draw(chosen));
    };
    page.draw();
}

page.stream = new Stream({ message, changed });
page.markets.stream = page.stream;
page.account.stream = page.stream;
addEventListener('hashchange', route);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', page.recolour);
// Ages grow even without messages.
setInterval(touch, 1000);

rebuild();
route();
page.stream.connect();
page.markets.load().then(begin);
page.account.refresh();
