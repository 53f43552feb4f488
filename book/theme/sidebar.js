// Whether the contents stand beside the page, before they are drawn: on a wide window, unless the reader closed them.
(function contents() {
    'use strict';

    let kept = 'hidden';
    if (document.body.clientWidth >= 1080) {
        try { kept = localStorage.getItem('mdbook-sidebar'); } catch { kept = null; }
        kept = kept || 'visible';
    }
    document.getElementById('mdbook-sidebar-toggle-anchor').checked = kept === 'visible';
    document.documentElement.classList.toggle('sidebar-visible', kept === 'visible');
})();
