/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two runs: what differs between them, and what changed, by what it costs. */
'use strict';

function pairColumns(report, table, name, kind, member, options) {
    const get = (i, k) => {
        const pair = at(report, table + '.' + i + '.' + member);
        return pair && pair[k] !== null ? pair[k] : undefined;
    };
    const path = k => i => table + '.' + i + '.' + member + '.' + k;
    return [
        {name: name + ' of A', kind: kind, get: i => get(i, 0), path: path(0), optional: true},
        {name: name + ' of B', kind: kind, get: i => get(i, 1), path: path(1), optional: true},
        Object.assign({name: 'change', kind: kind, signed: true, optional: true,
                       get: i => (get(i, 0) === undefined || get(i, 1) === undefined ? undefined : get(i, 1) - get(i, 0))},
                      options)];
}

function diffTable(s, report, title, table) {
    if (!report[table] || report[table].length === 0)
        return;
    const energy = report[table].some(r => r.energy_uj);
    s.append(el('h3', {}, title), makeTable([
        textColumn(table.slice(0, -1), i => {
            const r = report[table][i];
            const only = r.in === 'both' ? '' : ' [only in ' + r.in.toUpperCase() + ']';
            return el('span', {}, r.name, el('small', {}, only + '  ' + place(r.file, r.line)));
        }),
        ...pairColumns(report, table, 'energy', 'uJ', 'energy_uj'),
        ...pairColumns(report, table, 'cycles', 'count', 'cycles'),
        textColumn('cause', i => report[table][i].cause || '')], indices(report[table]),
    {id: 'diff-' + table, top: 12, find: energy && report[table].length > 12 ? 'Find' : undefined}));
}

/* A change as a card. */
function changeCard(report, name, path, kind) {
    const pair = at(report, path);
    if (!pair || pair[0] === null || pair[1] === null)
        return null;
    const d = pair[1] - pair[0];
    const value = el('b', {class: d > 0 ? 'up' : d < 0 ? 'down' : null},
                     (d > 0 ? '+' : '') + figure('%', pair[0] ? 100 * d / pair[0] : 0));
    return el('div', {class: 'card'}, el('span', {class: 'name'}, name), value,
              el('span', {class: 'note'}, fig(report, path + '.0', kind), ' \u2192 ', fig(report, path + '.1', kind)));
}

/* Lines "path A B" as a tree; the width of a node is the larger of both. */
function foldedTree(text) {
    const root = {name: 'all', value: 0, two: [0, 0], children: [], key: 'all', names: new Map()};
    let number = 0;
    for (const line of text.split('\n')) {
        const end = line.match(/^(.*) (\d+) (\d+)$/);
        if (!end)
            continue;
        const two = [Number(end[2]), Number(end[3])];
        let n = root;
        n.two = [n.two[0] + two[0], n.two[1] + two[1]];
        for (const name of end[1].split(';').slice(1)) {
            if (!n.names.has(name)) {
                const made = {name: name, value: 0, two: [0, 0], children: [], key: ++number, names: new Map()};
                n.names.set(name, made);
                n.children.push(made);
            }
            n = n.names.get(name);
            n.two = [n.two[0] + two[0], n.two[1] + two[1]];
        }
        n.value += Math.max(two[0], two[1]);
    }
    return root;
}

function putDiffFlame(data) {
    if (!data.folded)
        return;
    const energy = /^energy_fj/.test(data.folded);
    const show = v => (energy ? figure('uJ', v / 1e3) : figure('count', v));
    const s = section('functions', 'Call paths');
    const box = el('div', {class: 'chart', id: 'flame'});
    const hint = el('p', {class: 'hint', id: 'flame-hint', 'aria-live': 'polite'});
    const find = el('input', {type: 'search', id: 'flame-find', placeholder: 'a function'});
    const root = foldedTree(data.folded);
    const change = d => d.data.two[1] - d.data.two[0];
    const most = Math.max(1, ...d3.hierarchy(root).descendants().slice(1).map(d => Math.abs(change(d))));
    const fill = d => {
        const share = Math.sqrt(Math.min(1, Math.abs(change(d)) / most));
        return d3.interpolateRgb(colour('flame-idle'), colour(change(d) > 0 ? 'up' : 'down'))(share * 0.8);
    };
    s.append(el('div', {class: 'tools'}, el('label', {}, 'find ', find)),
             legend([['more in B', 'var(--up)'], ['less in B', 'var(--down)'], ['the same', 'var(--flame-idle)']]), box, hint);
    const flame = drawFlame(box, hint, root, {name: 'Call paths of both runs', show: show, fill: fill,
        note: d => ', ' + show(d.data.two[0]) + ' \u2192 ' + show(d.data.two[1])});
    find.addEventListener('input', () => flame.search(find.value));
    onRepaint(() => flame.draw());
    window.addEventListener('resize', () => flame.draw());
    const rows = d3.hierarchy(root).descendants().slice(1).filter(d => change(d) !== 0)
        .sort((a, b) => Math.abs(change(b)) - Math.abs(change(a))).slice(0, 200);
    const per = energy ? 1e3 : 1;
    const kind = energy ? 'uJ' : 'count';
    s.append(tableOf(makeTable([textColumn('call path', pathOf), {name: 'A', kind: kind, get: d => d.data.two[0] / per},
        {name: 'B', kind: kind, get: d => d.data.two[1] / per},
        {name: 'change', kind: kind, signed: true, get: d => change(d) / per}], rows, {id: 'paths', top: 15})));
}

function putDiff(data) {
    const report = data.report;
    putHead(report, 'Difference of two runs', '');
    document.getElementById('head').append(el('p', {class: 'about'}, 'A: ' + data.files[0] + '. B: ' + data.files[1] +
                                              '. Changes are B less A.'));
    const s = section('overview', 'Overview');
    s.append(el('div', {class: 'cards'}, [changeCard(report, 'Time', 'time_s', 's'),
        changeCard(report, 'Energy, by ' + (report.energy_by || ''), 'energy_uj', 'uJ'),
        changeCard(report, 'Cycles of the cores', 'all.cycles', 'count')].filter(c => c)));
    const differing = report.labels.filter(l => l.differs);
    s.append(el('h3', {}, 'What is different about the runs'),
             differing.length === 0 ? el('p', {}, 'Nothing: the same program, measured by the same means.')
                 : makeTable([textColumn('what', l => l.name), textColumn('of', l => l.of), textColumn('A', l => l.a || ''),
                     textColumn('B', l => l.b || '')], differing, {id: 'labels', top: 20}));
    const table = section('changes', 'What changed');
    const why = Object.keys(report.why || {});
    if (why.length > 0)
        table.append(el('h3', {}, 'Why'), el('ul', {}, why.map(item => el('li', {}, 'Of ' + item + ': ' + report.why[item].text + '.'))));
    diffTable(table, report, 'Functions, of themselves', 'functions');
    diffTable(table, report, 'Threads', 'threads');
    diffTable(table, report, 'Regions', 'regions');
    const causes = Object.keys(at(report, 'all.causes_uj') || {});
    const events = Object.keys(at(report, 'all.events') || {});
    const rows = (names, base, kind) => makeTable([textColumn('of', n => n),
        {name: 'A', kind: kind, get: n => at(report, [...base.split('.'), n, '0']), path: n => base + '.' + n + '.0'},
        {name: 'B', kind: kind, get: n => at(report, [...base.split('.'), n, '1']), path: n => base + '.' + n + '.1'},
        {name: 'change', kind: kind, signed: true,
         get: n => at(report, [...base.split('.'), n, '1']) - at(report, [...base.split('.'), n, '0'])}],
    names, {id: base.replace('.', '-'), top: 12, sort: 3});
    const two = el('div', {class: 'two'});
    if (causes.length > 0)
        two.append(el('div', {}, el('h3', {}, 'Causes of energy'), rows(causes, 'all.causes_uj', 'uJ')));
    if (events.length > 0)
        two.append(el('div', {}, el('h3', {}, 'Events'), rows(events, 'all.events', 'count')));
    table.append(two);
    putDiffFlame(data);
    putAbout(data, report.labels.map(l => [l.name, l.a === l.b ? l.a : (l.a || NONE) + ' \u2192 ' + (l.b || NONE)]));
}
