// What mdBook's scripts find ready, and the theme, before anything is shown, so that nothing flashes. It stands in a
// file of its own, as all scripts do: the page's security policy lets none run that stands in the page.
const { root: path_to_root, light: default_light_theme, dark: default_dark_theme } = document.documentElement.dataset;
window.path_to_searchindex_js = document.documentElement.dataset.search;
window.playground_copyable = true;
// A page without Rust online comes without the script that colours it, which mdBook's own calls on every page.
window.hljs = { configure() {}, highlightBlock() {} };

const default_theme = window.matchMedia('(prefers-color-scheme: dark)').matches ? default_dark_theme : default_light_theme;
let theme;
try { theme = localStorage.getItem('mdbook-theme'); } catch { /* private window */ }
if (theme !== default_light_theme && theme !== default_dark_theme) theme = default_theme;
document.documentElement.classList.remove(default_light_theme);
document.documentElement.classList.add(theme, 'js');
