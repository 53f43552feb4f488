// Numbers and times for display, in the page's language. Everywhere else amounts are whole cents and whole shares; only
// here they become text.

const locale = () => document.documentElement.lang === 'zh' ? 'zh-CN' : 'en-GB';
const made = new Map();

function formatter(kind, options) {
    const name = `${locale()} ${kind.name} ${JSON.stringify(options)}`;
    if (!made.has(name)) made.set(name, new kind(locale(), options));
    return made.get(name);
}

// 1234 cents become $12.34.
export function money(cents) {
    const dollars = formatter(Intl.NumberFormat, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(Math.abs(cents) / 100);
    return `${cents < 0 ? '−' : ''}$${dollars}`;
}

export function count(number) {
    return formatter(Intl.NumberFormat, { maximumFractionDigits: 0 }).format(number);
}

// With its sign, also if it is positive: +3, −2, 0.
export function signed(number) {
    return `${number > 0 ? '+' : number < 0 ? '−' : ''}${count(Math.abs(number))}`;
}

// One decimal if it is not zero: 40.5, but 40.
export function tenths(number) {
    return formatter(Intl.NumberFormat, { maximumFractionDigits: 1 }).format(number);
}

// The user's local time: 14:03:22.
export function clock(timeMs) {
    return formatter(Intl.DateTimeFormat, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }).format(timeMs);
}

// The same without seconds, and with the day unless it is today.
export function moment(timeMs) {
    const isToday = new Date(timeMs).toDateString() === new Date().toDateString();
    const time = { hour: '2-digit', minute: '2-digit', hour12: false };
    return formatter(Intl.DateTimeFormat, isToday ? time : { month: 'short', day: 'numeric', ...time }).format(timeMs);
}

// A duration: 0.4 ms, 12 ms, 1.2 s.
export function took(ms) {
    if (ms < 10) return `${tenths(ms)} ms`;
    return ms < 1000 ? `${count(ms)} ms` : `${tenths(ms / 1000)} s`;
}
