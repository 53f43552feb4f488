// The account dialog: create an account, continue with a key from elsewhere, show, copy or forget the key. The key is
// the only access to the account, so it is shown only on request, and forgotten only after a confirmation.

import { make, put, show } from './dom.js';
import { refusal, say } from './words.js';

// A short code of a class, with or without its dash.
const CODE = /^[a-z2-9]{3}[- ]?[a-z2-9]{3}$/i;

export function accountDialog(page) {
    const { account } = page;
    const told = make('p', { role: 'status', class: 'soft' });
    const tell = text => put(told, text);

    // The action of a button may fail; then the dialog shows why.
    async function attempt(work) {
        tell('');
        try {
            await work();
        } catch (problem) {
            tell(refusal(problem));
        }
        page.touch();
    }

    const visitor = forVisitors(account, attempt);
    const owner = forOwners(account, attempt, tell);
    const heading = make('h2', { id: 'account-heading' }, say('account'));
    const hide = () => {
        owner.hide();
        tell('');
    };
    const element = make('dialog', { 'aria-labelledby': 'account-heading', close: hide },
        make('div', { class: 'row' }, heading, make('button', { type: 'button', class: 'quiet', click: () => element.close() }, say('close'))),
        visitor, owner.element, told);
    return {
        element,
        open() {
            hide();
            element.showModal();
        },
        draw() {
            show(visitor, !account.isOpen);
            show(owner.element, account.isOpen);
            owner.draw();
        },
    };
}

function forVisitors(account, attempt) {
    const name = make('input', { id: 'account-name', maxlength: '40', autocomplete: 'off' });
    const key = make('input', { id: 'account-key', autocomplete: 'off', spellcheck: 'false', type: 'password' });
    const form = (work, ...parts) => make('form', { class: 'stack', submit: event => { event.preventDefault(); attempt(work); } }, parts);

    async function useKey() {
        const typed = key.value.trim();
        if (typed === '') return key.focus();
        if (CODE.test(typed)) await account.join(typed);
        else await account.use(typed);
        key.value = '';
        const { problem } = account;
        if (!['unauthenticated', 'forbidden'].includes(problem?.reason)) return;
        account.forget();
        throw problem;
    }

    return make('div', { class: 'stack' }, make('p', {}, say('newcomer')),
        form(() => account.open(name.value.trim()), make('label', { for: 'account-name' }, say('name-field')), name,
            make('button', { type: 'submit', class: 'primary' }, say('open-account'))),
        form(useKey, make('label', { for: 'account-key' }, say('key-field')), key, make('button', { type: 'submit' }, say('use-key'))));
}

function forOwners(account, attempt, tell) {
    const [who, note, code] = [make('p', {}), make('p', { class: 'soft' }), make('p', { class: 'code' })];
    const shown = make('output', { class: 'key', hidden: true });
    const act = (key, work) => make('button', { type: 'button', click: () => attempt(work) }, say(key));
    const sure = make('div', { class: 'stack', hidden: true }, make('p', { class: 'warning' }, say('forget-sure')),
        make('div', { class: 'row start' }, act('forget-yes', () => { hide(); account.forget(); }), act('forget-no', () => show(sure, false))));
    const reveal = () => {
        put(shown, account.key);
        show(shown, true);
    };
    // Without a secure connection browsers don't let a page copy: then the key is shown, to be copied by hand.
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(account.key);
            tell(say('copied'));
        } catch {
            reveal();
        }
    };
    function hide() {
        put(shown, '');
        show(shown, false);
        show(sure, false);
    }
    const element = make('div', { class: 'stack' }, who, code, note, shown,
        make('div', { class: 'row start' }, act('show-key', reveal), act('copy-key', copy), act('forget', () => show(sure, true))), sure);
    return {
        element, hide,
        draw() {
            put(who, [account.name, account.id && say('account-number', { id: account.id }), say('play-money')].filter(Boolean).join(' · '));
            put(code, account.code ? say('your-code', { code: account.code }) : '');
            show(code, account.code !== null);
            put(note, say(account.problem?.reason === 'unauthenticated' ? 'key-refused' : account.isKept ? 'key-kept' : 'key-not-kept'));
        },
    };
}
