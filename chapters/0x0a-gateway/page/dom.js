// Creates elements, and updates them without work if nothing has changed. Text from others (names, questions) enters
// the page only as text: nothing here, or anywhere in the page, parses HTML.

// An element; attributes that are functions become listeners, those that are null or false are left out.
export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === 'function') element.addEventListener(name, value);
        else if (value === true) element.setAttribute(name, '');
        else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
    }
    element.append(...children.flat(3).filter(child => child !== undefined && child !== null && child !== false));
    return element;
}

// Sets the text of an element only if it differs, so that the browser need not lay it out again.
export function put(element, text) {
    const value = String(text);
    if (element.textContent !== value) element.textContent = value;
}

export function show(element, visible) {
    if (element.hidden === visible) element.hidden = !visible;
}

export function mark(element, name, on) {
    if (element.classList.contains(name) !== Boolean(on)) element.classList.toggle(name, Boolean(on));
}

export function attribute(element, name, value) {
    if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

// Replaces the children of `element` only if `key` differs from the last time: for short lists that change as a whole.
export function redraw(element, key, children) {
    if (element.drawnFor === key) return;
    element.drawnFor = key;
    element.replaceChildren(...children().flat(3).filter(Boolean));
}

// In a browser that stores nothing (a private window, a full disk) trading still works until the page is closed.
export const keeper = (storage => ({
    get(name) { try { return storage().getItem(name); } catch { return null; } },
    set(name, value) {
        try {
            if (value === null) storage().removeItem(name);
            else storage().setItem(name, value);
            return true;
        } catch { return false; }
    },
}));
export const kept = keeper(() => localStorage);
