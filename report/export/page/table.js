/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables: sorted by any column, cut to the first rows, searched. */
'use strict';

/*
 * columns: {name, kind, get(row), path(row), bar, text(row)}. Without kind: text. All figures of a column have one unit,
 * which its head names. options: caption, top (rows shown at first), sort (index of a column), id, find (a placeholder:
 * there is a search field), of (how many rows there are, of which these are the first). A column's share: what 100 % of it
 * are; the share is shown next to the figure.
 */
const ROWS_MORE = 2000; /* rows that are added at once: more make browsers slow */

function makeTable(columns, rows, options) {
    const o = Object.assign({top: 12}, options);
    const used = columns.filter(c => !c.optional || rows.some(r => c.get(r) !== undefined));
    const box = el('div', {class: 'tablebox', id: o.id});
    const body = el('tbody', {});
    const head = el('tr', {});
    const more = el('button', {type: 'button', class: 'more', click: () => {
        most = most < found ? most + ROWS_MORE : o.top;
        fill();
    }});
    let most = o.top;
    let found = rows.length;
    let word = '';
    let sorted = o.sort === undefined ? null : {column: used[o.sort], up: false};

    for (const c of used) {
        if (!c.kind)
            continue;
        const values = rows.map(r => Math.abs(c.get(r))).filter(v => v === v);
        c.most = values.reduce((a, b) => Math.max(a, b), 0);
        c.unit = unitFor(c.kind, c.most);
    }
    for (const c of used) {
        const label = el('button', {type: 'button', click: () => {
            sorted = {column: c, up: sorted && sorted.column === c ? !sorted.up : !c.kind};
            fill();
        }}, c.name);
        const th = el('th', {scope: 'col', class: c.kind ? null : 't', 'data-unit': c.kind ? c.unit[1] : null}, label,
                      c.kind && c.unit[1] ? [el('br', {}), el('small', {}, c.unit[1])] : null);
        c.th = th;
        head.append(th);
        if (c.share)
            head.append(el('th', {scope: 'col'}, '%'));
        if (c.bar)
            head.append(el('th', {class: 'bar', 'aria-hidden': 'true'}));
    }

    function cells(row) {
        return used.flatMap(c => {
            const v = c.get(row);
            if (!c.kind)
                return [el('td', {class: 't'}, v)];
            const path = c.path && v !== undefined ? c.path(row) : null;
            const sign = c.signed && v ? (v > 0 ? 'up' : 'down') : null;
            const td = el('td', {class: sign, 'data-path': path, 'data-value': path ? v : null, 'data-kind': c.kind,
                                 title: path ? path + ' = ' + v : null},
                          (c.signed && v > 0 ? '+' : '') + digits(c.kind, v, c.unit, c.most));
            const out = c.share ? [td, el('td', {}, shareText(v, c.share))] : [td];
            if (!c.bar)
                return out;
            const bar = el('i', {});
            bar.style.width = Math.max(0, 100 * v / c.most || 0).toFixed(1) + '%';
            return [...out, el('td', {class: 'bar', 'aria-hidden': 'true'}, bar)];
        });
    }

    function text(row) {
        return used.filter(c => !c.kind).map(c => {
            const v = c.get(row);
            return typeof v === 'string' ? v : v && v.textContent || '';
        }).join(' ').toLowerCase();
    }

    function fill() {
        let list = word ? rows.filter(r => text(r).includes(word)) : rows.slice();
        if (sorted) {
            const {column: c, up} = sorted;
            const key = r => {
                const v = c.get(r);
                return c.kind ? (v === undefined ? -Infinity : v) : String(v && v.textContent || v).toLowerCase();
            };
            list = list.map(r => [key(r), r]).sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0) * (up ? 1 : -1))
                .map(x => x[1]);
            used.forEach(x => x.th.removeAttribute('aria-sort'));
            c.th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        }
        found = list.length;
        body.replaceChildren(...list.slice(0, most).map(r => el('tr', {}, cells(r))));
        more.hidden = found <= o.top;
        const left = found - most;
        more.textContent = left <= 0 ? 'Show ' + o.top + ' rows'
            : left <= ROWS_MORE ? 'Show all ' + grouped.format(found) + ' rows'
                : 'Show ' + grouped.format(ROWS_MORE) + ' more of ' + grouped.format(found) + ' rows';
    }

    box.append(...[
        o.find ? el('div', {class: 'tools'}, el('input', {type: 'search', placeholder: o.find, 'aria-label': o.find,
            input: e => { word = e.target.value.trim().toLowerCase(); fill(); }})) : null,
        el('div', {class: 'scroll'}, el('table', {}, o.caption ? el('caption', {}, o.caption) : null,
                                        el('thead', {}, head), body)),
        more, o.of > rows.length ? el('p', {class: 'about'}, 'The first ' + grouped.format(rows.length) + ' of ' +
            grouped.format(o.of) + ' rows.') : null].filter(x => x));
    fill();
    return box;
}
