// What the shell does beyond mdBook's own script: the language switch that stays on the section, the contents
// button, and keyboard access to everything that scrolls sideways.
(function page() {
    'use strict';

    const zh = document.documentElement.lang === 'zh-CN';

    // The section being read: the last heading above the upper third of the window.
    function section() {
        const line = window.innerHeight / 3;
        let current = '';
        for (const heading of document.querySelectorAll('main :is(h1, h2, h3, h4)[id]')) {
            if (heading.getBoundingClientRect().top > line) break;
            current = heading.id;
        }
        const end = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
        const asked = decodeURIComponent(location.hash.slice(1));
        return end && asked && document.getElementById(asked) ? asked : current;
    }

    // The situation of a sandbox that is on the screen, as the address has it.
    function situation() {
        const kept = location.hash.slice(1);
        const sandbox = kept.includes('=') && document.getElementById(kept.split('=')[0]);
        const box = sandbox && sandbox.getBoundingClientRect();
        return box && box.top < window.innerHeight && box.bottom > 0 ? kept : '';
    }

    const link = document.getElementById('switch');
    const target = link.getAttribute('href').replace(/\.md$/, '.html');
    link.setAttribute('href', target);
    for (const event of ['pointerdown', 'focus', 'click']) {
        link.addEventListener(event, () => {
            const id = situation() || encodeURIComponent(section());
            link.setAttribute('href', id ? target + '#' + id : target);
            try { localStorage.setItem('book-lang', link.hreflang); } catch { /* private window */ }
        });
    }

    // mdBook's script listens to this button before we do and makes the sidebar ready to slide in.
    const checkbox = document.getElementById('mdbook-sidebar-toggle-anchor');
    const toggle = document.getElementById('mdbook-sidebar-toggle');
    const sidebar = document.getElementById('mdbook-sidebar');
    const reach = () => {
        toggle.setAttribute('aria-expanded', String(checkbox.checked));
        sidebar.inert = !checkbox.checked;
        sidebar.removeAttribute('aria-hidden');
    };
    toggle.addEventListener('click', () => checkbox.click());
    checkbox.addEventListener('change', reach);
    reach();

    // Where the page stands on the ladder: one rung a chapter of the contents, up to the one that it belongs to.
    const rungs = [...sidebar.querySelectorAll('a')].filter(a => a.textContent.trim().startsWith('0x'));
    const active = sidebar.querySelector('a.active');
    const chapter = active && (rungs.includes(active) ? active : active.closest('ol')?.closest('li')?.querySelector('a'));
    const at = rungs.indexOf(chapter) + 1;
    if (at > 0) {
        const ladder = document.createElement('span');
        ladder.className = 'rungs';
        ladder.setAttribute('role', 'img');
        ladder.setAttribute('aria-label', zh ? `阶梯上第 ${at} 章，共 ${rungs.length} 章` : `Chapter ${at} of ${rungs.length} on the ladder`);
        ladder.append(...rungs.map((_, i) => {
            const rung = document.createElement('i');
            if (i < at) rung.className = i + 1 === at ? 'now' : 'done';
            return rung;
        }));
        document.querySelector('.way .here').append(' ', ladder);
    }

    // A box that scrolls sideways can be reached and scrolled by keyboard, and fades where there is more.
    const kinds = [['.scroll', 'Picture', '图'], ['code', 'Code', '代码'], ['.table-wrapper', 'Table', '表格']];
    const fade = box => box.classList.toggle('more', box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    function boxes() {
        document.querySelectorAll('main :is(pre > code, pre.diff, .table-wrapper, .scroll)').forEach((box, i) => {
            fade(box);
            box.onscroll = () => fade(box);
            // Named anew each time: what came or went before it changes its number. A diff came with a name of its own.
            if (box.dataset.box === undefined && (box.scrollWidth <= box.clientWidth || box.hasAttribute('tabindex'))) return;
            box.dataset.box = '';
            const [, en, cn] = kinds.find(([selector]) => box.matches(selector));
            box.tabIndex = 0;
            box.setAttribute('role', 'region');
            box.setAttribute('aria-label', `${zh ? cn : en} ${i + 1}`);
        });
    }
    boxes();
    window.addEventListener('resize', boxes);

    // Answers are folded for reading and open for printing.
    window.addEventListener('beforeprint', () => {
        document.querySelectorAll('main details').forEach(answer => { answer.open = true; });
    });

    // The whole book on one page is there to be printed.
    if (document.documentElement.hasAttribute('data-print')) {
        window.addEventListener('load', () => window.setTimeout(() => window.print(), 100));
    }
})();
