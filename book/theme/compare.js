// A reader's own records beside the reference ones, on every page: what the build does with `output/*.json`, done here for
// records that are dropped on the page "How we measure". They stay in this browser. Each number and each table names its
// figures (`data-own`); `records.js` finds and words them, and `charts/` draws each chart anew.
(function compare() {
    'use strict';

    const { KINDS, BYTES_MAX, read, value, figure } = globalThis.book.records;
    const KEY = 'book-record-';
    const zh = document.documentElement.lang === 'zh-CN';

    // The records that are here, by kind. Where the browser keeps nothing, they are here for as long as the page is.
    const [memory, unkept] = [{}, new Set()];
    function all() {
        const found = { ...memory };
        for (const kind of KINDS) {
            try {
                const kept = localStorage.getItem(KEY + kind);
                const { kind: said, record } = kept === null ? {} : read(kept);
                if (record && said === kind) found[kind] ??= record;
            } catch { /* nothing is kept here */ }
        }
        return found;
    }
    function keep(kind, record) {
        delete memory[kind];
        unkept.delete(kind);
        try {
            localStorage.setItem(KEY + kind, JSON.stringify(record));
        } catch {
            memory[kind] = record;
            unkept.add(kind);
        }
    }
    function remove(kind) {
        delete memory[kind];
        unkept.delete(kind);
        try { localStorage.removeItem(KEY + kind); } catch { /* nothing was kept */ }
    }

    function make(tag, attributes = {}, ...children) {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) {
            if (typeof value === 'function') element.addEventListener(name, value);
            else element.setAttribute(name, value);
        }
        element.append(...children);
        return element;
    }

    // What stood in an element when the page came, to which it returns.
    const originals = new Map();
    function original(element) {
        if (!originals.has(element)) originals.set(element, [...element.childNodes]);
        return originals.get(element);
    }
    const isReference = node => !(node instanceof Element && node.matches('.own, .yours, .origin-own'));

    // Shows `added` behind what the reference says, or with nothing to add the element as it came.
    function put(element, added) {
        if (!added && !originals.has(element)) return;
        const stood = original(element);
        if (!added) { element.replaceChildren(...stood); return; }
        const reference = stood.filter(isReference);
        // The space before a number's own goes with it.
        const last = reference.at(-1);
        const parts = last instanceof Text && reference.length < stood.length ? [...reference.slice(0, -1), last.data.trimEnd()] : reference;
        element.replaceChildren(...parts, ...added);
    }

    function cell(records, words) {
        const shown = words ? words.split(';').map(one => figure(records, one, zh)) : [undefined];
        if (shown.includes(undefined)) return ['–'];
        const [median, least, most] = shown;
        return most === undefined ? [median] : [median, make('span', { class: 'spread' }, least + (zh ? ' 至 ' : ' to ') + most)];
    }

    function origin({ machine, commit, command }) {
        const line = make('span', { class: 'origin-own' }, `${zh ? '你的：' : 'Yours: '}${machine.cpu}, ${[...commit].slice(0, 10).join('')}`);
        if (typeof command === 'string') line.append(', ', make('code', { class: 'hljs' }, command));
        return [line, ' '];
    }

    function fillTable(table, records) {
        const gate = table.dataset.own;
        const record = records[gate.split(':')[0]];
        const is = record !== undefined && value(records, gate) !== undefined;
        for (const td of table.querySelectorAll('td[data-own]')) {
            put(td, is && [make('span', { class: 'yours' }, make('span', { class: 'who' }, zh ? '你的' : 'yours'), ' ', ...cell(records, td.dataset.own))]);
        }
        if (table.caption) put(table.caption, is && origin(record));
    }

    function fill() {
        const records = all();
        for (const table of document.querySelectorAll('table[data-own]')) fillTable(table, records);
        for (const data of document.querySelectorAll('data[data-own]')) {
            const shown = figure(records, data.dataset.own, zh);
            put(data, shown !== undefined && [' ', make('span', { class: 'own' }, `${zh ? '你的' : 'yours'} ${shown}`)]);
        }
        globalThis.book.charts?.show(records);
        // What is wider now may scroll.
        window.dispatchEvent(new Event('resize'));
    }

    // In one go: what is filled in, such as a file's name, may have braces of its own.
    const say = (words, fills) => words.replace(/\{(\w+)\}/g, (whole, name) => fills[name] ?? whole);

    // Takes one file, and reports the result as text.
    async function take(file, { ui, refused }) {
        const name = file.name.slice(0, 80);
        const refuse = (why, fills) => say(refused[why], { file: name, ...fills });
        if (file.size > BYTES_MAX) return refuse('large');
        let text;
        try { text = await file.text(); } catch { return refuse('unread'); }
        const { refused: why, kind, at, record } = read(text);
        if (why) return refuse(why, { kind, at, kinds: KINDS.map(kind => `${kind}.json`).join(zh ? '、' : ', ') });
        keep(kind, record);
        return say(ui.taken, { kind });
    }

    // Lays the field into its place.
    function lay(place) {
        const words = JSON.parse(place.dataset.ownWords);
        const { ui } = words;
        const status = make('div', { role: 'status' });
        const tell = (...lines) => status.replaceChildren(...lines.map(line => make('p', {}, line)));
        const input = make('input', { type: 'file', id: 'own-records', multiple: '', accept: '.json,application/json' });
        const list = make('ul');
        const none = make('p', { class: 'soft' }, ui.none);

        function show() {
            const records = all();
            list.replaceChildren(...Object.entries(records).map(([kind, { machine, commit }]) => make('li', {},
                make('strong', {}, `${kind}.json`), ' ', say(ui.origin, { cpu: machine.cpu, commit: [...commit].slice(0, 10).join('') }),
                ...(unkept.has(kind) ? [' ', ui.lost] : []), ' ',
                make('button', { type: 'button', click: () => {
                    remove(kind);
                    refresh();
                    tell(say(ui.removed, { kind }));
                    input.focus();
                } }, say(ui.remove, { kind })))));
            none.hidden = Object.keys(records).length > 0;
        }

        async function takeAll(files) {
            const lines = [];
            for (const file of files) lines.push(await take(file, words));
            refresh();
            tell(...lines);
        }
        input.addEventListener('change', async () => {
            const files = [...input.files];
            input.value = '';
            await takeAll(files);
        });
        for (const event of ['dragover', 'drop', 'dragleave']) {
            place.addEventListener(event, dragged => {
                dragged.preventDefault();
                place.classList.toggle('over', event === 'dragover');
                if (event === 'drop') takeAll([...dragged.dataTransfer.files]);
            });
        }
        place.replaceChildren(make('p', {}, make('label', { for: input.id }, ui.pick)), make('p', {}, input), make('p', { class: 'soft' }, ui.local), status, none, list);
        place.showRecords = show;
    }

    const places = document.documentElement.hasAttribute('data-print') ? [] : [...document.querySelectorAll('.yours-place')];
    function refresh() {
        fill();
        for (const place of places) place.showRecords();
    }
    places.forEach(lay);
    refresh();
    // Taken or taken away on another page of the book.
    window.addEventListener('storage', event => { if (event.key === null || event.key.startsWith(KEY)) refresh(); });
})();
