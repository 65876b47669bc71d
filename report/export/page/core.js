/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the data, making elements, writing figures. Texts of programs come into the page as text nodes only. */
'use strict';

const MICRO = '\u00b5';
const NONE = '\u2013'; /* for what was not measured */

/* ---- elements ------------------------------------------------------------------------- */

/* An element. props: attributes; those that are functions listen, null ones are left out. */
function el(tag, props, ...content) {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(props || {})) {
        if (typeof value === 'function')
            e.addEventListener(name, value);
        else if (value !== null && value !== undefined)
            e.setAttribute(name, value);
    }
    e.append(...content.flat().filter(c => c !== null && c !== undefined));
    return e;
}

/* A value of the style sheet, which differs by light, dark and print. */
function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

/* ---- data ----------------------------------------------------------------------------- */

async function unpack(id) {
    const text = atob(document.getElementById(id).textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++)
        bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return JSON.parse(await new Response(stream).text());
}

/* What stands at a path such as "cores.0.events.instr"; "*" adds up what the members of a list have there.
   undefined: nothing. */
function at(o, path) {
    const parts = Array.isArray(path) ? path : path.split('.');
    for (let i = 0; i < parts.length; i++) {
        if (o === null || o === undefined)
            return undefined;
        if (parts[i] === '*') {
            const found = o.map(x => at(x, parts.slice(i + 1))).filter(v => v !== undefined);
            return found.length > 0 ? found.reduce((a, b) => a + b, 0) : undefined;
        }
        o = Object.prototype.hasOwnProperty.call(o, parts[i]) ? o[parts[i]] : undefined;
    }
    return o;
}

/* ---- figures -------------------------------------------------------------------------- */

/* Units of each kind of figure: [base units in one, name], the largest first. */
const UNITS = {
    s: [[1, 's'], [1e-3, 'ms'], [1e-6, MICRO + 's'], [1e-9, 'ns']],
    uJ: [[1e6, 'J'], [1e3, 'mJ'], [1, MICRO + 'J'], [1e-3, 'nJ'], [1e-6, 'pJ']],
    uW: [[1e6, 'W'], [1e3, 'mW'], [1, MICRO + 'W']],
    uV: [[1e6, 'V'], [1e3, 'mV']],
    uA: [[1e6, 'A'], [1e3, 'mA'], [1, MICRO + 'A']],
    Hz: [[1e6, 'MHz'], [1e3, 'kHz'], [1, 'Hz']],
    '%': [[1, '%']],
    share: [[0.01, '%']],
    number: [[1, '']],
    count: [[1, '']],
    bytes: [[1048576, 'MiB'], [1024, 'KiB'], [1, 'B']],
};

/* The unit in which the largest figure is at least 1. */
function unitFor(kind, most) {
    const units = UNITS[kind];
    return units.find(u => Math.abs(most) >= u[0]) || (most === 0 ? units[units.length > 1 ? 1 : 0] : units[units.length - 1]);
}

const grouped = new Intl.NumberFormat('en-US');

/* The digits of a figure in a unit: counts whole, others with four digits behind the point, fewer when large. */
function digits(kind, value, unit, most) {
    if (value === undefined || value === null || Number.isNaN(value))
        return NONE;
    if (kind === 'count')
        return grouped.format(value);
    const v = value / unit[0];
    const size = Math.abs((most === undefined ? value : most) / unit[0]);
    const places = kind === 'bytes' ? (unit[0] > 1 ? 2 : 0) : kind === '%' ? 3 : kind === 'share' ? 2 : size >= 1000 ? 2 : size >= 100 ? 3 : 4;
    return new Intl.NumberFormat('en-US', {minimumFractionDigits: places, maximumFractionDigits: places}).format(v);
}

/* A figure with its unit as text. */
function figure(kind, value) {
    if (value === undefined || value === null || Number.isNaN(value))
        return NONE;
    const unit = unitFor(kind, value);
    return digits(kind, value, unit) + (unit[1] ? '\u00a0' + unit[1] : '');
}

/* A part of a whole in percent; nothing of an unknown one. */
function shareText(value, whole) {
    return value === undefined || !(whole > 0) ? NONE : (100 * value / whole).toFixed(1) + '\u00a0%';
}

/* A figure of the report as an element that tells where in the JSON it stands, exactly. */
function fig(report, path, kind) {
    const value = at(report, path);
    return el('span', {'data-path': value === undefined ? null : path, 'data-value': value, 'data-kind': kind,
                       title: value === undefined ? 'not measured' : path + ' = ' + value}, figure(kind, value));
}

/* One that was computed. */
function derived(kind, value) {
    return el('span', {'data-kind': kind}, figure(kind, value));
}

/* What the ADC measured the power of, the processor first: members of its samples or of its sums. */
function railNames(o) {
    return Object.keys(o || {}).filter(k => o[k] && (o[k].uw !== undefined || o[k].energy_uj !== undefined));
}

function railTitle(name) {
    return name.length <= 3 ? name.toUpperCase() : name;
}

function card(name, value, note) {
    return el('div', {class: 'card'}, el('span', {class: 'name'}, name), el('b', {}, value),
              el('span', {class: 'note'}, note || ''));
}

/* Last two parts of a path, with the line. */
function place(file, line) {
    if (!file)
        return '';
    return file.split('/').slice(-1)[0] + (line > 0 ? ':' + line : '');
}

/* ---- selection ------------------------------------------------------------------------ */

/*
 * Keeps the selection in the address, so that a link or a reload shows it again: #SECTION&NAME=VALUE&... Values come from
 * outside: whoever takes one checks it. take(value): undefined is the default.
 */
class Selection {
    constructor() {
        this.takers = new Map();
        this.read();
        addEventListener('hashchange', () => this.changed());
    }
    read() {
        const parts = location.hash.slice(1).split('&').filter(p => p);
        this.section = parts.length > 0 && !parts[0].includes('=') ? parts.shift() : '';
        this.values = new Map();
        for (const part of parts) {
            try {
                const [name, ...value] = part.split('=');
                this.values.set(decodeURIComponent(name), decodeURIComponent(value.join('=')));
            } catch (e) { /* not an encoded text: ignored */ }
        }
    }
    write() {
        const text = [this.section, ...[...this.values].map(pair => pair.map(encodeURIComponent).join('='))].filter(p => p);
        history.replaceState(null, '', '#' + text.join('&'));
    }
    /* A link to a section keeps what is selected; any other address replaces it. */
    changed() {
        const before = this.values;
        this.read();
        if (this.values.size === 0 && this.section !== '') {
            this.values = before;
            this.write();
            return;
        }
        for (const [name, take] of this.takers)
            take(this.values.get(name));
    }
    set(name, value) {
        if (value === undefined)
            this.values.delete(name);
        else
            this.values.set(name, String(value));
        clearTimeout(this.due); /* browsers limit how often an address may change */
        this.due = setTimeout(() => this.write(), 150);
    }
    take(name, take) {
        this.takers.set(name, take);
        if (this.values.has(name))
            take(this.values.get(name));
    }
}

const selection = new Selection();

/* Keeps what a control shows in the address. */
function kept(name, control) {
    const type = control.tagName === 'SELECT' ? 'change' : 'input';
    const first = control.value;
    control.addEventListener(type, () => selection.set(name, control.value === first ? undefined : control.value));
    selection.take(name, value => {
        const before = control.value;
        control.value = value === undefined ? first : value;
        if (control.tagName === 'SELECT' && control.selectedIndex < 0)
            control.value = first;
        if (control.value !== before)
            control.dispatchEvent(new Event(type));
    });
    return control;
}

/* ---- sections ------------------------------------------------------------------------- */

/* A section of the page with an entry in the navigation. */
function section(id, title, ...content) {
    const s = el('section', {id: id, 'aria-labelledby': 'title-' + id}, el('h2', {id: 'title-' + id}, title), content);
    document.getElementById('main').append(s);
    let list = document.querySelector('#nav ul');
    if (!list) {
        list = el('ul', {});
        document.getElementById('nav').append(list);
    }
    list.append(el('li', {}, el('a', {href: '#' + id}, title)));
    return s;
}

function legend(entries) {
    return el('div', {class: 'legend'}, entries.map(([name, css]) => {
        const swatch = el('i', {});
        swatch.style.background = css;
        return el('span', {}, swatch, name);
    }));
}

/* What a chart shows as a table, on request. */
function tableOf(...tables) {
    return el('details', {}, el('summary', {}, 'As a table'), tables);
}

/* Calls again when colours change: dark, light, paper. */
const repaints = [];
function onRepaint(draw) {
    repaints.push(draw);
}
function repaintAll() {
    for (const draw of repaints)
        draw();
}
