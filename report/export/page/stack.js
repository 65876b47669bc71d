/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Energy by cause: of the run, threads and functions. */
'use strict';

const STACK_FUNCTIONS = 12;
const COLOURS = 8; /* the last is for all that cost less */

function sumOf(o) {
    return Object.values(o).reduce((a, b) => a + b, 0);
}

/* Bars of one scale: rows {name, causes}. Negative prices (of published equations) are in the table only. */
function drawStacks(box, causes, rows, css) {
    const most = Math.max(...rows.map(r => causes.reduce((s, c) => s + Math.max(0, r.causes[c] || 0), 0)));
    const scale = d3.scaleLinear([0, most], [0, 100]);
    for (const r of rows) {
        const bar = el('div', {class: 'stack', role: 'img', 'aria-label': r.name + ': ' + figure('uJ', sumOf(r.causes))});
        for (const c of causes) {
            const v = r.causes[c] || 0;
            if (!(v > 0))
                continue;
            const part = el('i', {title: c + ': ' + figure('uJ', v)});
            part.style.width = scale(v).toFixed(3) + '%';
            part.style.background = css(c);
            bar.append(part);
        }
        box.append(el('div', {class: 'stackrow'}, el('span', {title: r.name}, r.name), bar, el('b', {}, figure('uJ', sumOf(r.causes)))));
    }
}

/* Causes of each thread, from the call paths. */
function threadCauses(data, model) {
    const out = new Map();
    const causes = data.profile.items.filter(i => i.name.startsWith('fj:'));
    data.profile.nodes.forEach((n, i) => {
        const name = n[2] >= 0 ? 'thread ' + model.threadName(n[2]) : 'cores without a thread';
        if (!out.has(name))
            out.set(name, {});
        const o = out.get(name);
        for (const c of causes) {
            const key = c.name.slice(3);
            o[key] = (o[key] || 0) + (c.self[i] + (c.rest ? c.rest[i] : 0)) / perUnit(c);
        }
    });
    return [...out].map(([name, o]) => ({name: name, causes: o})).sort((a, b) => sumOf(b.causes) - sumOf(a.causes));
}

function putStack(data, model) {
    const report = data.report;
    const own = at(report, 'profile.functions.causes_uj');
    const chip = at(report, 'profile.chip.causes_uj') || {};
    if (!own)
        return;
    const all = [...new Set([...Object.keys(own), ...Object.keys(chip)])]
        .sort((a, b) => (own[b] || 0) + (chip[b] || 0) - (own[a] || 0) - (chip[a] || 0));
    const css = c => 'var(--c' + Math.min(all.indexOf(c), COLOURS - 1) + ')';
    const s = section('causes', 'Energy by cause');
    const whole = el('div', {class: 'chart', id: 'stack'});
    drawStacks(whole, all, [{name: 'functions, all cores', causes: own}, {name: '(chip): of no core', causes: chip}], css);
    s.append(legend([...all.slice(0, COLOURS - 1).map(c => [c, css(c)]),
                     ...(all.length >= COLOURS ? [[all.length > COLOURS ? 'others' : all[COLOURS - 1], 'var(--c' + (COLOURS - 1) + ')']] : [])]), whole,
             makeTable([textColumn('cause', c => c),
                 {name: 'functions', kind: 'uJ', get: c => own[c], path: c => 'profile.functions.causes_uj.' + c},
                 {name: 'of no core', kind: 'uJ', get: c => chip[c], path: c => 'profile.chip.causes_uj.' + c},
                 {name: 'all', kind: 'uJ', bar: true, get: c => (own[c] || 0) + (chip[c] || 0)}], all, {id: 'causes-table', top: 20}));
    const threads = threadCauses(data, model);
    const functions = functionRows(report).filter(i => report.functions[i].self.causes_uj)
        .sort((a, b) => report.functions[b].self.energy_uj - report.functions[a].self.energy_uj).slice(0, STACK_FUNCTIONS);
    for (const [title, rows] of [['Threads, by cause', threads.slice(0, STACK_FUNCTIONS)],
        ['Functions, by cause', functions.map(i => ({name: report.functions[i].name, causes: report.functions[i].self.causes_uj, index: i}))]]) {
        if (rows.length === 0)
            continue;
        const box = el('div', {class: 'chart'});
        drawStacks(box, all, rows, css);
        s.append(el('h3', {}, title), box, tableOf(makeTable([textColumn('of', r => r.name),
            ...all.map(c => ({name: c, kind: 'uJ', optional: true, get: r => r.causes[c],
                              path: r => (r.index === undefined ? null : 'functions.' + r.index + '.self.causes_uj.' + c)}))],
        rows, {top: 20})));
    }
}
