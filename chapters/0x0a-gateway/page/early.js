// Before the first frame: the language and the colours, so that the page does not flash in the wrong ones. A plain
// script, because modules run later. The user's choice is stored; without one, the browser and the system decide.
(function early() {
    'use strict';

    const kept = name => { try { return localStorage.getItem(name); } catch { return null; } };
    const language = kept('nnc-language') || ((navigator.language || '').toLowerCase().startsWith('zh') ? 'zh' : 'en');
    const root = document.documentElement;
    root.lang = language === 'zh' ? 'zh' : 'en';
    const colours = kept('nnc-colours') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    root.dataset.colours = colours === 'dark' ? 'dark' : 'light';
})();
