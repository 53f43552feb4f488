// A reader who wants to guess first can have the answers folded: the charts, the tables of figures and the numbers behind
// a guess stay closed until all of the page's guesses are written. It is off by default, each piece can be opened by
// itself, and the choice stays in this browser.
(function folds() {
    'use strict';

    if (document.documentElement.hasAttribute('data-print')) return;

    const KEY = 'book-fold';
    const guesses = [...document.querySelectorAll('main .guess')];
    if (!guesses.length) return;
    const told = guesses.map(section => JSON.parse(section.dataset.guess));
    const words = told[0].words.fold;

    let memory = false;
    const chosen = () => { try { return localStorage.getItem(KEY) === 'yes'; } catch { return memory; } };
    function choose(yes) {
        memory = yes;
        try { localStorage.setItem(KEY, yes ? 'yes' : 'no'); } catch { /* for as long as the page is */ }
    }

    // The numbers that answer, as they stand in the page's `value`.
    const answers = new Set(told.flatMap(({ guess }) => [guess.measured, ...guess.items]).map(one => one && String(one.value)));
    const isBehind = element => guesses[0].compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
    const kinds = { chart: 'figure.chart:not(.yours)', table: '.table-wrapper.record', number: 'main data.num' };
    const pieces = Object.entries(kinds).flatMap(([kind, found]) => [...document.querySelectorAll(found)]
        .filter(element => isBehind(element) && (kind !== 'number' || (answers.has(element.getAttribute('value')) && !element.closest(kinds.table))))
        .map(element => ({ kind, element, opened: false })));
    if (!pieces.length) return;

    for (const piece of pieces) {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = `fold ${piece.kind}`;
        button.textContent = piece.kind === 'number' ? '?' : words[piece.kind];
        if (piece.kind === 'number') button.setAttribute('aria-label', words.number);
        button.addEventListener('click', () => {
            piece.opened = true;
            show();
            piece.element.tabIndex = -1;
            piece.element.focus();
        });
        piece.element.before(button);
        piece.button = button;
    }

    const box = document.createElement('input');
    box.type = 'checkbox';
    const label = document.createElement('label');
    label.append(box, ' ', words.choose);
    const said = document.createElement('span');
    said.setAttribute('role', 'status');
    const choice = document.createElement('p');
    choice.className = 'fold-choice';
    choice.append(label, ' ', said);
    guesses.at(-1).after(choice);

    function show() {
        box.checked = chosen();
        const fold = chosen() && !guesses.every(section => section.hasAttribute('data-written'));
        for (const { element, button, opened } of pieces) {
            element.classList.toggle('folded', fold && !opened);
            button.hidden = !fold || opened;
        }
        const count = pieces.filter(({ opened }) => fold && !opened).length;
        const now = count ? words.folded.replace('{count}', count) : chosen() ? words.none : '';
        if (said.textContent !== now) said.textContent = now;
    }

    box.addEventListener('change', () => {
        choose(box.checked);
        pieces.forEach(piece => { piece.opened = false; });
        show();
    });
    document.addEventListener('book-guessed', show);
    window.addEventListener('storage', event => { if (event.key === KEY || event.key === null) show(); });
    show();
})();
