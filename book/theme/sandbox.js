// A market to play with, laid over the still picture that the page brings. Everything shown follows from a list of
// commands and a place in it, and both stand in the address behind `#`, so that a link hands on the situation.
(function sandboxes() {
    'use strict';

    // The whole book on one page is for printing: the still pictures stay.
    if (document.documentElement.hasAttribute('data-print')) return;
    const { market: { Model }, telling } = window.book;
    const { FORMS, parse, write, value, count } = telling;

    // An element; attributes that are functions are listeners, children that are nothing are left out.
    function make(tag, attributes = {}, ...children) {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) {
            if (typeof value === 'function') element.addEventListener(name, value);
            else if (value !== undefined && value !== false) element.setAttribute(name, value);
        }
        element.append(...children.flat().filter(child => child !== undefined && child !== ''));
        return element;
    }

    // The commands and the place in them that a link's text holds, and the first part of it that is no command.
    function read(text) {
        const [list, at] = text.split('@');
        const commands = [];
        for (const part of list.split(';').filter(Boolean)) {
            const command = parse(part);
            if (!command) return { commands, at: commands.length, bad: part };
            commands.push(command);
        }
        const place = value(at || '', commands.length);
        return { commands, at: place === undefined ? commands.length : place };
    }

    // The market after some commands, what it was before the last of them, and what that one led to.
    function play({ accounts, cash }, commands) {
        const model = new Model();
        model.apply({ command: 'open', market: 1 });
        accounts.forEach((_, i) => model.apply({ command: 'deposit', market: 1, account: i + 1, amount: cash }));
        const market = model.markets.get(1);
        let [before, events] = [market.state(), []];
        commands.forEach(command => { before = market.state(); events = model.apply(command); });
        return { before, after: market.state(), events, laws: market.laws() };
    }

    function table(name, caption, heads, rows, foot) {
        const head = make('thead', {}, make('tr', {}, heads.map(text => make('th', { scope: 'col' }, text))));
        const parts = [make('caption', {}, caption), head, make('tbody', {}, rows)];
        return make('table', { class: name }, parts, foot && make('tfoot', {}, foot));
    }

    // The book: one row a price, the highest first. What the last command changed is marked.
    function bookTable({ before, after }, { say, resting }) {
        const known = new Map([...before.bids, ...before.asks].map(order => [order.order, order.quantity]));
        const prices = [...new Set([...after.bids, ...after.asks].map(order => order.price))].sort((a, b) => b - a);
        const cell = (side, orders, price) => make('td', {}, orders.filter(order => order.price === price).map(order => {
            const changed = known.get(order.order) === order.quantity ? '' : ' changed';
            return make('span', { class: `order ${side}${changed}` }, resting(order));
        }));
        const rows = prices.map(price => make('tr', {},
            cell('bid', after.bids, price), make('th', { scope: 'row' }, String(price)), cell('ask', after.asks, price)));
        const empty = make('tr', {}, make('td', { colspan: 3 }, say('ui', 'empty')));
        const heads = ['bids', 'price', 'asks'].map(key => say('ui', key));
        return table('orders', say('ui', 'book'), heads, rows.length ? rows : [empty]);
    }

    // Cash and shares, free and locked, and the pot. What the last command changed is marked.
    function holdingsTable({ before, after }, { say, name }) {
        const held = new Map(before.accounts);
        const cell = (now, then, field) => {
            const [free, locked] = [now[field], now[field + '_locked']];
            const changed = !then || then[field] !== free || then[field + '_locked'] !== locked;
            const also = locked > 0 && [' ', make('span', { class: 'locked' }, say('ui', 'locked', { amount: count(locked) }))];
            return make('td', { class: changed && 'changed' }, count(free), also || []);
        };
        const rows = after.accounts.map(([id, now]) => make('tr', {},
            make('th', { scope: 'row' }, name(id)), ['cash', 'yes', 'no'].map(field => cell(now, held.get(id), field))));
        const pot = make('td', { class: before.pot !== after.pot && 'changed' }, count(after.pot));
        const foot = make('tr', {}, make('th', { scope: 'row' }, say('ui', 'pot')), pot, make('td'), make('td'));
        const heads = [say('ui', 'who'), say('ui', 'cash'), say('share', 'yes'), say('share', 'no')];
        return table('holdings', say('ui', 'accounts'), heads, rows, foot);
    }

    // The laws, each with its figures and whether it holds.
    function lawList(laws, { say, cents }) {
        const figure = (law, key, number) => {
            if (number === undefined) return say('ui', 'none');
            return law === 'locks' && key === 'cash' ? cents(number) : count(number);
        };
        const items = laws.map(({ law, holds, ...figures }) => {
            const fills = Object.fromEntries(Object.entries(figures).map(([key, number]) => [key, figure(law, key, number)]));
            return make('li', { class: holds ? 'holds' : 'broken' },
                make('span', { class: 'mark', 'aria-hidden': 'true' }, holds ? '✓' : '✗'), ' ',
                say('law', law, fills), make('span', { class: 'verdict' }, say('ui', 'verdict', { verdict: say('ui', holds ? 'holds' : 'broken') })));
        });
        return make('ul', { class: 'laws', 'aria-label': say('ui', 'laws') }, items);
    }

    // What a reader wrote, as a link would have it: full-width digits and the page's own commas are fine.
    const plain = text => text.normalize('NFKC').replace(/[,\s]/g, '');

    // The form of a command: it shows the fields that the chosen command has.
    function commandForm(name, names, { say }, send) {
        const option = (value, text) => make('option', { value }, text);
        const choose = options => make('select', {}, options.map(([value, text]) => option(value, text)));
        const number = value => make('input', { type: 'text', inputmode: 'numeric', autocomplete: 'off', value });
        const inputs = {
            command: choose(Object.keys(FORMS).map(key => [key, say('ui', 'name-' + key)])),
            account: choose(names.map((who, i) => [i + 1, who])),
            intent: choose(FORMS.place[1][1].map(key => [key, say('intent', key)])),
            quantity: number(10),
            price: number(50),
            time_in_force: choose(FORMS.place[4][1].map(key => [key, say('time-long', key)])),
            order: number(1),
            amount: number(1000),
            outcome: choose(['yes', 'no'].map(key => [key, say('share', key)])),
        };
        const label = field => say('ui', 'field-' + (field === 'time_in_force' ? 'time' : field));
        const problem = make('p', { class: 'problem', id: name + '-problem', role: 'alert' });
        const fields = Object.entries(inputs).map(([field, input]) => make('label', { class: field }, label(field), input));
        const form = make('form', { novalidate: '', 'aria-label': say('ui', 'form') },
            fields, make('button', { type: 'submit' }, say('ui', 'send')), problem);

        const used = () => ['command', ...FORMS[inputs.command.value].map(([field]) => field)];
        const arrange = () => Object.keys(inputs).forEach((field, i) => { fields[i].hidden = !used().includes(field); });
        const tell = (input, text) => {
            problem.textContent = text;
            for (const one of Object.values(inputs)) one.removeAttribute('aria-invalid');
            if (!input) return;
            input.setAttribute('aria-invalid', 'true');
            input.setAttribute('aria-describedby', problem.id);
            input.focus();
        };
        inputs.command.addEventListener('change', () => { arrange(); tell(undefined, ''); });
        form.addEventListener('submit', event => {
            event.preventDefault();
            const command = { command: inputs.command.value, market: 1 };
            for (const [field, range] of FORMS[command.command]) {
                command[field] = value(plain(inputs[field].value), range);
                if (command[field] === undefined) {
                    tell(inputs[field], say('ui', 'not-a-number', { field: label(field), most: count(range) }));
                    return;
                }
            }
            tell(undefined, '');
            send(command);
        });
        arrange();
        return form;
    }

    // Lays a market over a section's still picture.
    function lay(section) {
        const data = JSON.parse(section.dataset.sandbox);
        const name = section.id;
        const teller = telling.teller(data.words, data.accounts);
        const { say } = teller;
        const story = data.story.map(parse);
        let [commands, at, bad, touched] = [story, 0, undefined, false];

        const hash = () => `#${name}=${commands.map(write).join(';')}${at < commands.length ? '@' + at : ''}`;

        // Goes to a place in a list of commands, and keeps it in the address.
        function go(list, place, wrong) {
            [commands, at, bad, touched] = [list, Math.max(0, Math.min(place, list.length)), wrong, true];
            show();
            try { history.replaceState(history.state, '', hash()); } catch { /* the link below still has it */ }
        }

        const step = (key, to) => make('button', {
            type: 'button', class: key, click: event => {
                if (event.currentTarget.getAttribute('aria-disabled') !== 'true') go(commands, to());
            },
        }, say('ui', key));
        const first = step('first', () => 0);
        const back = step('back', () => at - 1);
        const forward = step('forward', () => at + 1);
        const last = step('last', () => commands.length);
        const steps = make('div', { class: 'steps', role: 'group', 'aria-label': say('ui', 'steps') }, first, back, forward, last);
        const now = make('div', { class: 'now', role: 'status', tabindex: '-1' });
        const picture = make('div', { class: 'moment' });
        const form = commandForm(name, data.accounts, teller, command => go([...commands.slice(0, at), command], at + 1));
        const dropped = make('p', { class: 'dropped' }, say('ui', 'dropped'));
        const list = make('ol');
        const sent = make('details', { class: 'sent' }, make('summary', {}, say('ui', 'history')), list);
        const choice = (key, begin) => make('button', { type: 'button', click: () => go(begin, 0) }, say('ui', key));
        const link = make('a', { class: 'link' }, say('ui', 'link'));
        const choices = make('div', { class: 'choices' }, choice('story', story), choice('fresh', []), link);

        // What the place is, what the last command led to, and what comes next.
        function tell({ after, events }) {
            const place = say('ui', 'position', { step: at, steps: commands.length });
            const what = at ? teller.command(commands[at - 1]) : say('ui', 'deposits', { amount: teller.cents(data.cash) });
            const told = events.filter(() => at > 0).map(event =>
                make('li', { class: event.event === 'rejected' ? 'rejected' : undefined }, teller.event(event)));
            const accepted = at > 0 && events.find(event => event.event === 'accepted');
            const rest = accepted && [...after.bids, ...after.asks].find(order => order.order === accepted.order);
            if (rest) told.push(make('li', { class: 'so' }, say('ui', 'rests', { quantity: count(rest.quantity) })));
            return [
                bad === undefined ? '' : make('p', { class: 'problem' }, say('ui', 'bad-link', { part: bad })),
                make('p', { class: 'caption' }, make('span', { class: 'place' }, place), say('ui', 'joint'), make('strong', {}, what)),
                told.length ? make('ul', { class: 'events' }, told) : '',
                at < commands.length
                    ? make('p', { class: 'coming' }, say('ui', 'next', { command: teller.command(commands[at]) })) : '',
            ].filter(Boolean);
        }

        function show() {
            const played = play(data, commands.slice(0, at));
            now.replaceChildren(...tell(played));
            picture.replaceChildren(bookTable(played, teller), holdingsTable(played, teller), lawList(played.laws, teller));
            for (const [button, end] of [[first, 0], [back, 0], [forward, commands.length], [last, commands.length]]) {
                button.setAttribute('aria-disabled', String(at === end));
            }
            dropped.hidden = at === commands.length;
            sent.hidden = commands.length === 0;
            list.replaceChildren(...commands.map((command, i) => make('li', {}, make('button', {
                type: 'button', class: i < at ? 'done' : 'ahead', 'aria-current': i + 1 === at && 'step', click: () => go(commands, i + 1),
            }, teller.command(command)))));
            link.href = hash();
        }

        // Follows the address; says whether it was about this sandbox.
        function follow() {
            let asked = location.hash.slice(1);
            try { asked = decodeURIComponent(asked); } catch { /* as it stands, then */ }
            const situation = data.situations.find(({ id }) => asked === `${name}-${id}`);
            if (situation) go(situation.commands.map(parse), situation.commands.length - 1);
            else if (asked.startsWith(name + '=')) (({ commands, at, bad }) => go(commands, at, bad))(read(asked.slice(name.length + 1)));
            else return;
            section.scrollIntoView();
            now.focus({ preventScroll: true });
        }

        section.querySelector('.moment').replaceWith(steps, now, picture, form, dropped, sent, choices);
        section.classList.add('live');
        show();
        section.addEventListener('keydown', event => {
            const typing = event.target.matches('input, select');
            const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: commands.length }[event.key];
            if (!typing && to !== undefined && (steps.contains(event.target) || now.contains(event.target))) {
                event.preventDefault();
                go(commands, to);
            }
            // The page's own keys turn its pages.
            if (typing || event.key.startsWith('Arrow')) event.stopPropagation();
        });
        window.addEventListener('hashchange', follow);
        window.addEventListener('beforeprint', () => { if (!touched) { at = data.still; show(); } });
        // Behind the browser's own jump to the anchor.
        if (location.hash.startsWith(`#${name}`)) window.addEventListener('load', follow);
    }

    document.querySelectorAll('.sandbox').forEach(lay);
})();
