// Figures in words and texts in pixels, as the measuring tool's charts have them: a second reading of `units.rs` and
// `charts/text.rs` in `perf/results`. Units, words and the widths of characters are given, never typed here.
(function figures(scope) {
    'use strict';

    // A number with so many decimals; of two that are as near, the one whose last digit is even.
    function fixed(value, digits) {
        if (Math.abs(value) >= 1e21) return String(BigInt(value));
        const longer = value.toFixed(digits + 1);
        const isTie = longer.endsWith('5') && Number.isInteger(value * 2 ** (digits + 1));
        const below = longer.slice(0, -1).replace(/\.$/, '');
        return isTie && Number(below.at(-1)) % 2 === 0 ? below : value.toFixed(digits);
    }

    // A number as short as it can be said, without an exponent.
    function plain(value) {
        const [digits, power] = String(value).split('e-');
        if (power === undefined) return digits;
        return value.toFixed(Math.min(Number(power) + (digits.split('.')[1] ?? '').length, 100));
    }

    function grouped(value) {
        const digits = fixed(Math.abs(value), 0).replace(/\B(?=(\d{3})+$)/g, ',');
        return value <= -0.5 ? `-${digits}` : digits;
    }

    // Three digits that count; a whole number stays one.
    function threeDigits(value) {
        if (value >= 99.95) return grouped(value);
        const text = fixed(value, value >= 9.995 ? 1 : 2);
        return text.replace(/\.0+$/, '');
    }

    function factor(value) {
        if (value >= 99.95) return `×${grouped(value)}`;
        return `×${fixed(value, value >= 9.995 ? 1 : 2)}`;
    }

    // What needs a language's units.
    function inUnits({ times, counts, per_second: perSecond }) {
        const duration = ns => {
            const [scale, unit] = times.find(([one]) => ns < 999.5 * one) ?? times.at(-1);
            return `${threeDigits(ns / scale)} ${unit}`;
        };
        const count = value => {
            const found = counts.find(([one]) => value >= Math.max(one, 1e4) * 0.99995);
            if (found) return `${threeDigits(value / found[0])} ${found[1]}`;
            return value < 99.95 ? threeDigits(value) : grouped(value);
        };
        const rate = value => {
            const shown = count(value);
            return shown + (/[万亿]$/.test(shown) ? '' : ' ') + perSecond;
        };
        return { duration, count, rate };
    }

    // How wide a text is, and what of it fits.
    function measured({ groups, other }) {
        const widths = new Map(groups.flatMap(([width, characters]) => [...characters].map(character => [character, width])));
        const width = (text, size) => [...text].reduce((sum, character) => sum + (widths.get(character) ?? other), 0) * size / 1000;
        const fit = (text, size, room) => {
            const fits = some => width(some, size) * 1.15 <= room;
            if (fits(text)) return text;
            // From the left, so that a text without end costs no more than one that fills the room.
            const characters = [...text];
            let longest = '';
            for (const end of characters.keys()) {
                const cut = `${characters.slice(0, end).join('').trimEnd()}...`;
                if (!fits(cut)) break;
                longest = cut;
            }
            return longest;
        };
        return { width, fit };
    }

    ((scope.book ??= {}).charts ??= {}).figures = { fixed, plain, grouped, factor, inUnits, measured };
})(globalThis);
