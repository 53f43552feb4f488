// Draws a reader's own record under each chart of the page, as the build does with one's own runs, until it is taken away.
(function show(scope) {
    'use strict';

    const { charts } = scope.book;
    const SVG = 'http://www.w3.org/2000/svg';

    // Texts become text nodes and attributes of elements that are made here: a record brings no elements of its own.
    function element(tag, attributes, ...children) {
        const made = document.createElementNS(SVG, tag);
        for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
        made.append(...children.filter(child => child !== undefined));
        return made;
    }

    function caption(words) {
        const made = document.createElement('figcaption');
        made.textContent = words;
        return made;
    }

    function pictured(given, scene) {
        const { viewBox, elements } = charts.svg(given, scene);
        const label = `${given.own}: ${scene.title}. ${scene.description}`;
        const svg = element('svg', { viewBox, role: 'img', 'aria-label': label }, ...elements.map(one => element(...one)));
        const scroll = document.createElement('div');
        scroll.className = 'scroll';
        scroll.append(svg);
        const figure = document.createElement('figure');
        figure.className = 'chart yours dropped';
        figure.append(scroll, caption(given.own));
        return figure;
    }

    // The reference says that it is one while another stands under it: its words, and as they were when the page came.
    const labels = new Map();
    function refer(figure, given, isAccompanied) {
        const picture = figure.querySelector('svg');
        const said = figure.querySelector('figcaption');
        if (isAccompanied && !said) {
            labels.set(figure, picture.getAttribute('aria-label'));
            figure.append(caption(given.reference));
            picture.setAttribute('aria-label', `${given.reference}: ${labels.get(figure)}`);
        } else if (!isAccompanied && labels.has(figure)) {
            said.remove();
            picture.setAttribute('aria-label', labels.get(figure));
            labels.delete(figure);
        }
    }

    charts.show = function showAll(records) {
        const place = document.querySelector('[data-own-charts]');
        if (!place) return;
        const given = JSON.parse(place.dataset.ownCharts);
        for (const one of document.querySelectorAll('figure.dropped')) one.remove();
        for (const figure of document.querySelectorAll('figure[data-chart]')) {
            const scene = charts.draw(figure.dataset.chart, records, given);
            // What the build drew out of one's own run gives way to what was dropped.
            const next = figure.nextElementSibling;
            const built = next?.matches('figure.yours') ? next : undefined;
            if (built) built.hidden = scene !== undefined;
            else refer(figure, given, scene !== undefined);
            if (scene) figure.after(pictured(given, scene));
        }
    };
})(globalThis);
