// A place to write a guess, and the page that gathers them. What is written stays in this browser: it is kept under one
// key, by the guess's name, in units that no language changes. The answer comes with the page, out of the same record
// as the number in its text, and is shown when the reader asks for it.
(function guesses() {
    'use strict';

    // The whole book on one page is for printing.
    if (document.documentElement.hasAttribute('data-print')) return;

    const KEY = 'book-guesses';
    const NUMBERS = ['factor', 'count', 'time', 'percent'];

    // What is kept: for each guess what was written and whether its answer has been seen. Without a store that keeps,
    // it is here for as long as the page is.
    let [memory, keeps] = [{}, true];
    function all() {
        try {
            const read = JSON.parse(localStorage.getItem(KEY));
            if (read && typeof read === 'object') return read;
            return keeps ? {} : memory;
        } catch { return memory; }
    }
    function keep(change) {
        memory = change(all());
        try { localStorage.setItem(KEY, JSON.stringify(memory)); } catch { keeps = false; }
    }

    function make(tag, attributes = {}, ...children) {
        const element = document.createElementNS(tag === 'svg' || attributes.xmlns ? 'http://www.w3.org/2000/svg' : 'http://www.w3.org/1999/xhtml', tag);
        for (const [name, value] of Object.entries(attributes)) {
            if (typeof value === 'function') element.addEventListener(name, value);
            else if (value !== undefined && value !== false && name !== 'xmlns') element.setAttribute(name, value);
        }
        element.append(...children.flat().filter(child => child !== undefined && child !== ''));
        return element;
    }

    const fill = (text, fills) => Object.entries(fills).reduce((all, [name, fill]) => all.replaceAll(`{${name}}`, fill), text);

    // `thousand orders=1000;…` as pairs.
    const scale = text => text.split(';').map(part => { const at = part.lastIndexOf('='); return [part.slice(0, at), Number(part.slice(at + 1))]; });

    function digits(number, places) {
        const rounded = Number(number.toPrecision(places));
        const text = rounded >= 1e21 ? String(rounded) : rounded.toLocaleString('en-US', { maximumSignificantDigits: places });
        return text;
    }

    // A number of a kind as a reader writes it, in the largest unit that leaves a whole.
    function shown(kind, number, { shown: units }) {
        const sizes = scale(units[kind]);
        const [form, size] = sizes.findLast(([, size]) => number >= size * 0.9995) || sizes[0];
        return form.replace('{}', digits(number / size, 3)).replaceAll(' ', '\u00a0');
    }

    // The number that a reader wrote: full-width digits, commas and a unit's sign behind it are fine.
    function read(text) {
        const plain = text.normalize('NFKC').replace(/[,\s_]/g, '').replace(/[×x倍%]$/i, '');
        const number = /^\d*\.?\d+(e[+-]?\d+)?$|^\d+\.$/i.test(plain) ? Number(plain) : NaN;
        return number > 0 && Number.isFinite(number) ? number : undefined;
    }

    // How far off a number is, in powers of ten.
    const off = (guess, { value }) => Math.log10(guess / value);

    // A logarithmic line with the guess above it and what was measured below.
    function line(kind, guess, { value, shown: measured }, words) {
        const [low, high] = [Math.min(guess, value), Math.max(guess, value)].map(Math.log10);
        const [from, to] = [Math.floor(low - 0.15), Math.ceil(high + 0.15)];
        const x = number => 40 + 320 * (Math.log10(number) - from) / (to - from);
        const svg = { xmlns: true };
        const step = Math.ceil((to - from) / 4);
        const ticks = Array.from({ length: to - from + 1 }, (_, i) => from + i).flatMap((power, i) => [
            make('line', { ...svg, class: 'tick', x1: x(10 ** power), x2: x(10 ** power), y1: 34, y2: 46 }),
            i % step ? '' : make('text', { ...svg, class: 'soft', x: x(10 ** power), y: 62, 'text-anchor': 'middle' }, shown(kind, 10 ** power, words)),
        ]);
        const told = fill(words.ui.axis, { from: shown(kind, 10 ** from, words), to: shown(kind, 10 ** to, words), guess: shown(kind, guess, words), measured });
        const name = (text, at, y, kind) => make('text', { ...svg, class: kind, x: Math.min(Math.max(x(at), 60), 340), y, 'text-anchor': 'middle' }, text);
        return make('svg', { viewBox: '0 0 400 92', role: 'img', 'aria-label': told }, 
            make('line', { ...svg, class: 'axis', x1: 40, x2: 360, y1: 40, y2: 40 }), ticks,
            make('circle', { ...svg, class: 'guessed', cx: x(guess), cy: 40, r: 6 }),
            make('path', { ...svg, class: 'found', d: `M${x(value)} 33 l7 7 l-7 7 l-7 -7 Z` }),
            name(words.ui.yours + words.ui.colon + shown(kind, guess, words), guess, 20, 'accent'),
            name(words.ui.measured + words.ui.colon + measured, value, 86, 'good'));
    }

    function compare(guess, measured, { ui }) {
        const factor = Math.max(guess / measured.value, measured.value / guess);
        if (factor < 1.1) return ui.near;
        return fill(guess > measured.value ? ui.over : ui.under, { factor: digits(factor, 2) });
    }

    // How a ranking orders the pairs of its items.
    function pairs(items, order) {
        let [right, count] = [0, 0];
        order.forEach((one, i) => order.slice(i + 1).forEach(other => {
            count += 1;
            if (items[one].value <= items[other].value) right += 1;
        }));
        return [right, count];
    }

    const misplaced = (items, shares) => items.reduce((sum, { value }, i) => sum + Math.abs(shares[i] - value), 0) / 2;

    const judged = items => items.filter(item => typeof item.right === 'number').length;

    // Whether what was kept is a guess of this kind: another version of the book may have asked otherwise.
    function fits({ kind, items, options }, value) {
        if (NUMBERS.includes(kind)) return typeof value === 'number' && value > 0;
        const whole = Array.isArray(value) && value.length === items.length && value.every(Number.isFinite);
        if (!whole || kind === 'shares') return whole;
        return kind === 'choice' ? value.every(one => one in options) : items.every((_, i) => value.includes(i));
    }

    // A guess in one line.
    function inShort({ kind, items, options }, value, words) {
        if (NUMBERS.includes(kind)) return shown(kind, value, words);
        if (kind === 'ranking') return value.map(i => items[i].label).join(' < ');
        return items.map(({ label }, i) => {
            const own = kind === 'shares' ? `${digits(value[i], 3)}%` : options[value[i]];
            return items.length > 1 ? label + words.ui.colon + own : own;
        }).join(words.ui.joint);
    }

    // Whether the answer repeats what was guessed, line by line.
    const repeats = ({ kind, items }) => kind === 'shares' || (kind === 'choice' && items.length > 1);

    // What is right, and how right the guess was.
    function answer(guess, value, words, link) {
        const { kind, items, options, measured } = guess;
        const { ui } = words;
        const see = section => section ? make('a', { href: link + section }, ui.see) : '';
        if (measured) return [line(kind, value, measured, words), make('p', {}, compare(value, measured, words))];
        if (kind === 'ranking') {
            const sorted = [...items].sort((a, b) => a.value - b.value);
            const [right, count] = pairs(items, value);
            return [make('p', {}, fill(ui.pairs, { right, all: count })), make('ol', {}, sorted.map(item => make('li', {}, item.label + ui.colon + item.shown)))];
        }
        if (kind === 'shares') {
            const bar = (name, share) => make('svg', { viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
                make('rect', { xmlns: true, class: name, x: 0, y: 0, width: Math.min(100, share), height: 8 }));
            const rows = items.map(({ label, value: share }, i) => make('tr', {}, make('th', { scope: 'row' }, label),
                make('td', {}, `${digits(value[i], 2)}%`, bar('guessed', value[i])), make('td', {}, share < 0.01 ? '<0.01%' : `${digits(share, 2)}%`, bar('found', share))));
            const heads = ['', ui.yours, ui.measured].map(text => text ? make('th', { scope: 'col' }, text) : make('td'));
            const points = digits(misplaced(items, value), 2);
            return [make('table', {}, make('thead', {}, make('tr', {}, heads)), make('tbody', {}, rows)), make('p', {}, fill(ui.points, { points }))];
        }
        const told = item => typeof item.right === 'number' ? options[item.right] : see(item.see);
        const also = guess.see && !items.some(item => item.see) ? [' ', see(guess.see)] : [];
        if (items.length === 1) {
            return [make('p', { class: items[0].right === value[0] && 'hit' }, ui.answer + ui.colon, told(items[0]), also)];
        }
        const right = items.filter((item, i) => item.right === value[i]).length;
        const rows = items.map((item, i) => make('li', { class: item.right === value[i] && 'hit' },
            item.label + ui.colon + options[value[i]], ' · ', typeof item.right === 'number' ? ui.answer + ui.colon : '', told(item)));
        const score = judged(items) ? [make('p', {}, fill(ui.right, { right, all: judged(items) }))] : [];
        return [...score, make('ul', {}, rows), ...(also.length ? [make('p', {}, also)] : [])];
    }

    // The fields of a guess, and what they hold: a value, or what is wrong in words and the field to go to.
    function fields(guess, value, { ui, unit }) {
        const { id, kind, items, options, question } = guess;
        if (NUMBERS.includes(kind)) {
            const units = scale(unit[kind]);
            const at = value === undefined ? 0 : Math.max(0, units.findLastIndex(([, size]) => value >= size));
            const input = make('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', id: `guess-${id}-field`,
                value: value === undefined ? undefined : String(Number((value / units[at][1]).toPrecision(6))) });
            const choose = units.length > 1
                ? make('select', { 'aria-label': ui.unit }, units.map(([name], i) => make('option', { value: i, selected: i === at && '' }, name)))
                : make('span', { class: 'unit' }, units[0][0]);
            const get = () => {
                const number = read(input.value);
                if (number === undefined) return { wrong: ui['not-a-number'], at: input };
                return { value: number * units[units.length > 1 ? Number(choose.value) : 0][1] };
            };
            return { parts: [make('label', { for: input.id }, question), make('span', { class: 'number' }, input, choose)], get };
        }
        const legend = make('legend', {}, question);
        if (kind === 'shares') {
            const inputs = items.map((_, i) => make('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', value: value ? String(value[i]) : undefined }));
            const rows = items.map(({ label }, i) => make('label', { class: 'share' }, make('span', {}, label), make('span', {}, inputs[i], ' %')));
            const get = () => {
                const shares = inputs.map(input => /^[0０.．]*$/.test(input.value.trim()) ? 0 : read(input.value));
                const wrong = shares.indexOf(undefined);
                if (wrong >= 0) return { wrong: ui['not-a-number'], at: inputs[wrong] };
                const sum = shares.reduce((a, b) => a + b, 0);
                return Math.abs(sum - 100) > 0.5 ? { wrong: fill(ui['not-whole'], { sum: digits(sum, 4) }), at: inputs[0] } : { value: shares };
            };
            return { parts: [make('fieldset', {}, legend, rows)], get };
        }
        if (kind === 'choice') {
            const rows = items.map(({ label }, i) => {
                const radios = options.map((option, at) => make('label', {}, make('input', { type: 'radio', name: `guess-${id}-${i}`, value: at, checked: value && value[i] === at && '' }), ' ', option));
                return items.length > 1 ? make('div', { class: 'row', role: 'radiogroup', 'aria-label': label }, make('span', { class: 'label' }, label), radios) : make('div', { class: 'row' }, radios);
            });
            const get = () => {
                const chosen = rows.map(row => row.querySelector(':checked'));
                const wrong = chosen.findIndex(one => !one);
                return wrong >= 0 ? { wrong: ui['not-chosen'], at: rows[wrong].querySelector('input') } : { value: chosen.map(one => Number(one.value)) };
            };
            return { parts: [make('fieldset', {}, legend, rows)], get };
        }
        const order = value ? [...value] : items.map((_, i) => i);
        const list = make('ol', { class: 'ranking' });
        const place = focus => {
            list.replaceChildren(...order.map((item, at) => {
                const move = (key, by, sign) => make('button', { type: 'button', 'aria-disabled': String(!(at + by in order)), 'aria-label': fill(ui[key], { item: items[item].label }), click: () => {
                    if (!(at + by in order)) return;
                    [order[at], order[at + by]] = [order[at + by], order[at]];
                    place([at + by, key]);
                } }, sign);
                return make('li', {}, move('up', -1, '↑'), move('down', 1, '↓'), ' ', items[item].label);
            }));
            if (focus) list.children[focus[0]].querySelectorAll('button')[focus[1] === 'up' ? 0 : 1].focus();
        };
        place();
        return { parts: [make('fieldset', {}, legend, list)], get: () => ({ value: order }) };
    }

    // Lays one guess into its place.
    function lay(section) {
        const { guess, words } = JSON.parse(section.dataset.guess);
        const { ui } = words;
        const write = entry => keep(kept => ({ ...kept, [guess.id]: entry }));

        function form(value) {
            const { parts, get } = fields(guess, value, words);
            const problem = make('p', { class: 'problem', id: `guess-${guess.id}-problem`, role: 'alert' });
            const element = make('form', { novalidate: '', submit: event => {
                event.preventDefault();
                const got = get();
                element.querySelectorAll('[aria-invalid]').forEach(one => one.removeAttribute('aria-invalid'));
                if (got.wrong) {
                    problem.textContent = got.wrong;
                    got.at.setAttribute('aria-invalid', 'true');
                    got.at.setAttribute('aria-describedby', problem.id);
                    got.at.focus();
                    return;
                }
                write({ value: got.value });
                show(true);
            } }, parts, make('button', { type: 'submit' }, ui.write), problem);
            return element;
        }

        function show(focus, edit) {
            const entry = all()[guess.id];
            const written = entry && fits(guess, entry.value);
            section.classList.toggle('written', Boolean(written && !edit));
            section.toggleAttribute('data-written', Boolean(written));
            document.dispatchEvent(new Event('book-guessed'));
            if (!written || edit) {
                section.replaceChildren(form(written ? entry.value : undefined));
                if (focus) section.querySelector('input, button').focus();
                return;
            }
            const guessed = [make('span', {}, ui.yours + ui.colon), make('strong', {}, inShort(guess, entry.value, words))];
            const own = make('p', { class: 'own', tabindex: '-1' }, make('span', { class: 'soft' }, guess.question), ' ',
                entry.seen && repeats(guess) ? [] : guessed);
            const parts = [own];
            if (entry.seen) {
                parts.push(make('div', { class: 'answered', role: 'status' }, answer(guess, entry.value, words, '')));
            } else {
                const look = make('button', { type: 'button', class: 'look', click: () => { write({ value: entry.value, seen: true }); show(true); } }, ui.show);
                const change = make('button', { type: 'button', class: 'change', click: () => show(true, true) }, ui.change);
                parts.push(make('p', { class: 'soft' }, keeps ? ui.kept : ui.lost, ' ', ui.later), make('p', { class: 'buttons' }, look, change));
            }
            section.replaceChildren(...parts);
            if (focus) own.focus();
        }

        section.hidden = false;
        show(false);
        // Letters and arrows are the reader's here; the page's own keys search and turn its pages.
        section.addEventListener('keydown', event => { if (event.key !== 'Escape') event.stopPropagation(); });
        window.addEventListener('storage', event => { if (event.key === KEY || event.key === null) show(false); });
    }

    // One line of the picture: how many times what was measured the guess is, from a thousandth to a thousand times.
    function strip(guess, value) {
        const far = Math.max(-3.2, Math.min(3.2, off(value, guess.measured)));
        const x = power => 160 + 45 * power;
        const svg = { xmlns: true };
        const ticks = [-3, -2, -1, 0, 1, 2, 3].map(power => make('line', { ...svg, class: power ? 'tick' : 'found', x1: x(power), x2: x(power), y1: power ? 7 : 1, y2: power ? 13 : 19 }));
        return make('svg', { viewBox: '0 0 320 20', 'aria-hidden': 'true' }, make('line', { ...svg, class: 'axis', x1: x(-3.3), x2: x(3.3), y1: 10, y2: 10 }), ticks,
            make('line', { ...svg, class: 'way', x1: x(0), x2: x(far), y1: 10, y2: 10 }), make('circle', { ...svg, class: 'guessed', cx: x(far), cy: 10, r: 5 }));
    }

    // The numbers of the picture's axis, under its lines.
    function axis(words) {
        const svg = { xmlns: true };
        const text = power => make('text', { ...svg, class: 'soft', x: 160 + 45 * power, y: 12, 'text-anchor': 'middle' }, power < 0 ? `1/${10 ** -power}` : shown('factor', 10 ** power, words));
        return make('svg', { viewBox: '0 0 320 16', 'aria-hidden': 'true' }, [-3, -2, -1, 0, 1, 2, 3].map(text));
    }

    // Lays the page that gathers all guesses over the list of where the book asks.
    function gather(section) {
        const { guesses, words } = JSON.parse(section.dataset.guesses);
        const { ui, book } = words;
        const list = section.querySelector('ul');
        const still = [section.querySelector('p'), list];

        const link = ({ page, title }) => make('a', { href: `${page}.html#guess` }, title);
        const written = () => { const kept = all(); return guesses.filter(one => kept[one.id] && fits(one, kept[one.id].value)).map(one => ({ one, value: kept[one.id].value })); };

        function picture(numbers) {
            const rows = numbers.map(({ one, value }) => make('li', {}, make('span', { class: 'what' }, link(one), ' ', make('span', { class: 'soft' }, one.question)), strip(one, value),
                make('span', { class: 'told' }, `${ui.yours}${ui.colon}${shown(one.kind, value, words)} · ${ui.measured}${ui.colon}${one.measured.shown}`)));
            return make('figure', { class: 'drawing strips' }, make('ol', {}, rows), axis(words), make('figcaption', {}, book.picture));
        }

        function furthest(numbers) {
            const sorted = [...numbers].sort((a, b) => Math.abs(off(b.value, b.one.measured)) - Math.abs(off(a.value, a.one.measured)));
            const wrong = sorted.filter(({ one, value }) => Math.abs(off(value, one.measured)) > Math.log10(1.1)).slice(0, 3);
            return wrong.length ? [make('h2', { id: 'furthest' }, book.furthest), make('ol', {}, wrong.map(({ one, value }) => make('li', {}, link(one), ' ',
                make('span', {}, one.question), ' ', compare(value, one.measured, words))))] : [];
        }

        function controls(entries) {
            const text = ['99-guesses', ...entries.map(({ one, value }) => `${one.id}=${Array.isArray(value) ? value.join(',') : digits(value, 4).replaceAll(',', '')}`)].join(' ');
            const field = make('input', { type: 'text', readonly: '', id: 'guesses-line', value: text });
            const said = make('p', { role: 'status', class: 'soft' });
            const copy = make('button', { type: 'button', class: 'copy', click: async () => {
                field.select();
                try { await navigator.clipboard.writeText(text); said.textContent = book.copied; } catch { said.textContent = book.select; }
            } }, book.copy);
            const sure = make('p', { class: 'sure', hidden: '' }, make('span', {}, book.sure), ' ',
                make('button', { type: 'button', class: 'yes', click: () => { keep(() => ({})); show(true); } }, book.yes), ' ',
                make('button', { type: 'button', class: 'no', click: () => { sure.hidden = true; clear.focus(); } }, book.no));
            const clear = make('button', { type: 'button', class: 'clear', click: () => { sure.hidden = false; sure.querySelector('.no').focus(); } }, book.clear);
            const print = make('button', { type: 'button', class: 'print-guesses', click: () => window.print() }, book.print);
            return [make('div', { class: 'controls' }, make('p', { class: 'buttons' }, print, clear), sure,
                make('p', { class: 'export' }, make('label', { for: field.id }, book.export), field, copy), said)];
        }

        function show(focus) {
            const entries = written();
            if (!entries.length) {
                section.replaceChildren(...still);
            } else {
                const numbers = entries.filter(({ one }) => one.measured);
                const others = entries.filter(({ one }) => !one.measured);
                const missing = guesses.filter(one => !entries.some(entry => entry.one === one));
                const told = others.map(({ one, value }) => make('li', {}, link(one), ' ', one.question, repeats(one) ? '' : make('p', { class: 'own' }, ui.yours + ui.colon + inShort(one, value, words)), answer(one, value, words, `${one.page}.html`)));
                section.replaceChildren(make('p', {}, fill(book.count, { count: entries.length, all: guesses.length })),
                    ...(numbers.length ? [picture(numbers), ...furthest(numbers)] : []),
                    ...(told.length ? [make('h2', { id: 'others' }, book.others), make('ul', { class: 'told-list' }, told)] : []),
                    ...(missing.length ? [make('h2', { id: 'missing' }, book.missing), make('ul', {}, missing.map(one => make('li', {}, link(one), ' ', one.question)))] : []),
                    ...controls(entries));
            }
            if (focus) { section.tabIndex = -1; section.focus(); }
        }

        show(false);
        window.addEventListener('storage', event => { if (event.key === KEY || event.key === null) show(false); });
    }

    document.querySelectorAll('.guess').forEach(lay);
    document.querySelectorAll('.guesses').forEach(gather);
})();
