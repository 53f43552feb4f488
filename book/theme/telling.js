// Commands as a sandbox writes them, and commands and events in words. The words come with the page, out of
// `book/sandboxes/words.toml`; `book/src/sandbox/tell.rs` fills them in the same way for the still picture.
(function telling(scope) {
    'use strict';

    const { INTENTS, TIMES, inYesCents, needs, tradeKind } = scope.book.market;

    // A command's parts, in the order in which they are written, and what each may be: a number up to a limit or one
    // of some words. The limits are the contract's, but for amounts and orders, which end where a double does.
    const PRECISE = Number.MAX_SAFE_INTEGER;
    const ACCOUNT = ['account', 2 ** 32 - 1];
    const FORMS = {
        place: [ACCOUNT, ['intent', Object.keys(INTENTS)], ['price', 255], ['quantity', 2 ** 32 - 1], ['time_in_force', TIMES]],
        cancel: [ACCOUNT, ['order', PRECISE]],
        deposit: [ACCOUNT, ['amount', PRECISE]],
        withdraw: [ACCOUNT, ['amount', PRECISE]],
        resolve: [['outcome', ['yes', 'no']]],
    };

    // What a part's text stands for, or nothing.
    function value(text, range) {
        if (Array.isArray(range)) return range.includes(text) ? text : undefined;
        return /^[0-9]{1,16}$/.test(text) && Number(text) <= range ? Number(text) : undefined;
    }

    // The command that `place.1.buy-yes.60.10.gtc` stands for, or nothing.
    function parse(text) {
        const [name, ...parts] = text.split('.');
        const form = Object.hasOwn(FORMS, name) && FORMS[name];
        if (!form || form.length !== parts.length) return undefined;
        const command = { command: name, market: 1 };
        for (const [at, [field, range]] of form.entries()) {
            command[field] = value(parts[at], range);
            if (command[field] === undefined) return undefined;
        }
        return command;
    }

    const write = command => [command.command, ...FORMS[command.command].map(([field]) => command[field])].join('.');

    const count = number => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

    // Tells commands and events to the readers of one language.
    function teller(words, names) {
        const say = (group, key, fills = {}) =>
            Object.entries(fills).reduce((text, [name, fill]) => text.replaceAll(`{${name}}`, fill), words[group][key]);
        const name = id => names[id - 1] || say('ui', 'account', { id });
        const cents = amount => say('ui', 'cents', { amount: count(amount) });

        function command({ command: what, account, intent, price, quantity, time_in_force: time, order, amount, outcome }) {
            return say('command', what, {
                who: account === undefined ? '' : name(account),
                intent: intent && say('intent', intent),
                quantity: quantity === undefined ? '' : count(quantity),
                price,
                time: time && say('time', time),
                order,
                amount: amount === undefined ? '' : cents(amount),
                outcome: outcome && say('share', outcome),
            });
        }

        function locked({ intent, price, quantity }) {
            const { cash, shares } = needs(intent, price, quantity);
            const { buys, share } = INTENTS[intent];
            return buys ? cents(cash) : say('ui', 'shares', { quantity: count(shares), share: say('share', share) });
        }

        function trade({ price, quantity, maker_account, taker_account, maker_intent, taker_intent }) {
            const worth = intent => count(inYesCents(intent, price) * quantity);
            const does = intent => say('does', INTENTS[intent].buys ? 'pays' : 'gets');
            return say('event', 'traded', {
                kind: say('kind', tradeKind(maker_intent, taker_intent)),
                quantity: count(quantity),
                price,
                maker: name(maker_account),
                maker_does: does(maker_intent),
                maker_value: worth(maker_intent),
                taker: name(taker_account),
                taker_does: does(taker_intent),
                taker_value: worth(taker_intent),
            });
        }

        function event(one) {
            const { event: what, account, order, quantity, amount, outcome } = one;
            switch (what) {
            case 'accepted':
                return say('event', what, {
                    order, side: say('side', INTENTS[one.intent].side), price: one.price, locked: locked(one),
                });
            case 'traded':
                return trade(one);
            case 'cancelled':
                return say('event', what, { order, quantity: count(quantity), why: say('why', one.reason) });
            case 'resolved':
                return say('event', what, { outcome: say('share', outcome), amount: cents(one.paid) });
            case 'rejected':
                return say('event', what, { reason: one.reason, words: say('reason', one.reason) });
            default:
                return say('event', what, { who: name(account), amount: cents(amount) });
            }
        }

        // A resting order, with its own price: that of the share it trades.
        const resting = ({ order, account, intent, price, quantity }) => say('ui', 'order', {
            order, who: name(account), intent: say('intent', intent), quantity: count(quantity), price: inYesCents(intent, price),
        });

        return { say, name, cents, command, event, resting };
    }

    scope.book.telling = { FORMS, parse, write, value, count, teller };
})(globalThis);
