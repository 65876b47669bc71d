/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call paths as a flame: the width is the cost, and below a function stands what it called. */
'use strict';

const FLAME_ROW = 19;
const KIND_CSS = ['', 'flame-rt', 'flame-int', 'flame-idle', 'flame-rt', ''];

/* A colour of its own for each name, between two. */
function flameColour(name, kind) {
    if (KIND_CSS[kind])
        return colour(KIND_CSS[kind]);
    let h = 0;
    for (let i = 0; i < name.length; i++)
        h = (h * 31 + name.charCodeAt(i)) >>> 0;
    return d3.interpolateRgb(colour('flame-a'), colour('flame-b'))(h % 97 / 96);
}

/*
 * Draws root, a tree of {name, value, kind, children}: value is of the node itself. options: name (of what the width is),
 * show(value) as text, fill(node), note(node): more of its text.
 */
function drawFlame(box, hint, root, options) {
    const tree = d3.hierarchy(root).sum(d => Math.max(0, d.value)).sort((a, b) => b.value - a.value);
    let focus = null;
    let word = '';
    const svg = d3.create('svg').attr('class', 'flame').attr('role', 'tree').attr('aria-label', options.name);
    box.replaceChildren(svg.node());

    function text(d) {
        const share = tree.value > 0 ? ' (' + digits('%', 100 * d.value / tree.value, [1, '%']) + ' %)' : '';
        return d.data.name + ': ' + options.show(d.value) + share + (options.note ? options.note(d) : '');
    }

    function found(d) {
        return word !== '' && d.data.name.toLowerCase().includes(word);
    }

    function draw() {
        const width = Math.max(200, box.clientWidth);
        d3.partition().size([width, tree.height + 1])(tree);
        const top = focus || tree;
        const scale = d3.scaleLinear([top.x0, top.x1], [0, width]);
        const near = tree.descendants().filter(d => (d.x1 > top.x0 && d.x0 < top.x1) && (
            d.depth < top.depth ? d.x0 <= top.x0 && d.x1 >= top.x1 : true));
        const seen = near.filter(d => scale(Math.min(d.x1, top.x1)) - scale(Math.max(d.x0, top.x0)) >= 0.6);
        const depth = seen.reduce((m, d) => Math.max(m, d.depth), 0);
        svg.attr('width', width).attr('height', (depth + 1) * FLAME_ROW);
        const nodes = svg.selectAll('g').data(seen, d => d.data.key).join(enter => {
            const g = enter.append('g').attr('role', 'treeitem').attr('tabindex', -1);
            g.append('rect').attr('height', FLAME_ROW);
            g.append('text').attr('y', 13.5).attr('x', 4);
            g.append('title');
            g.on('click', d => { focus = d === focus ? null : d; draw(); })
                .on('mouseenter focus', d => { hint.textContent = text(d); });
            return g;
        });
        nodes.attr('transform', d => 'translate(' + Math.max(0, scale(d.x0)) + ',' + d.depth * FLAME_ROW + ')')
            .attr('aria-label', text).classed('found', found);
        nodes.select('rect').attr('width', d => Math.min(width, scale(d.x1)) - Math.max(0, scale(d.x0)))
            .attr('fill', d => options.fill(d)).attr('opacity', d => (d.depth < top.depth ? 0.6 : 1));
        nodes.select('text').text(d => {
            const room = (Math.min(width, scale(d.x1)) - Math.max(0, scale(d.x0)) - 8) / 7;
            return room < 3 ? '' : d.data.name.length <= room ? d.data.name : d.data.name.slice(0, room - 1) + '\u2026';
        });
        nodes.select('title').text(text);
        nodes.filter(d => d === top).attr('tabindex', 0);
        hint.textContent = word === '' ? text(top) : searched();
    }

    /* What was found, counted once where it nests. */
    function searched() {
        let sum = 0;
        const add = d => {
            if (found(d))
                sum += d.value;
            else
                (d.children || []).forEach(add);
        };
        add(tree);
        return 'Found: ' + options.show(sum) + ' (' + digits('%', tree.value > 0 ? 100 * sum / tree.value : 0, [1, '%']) + ' %)';
    }

    svg.on('keydown', () => {
        const e = d3.event;
        const g = document.activeElement;
        const d = d3.select(g).datum();
        if (!d || !svg.node().contains(g))
            return;
        const among = d.parent ? d.parent.children : [d];
        const to = {ArrowUp: d.parent, ArrowDown: (d.children || [])[0], ArrowLeft: among[among.indexOf(d) - 1],
                    ArrowRight: among[among.indexOf(d) + 1]}[e.key];
        if (to) {
            const next = svg.selectAll('g').filter(x => x === to).node();
            if (next)
                next.focus();
        } else if (e.key === 'Enter' || e.key === 'Escape') {
            focus = e.key === 'Enter' ? d : null;
            draw();
            const again = svg.selectAll('g').filter(x => x === (focus || tree)).node();
            if (again)
                again.focus();
        } else {
            return;
        }
        e.preventDefault();
    });
    draw();
    return {draw: draw, search: w => { word = w.trim().toLowerCase(); draw(); }};
}

/* The tree of an item; thread: a number, or null for all. */
function flameTree(data, model, item, thread) {
    const p = data.profile;
    const root = {name: 'all', value: 0, kind: 3, children: [], key: 'all'};
    const lanes = new Map();
    const made = [];
    p.nodes.forEach(([func, parent, id, core], i) => {
        let above = parent >= 0 ? made[parent] : null;
        if (thread !== null && id !== thread)
            return;
        if (!above) {
            const name = id >= 0 ? model.threadName(id) : 'core ' + core + ' without a thread';
            if (!lanes.has(name)) {
                lanes.set(name, {name: name, value: 0, kind: 3, children: [], key: 'lane ' + name});
                root.children.push(lanes.get(name));
            }
            above = lanes.get(name);
        }
        const [name, , , kind] = p.funcs[func];
        made[i] = {name: name, value: item.self[i], kind: kind, children: [], key: i, func: func, calls: p.nodes[i][5]};
        if (item.rest && item.rest[i])
            made[i].children.push({name: '(left out)', value: item.rest[i], kind: 3, children: [], key: 'rest ' + i});
        above.children.push(made[i]);
    });
    if (item.rest && thread === null && item.rest[p.nodes.length])
        root.children.push({name: '(left out)', value: item.rest[p.nodes.length], kind: 3, children: [], key: 'rest'});
    return root;
}

function pathOf(d) {
    return d.ancestors().reverse().slice(1).map(x => x.data.name).join(' \u203a ');
}

function putFlame(data, model) {
    const p = data.profile;
    if (!p || p.items.length === 0 || p.nodes.length === 0)
        return;
    const report = data.report;
    const origin = {truth: 'the emulator\u2019s truth', entries: 'measured at entries and exits', samples: 'from samples'}[p.source];
    const s = section('functions', 'Functions');
    const box = el('div', {class: 'chart', id: 'flame'});
    const hint = el('p', {class: 'hint', id: 'flame-hint', 'aria-live': 'polite'});
    const paths = el('div', {});
    const items = p.items.filter(i => !i.name.startsWith('fj:'));
    items.sort((a, b) => (b.name === 'energy_fj') - (a.name === 'energy_fj'));
    const label = i => i.name === 'energy_fj' ? 'energy' : i.name;
    const chooseItem = el('select', {id: 'flame-item'}, items.map((i, n) => el('option', {value: n}, label(i))));
    const threads = [...new Set(p.nodes.map(n => n[2]))].filter(id => id >= 0).sort((a, b) => a - b);
    const chooseThread = el('select', {id: 'flame-thread'}, el('option', {value: ''}, 'all'),
                            threads.map(id => el('option', {value: id}, model.threadName(id))));
    const find = el('input', {type: 'search', id: 'flame-find', placeholder: 'a function'});
    let flame;
    const make = () => {
        const item = items[chooseItem.value];
        const kind = item.unit === 'uJ' ? 'uJ' : 'count';
        const root = flameTree(data, model, item, chooseThread.value === '' ? null : Number(chooseThread.value));
        const unit = item.unit === 'uJ' ? '' : ' ' + item.unit;
        flame = drawFlame(box, hint, root, {name: 'Call paths by ' + label(item), show: v => figure(kind, v) + unit,
            fill: d => flameColour(d.data.name, d.data.kind),
            note: d => (d.data.calls ? ', ' + grouped.format(d.data.calls) + (d.data.calls === 1 ? ' call' : ' calls') : '')});
        flame.search(find.value);
        const all = d3.hierarchy(root).sum(d => Math.max(0, d.value));
        paths.replaceChildren(makeTable([textColumn('call path', d => pathOf(d)),
            {name: 'total', kind: kind, bar: true, get: d => d.value}, {name: 'self', kind: kind, get: d => d.data.value},
            {name: 'calls', kind: 'count', optional: true, get: d => d.data.calls}],
        all.descendants().filter(d => d.depth > 1).sort((a, b) => b.value - a.value).slice(0, 300),
        {id: 'paths', top: 15}));
    };
    chooseItem.addEventListener('change', make);
    chooseThread.addEventListener('change', make);
    find.addEventListener('input', () => flame.search(find.value));
    s.append(el('p', {class: 'about'}, 'Profile: ' + origin + '. ',
                at(report, 'profile.functions.energy_uj') === undefined ? '' :
                    ['Of functions ', fig(report, 'profile.functions.energy_uj', 'uJ'), '; of no core ',
                     fig(report, 'profile.chip.energy_uj', 'uJ'), '.']),
             el('div', {class: 'tools'}, el('label', {}, 'Width ', chooseItem), el('label', {}, 'thread ', chooseThread),
                el('label', {}, 'find ', find)),
             box, hint,
             el('p', {class: 'about'}, 'Click on a function to see it alone, again to see all. Keys: arrows, Enter, Escape.' +
                (p.left_out > 0 ? ' ' + grouped.format(p.left_out) + ' call paths that cost little are put together as (left out).' : '')),
             tableOf(paths), el('h3', {}, 'All functions'),
             functionTable(report, {id: 'all-functions', top: 15, find: 'Find a function or file', events: true}));
    if (at(report, 'profile.thread_rows_left_out'))
        s.append(el('p', {class: 'about'}, 'Rows of functions by thread are left out of the data.'));
    make();
    onRepaint(() => flame.draw());
    window.addEventListener('resize', () => flame.draw());
}
