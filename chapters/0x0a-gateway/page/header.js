// The bar on top: the state of the connection, language, colours, the account. Below it, if needed, the banner that
// says since when the page's data is old, and what the page does about it.

import { kept, make, mark, put, show, attribute } from './dom.js';
import { clock } from './format.js';
import { language, say } from './words.js';

export function header(page, dialog) {
    const status = make('span', { class: 'status', role: 'status' });
    const switchTo = language() === 'zh' ? 'en' : 'zh';
    const speak = make('button', {
        type: 'button', class: 'quiet', lang: switchTo, 'aria-label': say('language-label'), click: () => {
            kept.set('nnc-language', switchTo);
            document.documentElement.lang = switchTo;
            page.rebuild();
            document.querySelector('header .language').focus();
        },
    }, say('language'));
    speak.classList.add('language');
    const account = make('button', { type: 'button', class: 'quiet account', click: () => dialog.open() });
    const element = make('header', {},
        make('a', { class: 'brand', href: '#/' }, say('title')), status,
        make('span', { class: 'tools' }, colours(page), speak, account));
    return {
        element,
        draw() {
            const state = page.stream.state;
            const chosen = page.market();
            const isStale = state === 'waiting' || (chosen && !page.markets.freshness(chosen).isFresh);
            const text = state === 'connecting' && page.stream.lostMs === null ? 'connecting' : isStale || state !== 'live' ? 'stale' : 'live';
            put(status, say(text));
            attribute(status, 'data-state', text);
            put(account, page.account.name || (page.account.id ? say('account-number', { id: page.account.id }) : say('account')));
        },
    };
}

// The user's choice of colours, or the system's.
export function applyColours() {
    const chosen = kept.get('nnc-colours');
    document.documentElement.dataset.colours = chosen || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

function colours(page) {
    const chosen = kept.get('nnc-colours') || 'auto';
    const select = make('select', {
        'aria-label': say('colours'), class: 'quiet', change: () => {
            kept.set('nnc-colours', select.value === 'auto' ? null : select.value);
            page.recolour();
        },
    }, ['auto', 'light', 'dark'].map(value => make('option', { value, selected: chosen === value }, say(`colours-${value}`))));
    return select;
}

// Since when, why, and what is being done. The seconds are in an element of their own, so that screen readers don't
// read the banner again each second.
export function staleBanner(page) {
    const why = make('p', { role: 'alert' });
    const retry = make('p', { class: 'retry' });
    const button = make('button', { type: 'button', click: () => page.stream.hurry() }, say('retry-button'));
    const element = make('div', { class: 'banner', hidden: true }, why, make('div', { class: 'row' }, retry, button));
    return {
        element,
        draw() {
            const { stream, markets } = page;
            const chosen = page.market();
            const fresh = chosen ? markets.freshness(chosen) : { isFresh: stream.state === 'live', why: 'connection', sinceMs: stream.lostMs };
            // A first connection in progress, or a book requested a moment ago, is not worth a banner.
            const isStart = stream.lostMs === null && stream.state === 'connecting';
            const isSoon = (fresh.why === 'none' || fresh.why === 'gap') && Date.now() - Math.max(fresh.sinceMs ?? 0, chosen?.askedMs ?? 0) < 1000;
            const visible = !fresh.isFresh && !isStart && !isSoon;
            show(element, visible);
            if (!visible) return put(why, '');
            const parts = [fresh.sinceMs ? say('stale-since', { time: clock(fresh.sinceMs) }) : say('stale-never'), say(`why-${fresh.why}`, fresh)];
            if (stream.bye) parts.push(say('bye', { reason: reasonOf(stream.bye) }));
            put(why, parts.join(language() === 'zh' ? '' : ' '));
            const isOff = stream.state !== 'live';
            const seconds = Math.max(1, Math.ceil((stream.retryMs - Date.now()) / 1000));
            put(retry, !isOff ? '' : stream.state === 'waiting' ? say('retry-in', { seconds }) : say('retry-now'));
            show(button, stream.state === 'waiting');
            mark(element, 'off', isOff);
        },
    };
}

function reasonOf(bye) {
    const known = { draining: 'bye-draining', 'too-slow': 'bye-too-slow', unauthenticated: 'bye-unauthenticated' }[bye.reason];
    return known ? say(known) : bye.detail || bye.reason;
}
