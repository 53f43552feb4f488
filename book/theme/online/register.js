// Asks the browser to keep the book, once the page is there. A browser that cannot, or may not, shows it all the same.
(function register() {
    'use strict';

    const worker = new URL('worker.js', document.currentScript.src);
    if (!navigator.serviceWorker) return;
    window.addEventListener('load', () => {
        navigator.serviceWorker.register(worker).catch(() => { /* private window, full disk */ });
    });
})();
