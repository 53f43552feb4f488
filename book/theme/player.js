// Steps through a recording. What each step shows was decided when the book was built: here parts of the picture
// get their place, class and text, and the step its sentence. Forwards, backwards, by slider and by key.
(function players() {
    'use strict';

    // The whole book on one page is for printing: the still pictures stay.
    if (document.documentElement.hasAttribute('data-print')) return;

    function lay(section) {
        const { frames, still, ui } = JSON.parse(section.dataset.player);
        // A step says what is not as in the one before.
        frames.reduce((before, frame) => frame.parts = { ...before, ...frame.parts }, {});
        const svg = section.querySelector('svg');
        const label = section.getAttribute('aria-label');
        const part = name => section.querySelector(`[data-part="${name}"]`);
        const last = frames.length - 1;
        let [at, touched] = [0, false];

        const make = (tag, attributes, ...children) => {
            const element = document.createElement(tag);
            for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
            element.append(...children);
            return element;
        };
        const button = (key, to) => {
            const element = make('button', { type: 'button', class: key }, ui[key]);
            element.addEventListener('click', () => go(to()));
            return element;
        };
        const buttons = [button('first', () => 0), button('back', () => at - 1), button('forward', () => at + 1), button('last', () => last)];
        const slider = make('input', { type: 'range', min: 0, max: last, value: 0, 'aria-label': ui.scrub });
        const said = make('p', { class: 'said', role: 'status' });
        const steps = make('div', { class: 'steps' }, ...buttons, slider);
        const told = [...section.querySelectorAll('ol li')];
        // Where several runs are shown. Each with as many steps: from one to another at the same step; else to its beginning.
        const runs = frames.map(({ parts }) => parts.run?.text);
        const begins = runs.flatMap((run, i) => run === runs[i - 1] ? [] : [i]);
        const runOf = step => begins.findLastIndex(begin => begin <= step);
        const isEven = begins.every((begin, i) => begin * begins.length === i * frames.length);
        const choice = begins.map((begin, i) => {
            const element = make('button', { type: 'button' }, runs[begin]);
            element.addEventListener('click', () => go(begin + (isEven ? at - begins[runOf(at)] : 0)));
            return element;
        });

        function go(to) {
            touched = true;
            show(Math.max(0, Math.min(to, last)));
        }

        function show(to) {
            at = to;
            // What this step touched, wherever the reader comes from.
            const before = frames[Math.max(0, at - 1)].parts;
            const { said: sentence, parts } = frames[at];
            for (const [name, { class: kind, text, at: place }] of Object.entries(parts)) {
                const element = part(name);
                if (kind !== undefined) element.setAttribute('class', kind);
                if (text !== undefined) element.textContent = text;
                if (place !== undefined) element.setAttribute('transform', place);
                if (text !== undefined) element.classList.toggle('touched', before[name].text !== text);
            }
            const place = ui.position.replace('{step}', at).replace('{steps}', last);
            said.replaceChildren(make('span', { class: 'place' }, place), ' ', sentence);
            svg.setAttribute('aria-label', `${label}: ${sentence}`);
            slider.value = at;
            slider.setAttribute('aria-valuetext', `${place} ${sentence}`);
            told.forEach((item, i) => item.toggleAttribute('aria-current', i === at));
            told[at].setAttribute('aria-current', 'step');
            choice.forEach((one, i) => one.setAttribute('aria-pressed', String(i === runOf(at))));
            buttons.forEach((one, i) => one.setAttribute('aria-disabled', String(at === (i < 2 ? 0 : last))));
        }

        slider.addEventListener('input', () => go(Number(slider.value)));
        section.addEventListener('keydown', event => {
            // The page's own keys turn its pages.
            if (event.key.startsWith('Arrow')) event.stopPropagation();
            const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
            if (to === undefined || !buttons.includes(event.target)) return;
            event.preventDefault();
            go(to);
        });
        // Parts that stand for a step lead to it. Without a pointer there is the slider.
        section.querySelectorAll('[data-step]').forEach(part => part.addEventListener('click', () => go(Number(part.dataset.step))));
        window.addEventListener('beforeprint', () => { if (!touched) show(still); });

        section.querySelector('figcaption').remove();
        section.prepend(steps, said);
        if (choice.length > 1) section.prepend(make('div', { class: 'steps runs', role: 'group', 'aria-label': ui.runs }, ...choice));
        section.querySelector('details').open = false;
        section.classList.add('live');
        show(0);
    }

    document.querySelectorAll('.player').forEach(lay);
})();
