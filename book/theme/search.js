// Search by plain substring over the text that mdBook's index already holds. It needs no word segmentation, so
// Chinese works as English does; the index is a script, so it works from a file on disk too.
(function search() {
    'use strict';

    const LIMIT = 30;
    const AROUND = 40;
    const zh = document.documentElement.lang === 'zh-CN';
    const button = document.getElementById('mdbook-search-toggle');
    const box = document.getElementById('search');
    const input = document.getElementById('search-input');
    const count = document.getElementById('search-count');
    const list = document.getElementById('search-results');

    window.search = { hasFocus: () => box.contains(document.activeElement) };

    let sections = null;
    function load() {
        if (sections !== null || document.getElementById('search-index')) return;
        const script = document.createElement('script');
        script.id = 'search-index';
        script.src = window.path_to_searchindex_js;
        script.onload = () => {
            const docs = window.search.index.documentStore.docs;
            sections = window.search.doc_urls.map((url, i) => ({ url, ...docs[i] }));
            show();
        };
        document.head.append(script);
    }

    const fold = text => text.toLowerCase();

    // Every word must be found; a word in the title counts most.
    function score(section, words) {
        const title = fold(section.title);
        const body = fold(section.body);
        let sum = 0;
        for (const word of words) {
            const hits = body.split(word).length - 1;
            if (!hits && !title.includes(word)) return 0;
            sum += (title.includes(word) ? 50 : 0) + Math.min(hits, 20);
        }
        return sum;
    }

    function find(query) {
        const rank = words => sections
            .map(section => ({ section, words, score: score(section, words) }))
            .filter(hit => hit.score > 0)
            .sort((a, b) => b.score - a.score);
        // The query as it stands, then its words, then its words in the singular: `orders` should find `order`.
        const words = fold(query).split(/\s+/).filter(Boolean);
        const tries = [[words.join(' ')], words, words.map(word => word.replace(/([a-z]{2})s$/, '$1'))];
        return tries.map(rank).find(hits => hits.length) || [];
    }

    // The text with the words marked, as nodes: nothing from the index is ever read as HTML.
    function marked(text, words) {
        const out = document.createDocumentFragment();
        let rest = text;
        while (rest) {
            const at = words.map(word => [fold(rest).indexOf(word), word.length]).filter(([i]) => i >= 0)
                .sort((a, b) => a[0] - b[0])[0];
            if (!at) break;
            out.append(rest.slice(0, at[0]));
            const mark = document.createElement('mark');
            mark.textContent = rest.slice(at[0], at[0] + at[1]);
            out.append(mark);
            rest = rest.slice(at[0] + at[1]);
        }
        out.append(rest);
        return out;
    }

    function teaser(hit) {
        const body = hit.section.body;
        const at = Math.max(0, ...hit.words.map(word => fold(body).indexOf(word)).filter(i => i >= 0).slice(0, 1));
        const from = Math.max(0, at - AROUND);
        return (from > 0 ? '…' : '') + body.slice(from, at + 3 * AROUND) + (at + 3 * AROUND < body.length ? '…' : '');
    }

    function show() {
        if (sections === null) return;
        const query = input.value.trim();
        const hits = query ? find(query) : [];
        count.textContent = !query ? '' : zh ? `找到 ${hits.length} 处` : `${hits.length} found`;
        list.replaceChildren(...hits.slice(0, LIMIT).map(hit => {
            const item = document.createElement('li');
            const link = document.createElement('a');
            const [page, id] = hit.section.url.split('#');
            link.href = path_to_root + page + '?mark=' + encodeURIComponent(hit.words.join('\n')) + (id ? '#' + id : '');
            link.append(marked(hit.section.breadcrumbs, hit.words));
            const text = document.createElement('p');
            text.append(marked(teaser(hit), hit.words));
            item.append(link, text);
            return item;
        }));
    }

    function open(yes) {
        box.hidden = !yes;
        button.setAttribute('aria-expanded', String(yes));
        if (yes) {
            load();
            window.scrollTo(0, 0);
            input.select();
            input.focus();
        } else {
            button.focus();
        }
    }

    button.setAttribute('aria-expanded', 'false');
    button.addEventListener('click', () => open(box.hidden));
    input.addEventListener('input', show);
    document.addEventListener('keydown', event => {
        if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
        const typing = /^(input|select|textarea)$/i.test(event.target.nodeName);
        if (event.key === 'Escape' && !box.hidden) {
            open(false);
        } else if (!typing && (event.key === '/' || event.key === 's')) {
            event.preventDefault();
            open(true);
        } else if (event.key === 'Enter' && event.target === input && list.querySelector('a')) {
            list.querySelector('a').click();
        }
    });

    // Arrived from a result: mark the words in the page.
    const words = fold(new URLSearchParams(location.search).get('mark') || '').split('\n').filter(Boolean);
    if (words.length) {
        const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
        const nodes = [];
        while (walker.nextNode()) {
            const node = walker.currentNode;
            if (!node.parentElement.closest('svg, script, style') && words.some(word => fold(node.data).includes(word))) nodes.push(node);
        }
        nodes.forEach(node => node.replaceWith(marked(node.data, words)));
    }
})();
