// Keeps the book on the reader's device, a language at a time, so that it opens without a network.
//
// With a network a page comes from there, so that no reader gets an old one; scripts, styles and pictures come from the cache
// of this version first. A book built anew is a new version: its worker fills a cache of its own before it takes over
// and the old one goes. The browser keeps all caches of a host in one place, so ours are named after their folder.
'use strict';

const FOLDER = new URL('./', self.location.href).href;
const OURS = `${FOLDER} `;
const CACHE = `${OURS}@version@`;
// What is kept with each language, seen from this folder.
const KEPT = '@kept@';

const address = file => new URL(file, FOLDER).href;
const languageOf = url => Object.keys(KEPT).find(language => url.startsWith(address(`${language}/`)));

// The name under which a file is kept. What stands behind `?` marks words on the page and changes no file.
function nameOf(url) {
    const { origin, pathname } = new URL(url);
    return origin + pathname + (pathname.endsWith('/') ? 'index.html' : '');
}

// Some hosts lead to a name without its ending.
async function kept(url) {
    const cache = await caches.open(CACHE);
    return await cache.match(nameOf(url)) || cache.match(`${nameOf(url)}.html`);
}

// A browser opens no page from an answer that was led elsewhere on its way, so what is kept is a plain one.
async function put(url, answer) {
    const plain = answer.redirected ? new Response(answer.body, { headers: answer.headers }) : answer;
    await (await caches.open(CACHE)).put(nameOf(url), plain);
}

// Fetches what is not there yet. A reader who saves data keeps only the pages that were opened.
async function keep(language) {
    if (navigator.connection && navigator.connection.saveData) return;
    for (const url of KEPT[language].map(address)) {
        if (await kept(url)) continue;
        const answer = await fetch(url, { cache: 'no-cache' });
        if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
        await put(url, answer);
    }
}

// The languages on the screen, and those that an older version kept.
async function languages() {
    const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const open = windows.map(client => languageOf(client.url));
    const old = Object.keys(KEPT).map(async language => await caches.match(address(`${language}/index.html`)) && language);
    return new Set([...open, ...await Promise.all(old)].filter(Boolean));
}

async function install() {
    for (const language of await languages()) await keep(language);
    await self.skipWaiting();
}

async function activate() {
    const names = await caches.keys();
    await Promise.all(names.filter(name => name.startsWith(OURS) && name !== CACHE).map(name => caches.delete(name)));
    await self.clients.claim();
}

async function page(event) {
    const { url } = event.request;
    try {
        const answer = await fetch(event.request);
        const language = languageOf(url);
        const copy = answer.ok && answer.clone();
        const rest = async () => {
            if (copy) await put(url, copy);
            if (language) await keep(language);
        };
        // What cannot be kept now is tried again with the next page.
        event.waitUntil(rest().catch(() => {}));
        return answer;
    } catch (gone) {
        return await kept(url) || Promise.reject(gone);
    }
}

async function part(event) {
    const { url } = event.request;
    const there = await kept(url);
    if (there) return there;
    const answer = await fetch(event.request);
    if (answer.ok) event.waitUntil(put(url, answer.clone()).catch(() => {}));
    return answer;
}

self.addEventListener('install', event => event.waitUntil(install()));
self.addEventListener('activate', event => event.waitUntil(activate()));
self.addEventListener('fetch', event => {
    const { method, mode, url } = event.request;
    if (method !== 'GET' || !url.startsWith(FOLDER)) return;
    event.respondWith(mode === 'navigate' ? page(event) : part(event));
});
