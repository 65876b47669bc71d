/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables: sorted by any column, cut to the first rows, searched. */
'use strict';

/*
 * columns: {name, kind, get(row), path(row), bar, text(row)}. Without kind: text. All figures of a column have one unit,
 * which its head names. options: caption, top (rows shown at first), sort (index of a column), id, find (a placeholder:
 * there is a search field), note(shown, all).
 */
function makeTable(columns, rows, options) {
    const o = Object.assign({top: 12}, options);
    const used = columns.filter(c => !c.optional || rows.some(r => c.get(r) !== undefined));
    const box = el('div', {class: 'tablebox', id: o.id});
    const body = el('tbody', {});
    const head = el('tr', {});
    const more = el('button', {type: 'button', class: 'more', click: () => { all = !all; fill(); }});
    let all = false;
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
        if (c.bar)
            head.append(el('th', {'aria-hidden': 'true'}));
    }

    function cells(row, i) {
        return used.flatMap(c => {
            const v = c.get(row);
            if (!c.kind)
                return [i === 0 && c === used[0] ? el('td', {class: 't'}, v) : el('td', {class: 't'}, v)];
            const path = c.path && v !== undefined ? c.path(row) : null;
            const sign = c.signed && v ? (v > 0 ? 'up' : 'down') : null;
            const td = el('td', {class: sign, 'data-path': path, 'data-value': path ? v : null, 'data-kind': c.kind,
                                 title: path ? path + ' = ' + v : null},
                          (c.signed && v > 0 ? '+' : '') + digits(c.kind, v, c.unit, c.most));
            if (!c.bar)
                return [td];
            const bar = el('i', {});
            bar.style.width = Math.max(0, 100 * v / c.most || 0).toFixed(1) + '%';
            return [td, el('td', {class: 'bar', 'aria-hidden': 'true'}, bar)];
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
        const shown = all ? list : list.slice(0, o.top);
        body.replaceChildren(...shown.map((r, i) => el('tr', {}, cells(r, i))));
        more.hidden = list.length <= o.top;
        more.textContent = all ? 'Show ' + o.top + ' rows' : 'Show all ' + grouped.format(list.length) + ' rows';
    }

    box.append(...[
        o.find ? el('div', {class: 'tools'}, el('input', {type: 'search', placeholder: o.find, 'aria-label': o.find,
            input: e => { word = e.target.value.trim().toLowerCase(); fill(); }})) : null,
        el('div', {class: 'scroll'}, el('table', {}, o.caption ? el('caption', {}, o.caption) : null,
                                        el('thead', {}, head), body)),
        more].filter(x => x));
    fill();
    return box;
}
