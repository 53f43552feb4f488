// Before anything is drawn: the language and the colours, so that no page flashes in the wrong ones. A plain script,
// because modules run later. What a reader has chosen is kept; else the browser and the system decide.
(function early() {
    'use strict';

    const kept = name => { try { return localStorage.getItem(name); } catch { return null; } };
    const language = kept('nnc-language') || ((navigator.language || '').toLowerCase().startsWith('zh') ? 'zh' : 'en');
    const root = document.documentElement;
    root.lang = language === 'zh' ? 'zh' : 'en';
    const colours = kept('nnc-colours') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    root.dataset.colours = colours === 'dark' ? 'dark' : 'light';
})();
