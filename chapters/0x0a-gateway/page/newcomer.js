// For users without an account: one press creates it.

import { make, put, show } from './dom.js';
import { refusal, say } from './words.js';

export function newcomer(page, ...more) {
    const problem = make('p', { class: 'warning', role: 'alert' });
    const button = make('button', { type: 'button', class: 'primary', click: open }, say('open-account'));

    async function open() {
        button.disabled = true;
        put(problem, '');
        put(button, say('opening'));
        try {
            await page.account.open();
        } catch (refused) {
            put(problem, refusal(refused));
        }
        put(button, say('open-account'));
        button.disabled = false;
        page.touch();
    }

    return {
        element: make('div', { class: 'newcomer' }, make('p', {}, say('newcomer')), make('div', { class: 'row start' }, button, more), problem),
        draw(isWanted) {
            show(this.element, isWanted);
            show(problem, problem.textContent !== '');
        },
    };
}
