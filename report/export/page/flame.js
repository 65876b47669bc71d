/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call paths as a flame: the width is the cost, and below a function stands what it called. */
'use strict';

const FLAME_ROW = 19;
const PATHS_MAX = 5000; /* rows of the table of call paths */
const NAMES_MAX = 1000; /* names that the field of a function offers; any can be typed */
const INLINED = 5;      /* kind of a function */
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
 * show(value) as text, fill(node), note(node): more of its text; up: what is called stands below, what calls above;
 * all: what 100 % are; picked(node): it was clicked on or focused.
 */
function drawFlame(box, hint, root, options) {
    const tree = d3.hierarchy(root).sum(d => Math.max(0, d.value)).sort((a, b) => b.value - a.value);
    let focus = null;
    let word = '';
    const svg = d3.create('svg').attr('class', 'flame').attr('role', 'tree').attr('aria-label', options.name);
    box.replaceChildren(svg.node());

    function text(d) {
        const whole = options.all || tree.value;
        const share = whole > 0 ? ' (' + digits('%', 100 * d.value / whole, [1, '%']) + ' %)' : '';
        return d.data.name + ': ' + options.show(d.value) + share + (options.note ? options.note(d) : '');
    }

    function zoom(d) {
        focus = d;
        if (options.zoomed)
            options.zoomed(d ? d.data.key : undefined);
    }

    function pick(d) {
        if (options.picked)
            options.picked(d.data);
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
            g.on('click', d => { zoom(d === focus ? null : d); pick(d); draw(); })
                .on('mouseenter focus', d => { hint.textContent = text(d); })
                .on('focus.pick', pick);
            return g;
        });
        const yOf = d => (options.up ? depth - d.depth : d.depth) * FLAME_ROW;
        nodes.attr('transform', d => 'translate(' + Math.max(0, scale(d.x0)) + ',' + yOf(d) + ')')
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
        return 'Found: ' + options.show(sum) + ' (' + digits('%', tree.value > 0 ? 100 * sum / (options.all || tree.value) : 0, [1, '%']) + ' %)';
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
            zoom(e.key === 'Enter' ? d : null);
            draw();
            const again = svg.selectAll('g').filter(x => x === (focus || tree)).node();
            if (again)
                again.focus();
        } else {
            return;
        }
        e.preventDefault();
    });
    if (options.zoom !== undefined)
        focus = tree.descendants().find(d => String(d.data.key) === options.zoom) || null;
    draw();
    return {draw: draw, search: w => { word = w.trim().toLowerCase(); draw(); }};
}

function pathOf(d) {
    return d.ancestors().reverse().slice(1).map(x => x.data.name).join(' \u203a ');
}

const VIEWS = {paths: 'who calls whom', inverted: 'inverted: cost of its own, then callers', sandwich: 'callers and callees of'};

/* The file that tells each function from others of its name, with its folders where files have one name, too; null: there is
   no other. */
function tellingFiles(p) {
    const named = new Map(p.funcs.map(f => [f[0], []]));
    p.funcs.forEach(f => named.get(f[0]).push(f[1]));
    return p.funcs.map(([name, file]) => {
        const files = named.get(name);
        return files.length < 2 ? null : files.some(other => other !== file && place(other) === place(file)) ? file : place(file);
    });
}

/* Functions by the text that names them: with file and line where several have a name. */
function functionTexts(p) {
    const files = tellingFiles(p);
    return p.funcs.map(([name, , line, kind], i) => (files[i] === null ? name
        : name + ' (' + files[i] + (files[i] && line > 0 ? ':' + line : '') + (kind === INLINED ? ', inlined' : '') + ')'));
}

/* True for a function of the profile that is one of the report: its own code and what is inlined of it are two. */
function isSame([name, file, , kind], f) {
    return name === f.name && file === (f.file || '') && (kind === INLINED) === (f.kind === 'inlined');
}

/* What was measured of a function by the report, in the item's unit on the page; undefined: nothing. */
function tableTotal(report, p, func, item) {
    const f = (report.functions || []).find(x => x.thread === undefined && isSame(p.funcs[func], x));
    return f && (item.name === 'energy_fj' ? f.total.energy_uj : ['cycles', 'samples'].includes(item.name) ? f.total[item.name]
        : f.total.events[item.name]);
}

function option(value, text) {
    return el('option', {value: value}, text || value);
}

function hasFlame(data) {
    const p = data.profile;
    return Boolean(p) && p.items.length > 0 && p.nodes.length > 0;
}

function putFlame(data, model) {
    const p = data.profile;
    if (!hasFlame(data))
        return;
    const report = data.report;
    const origin = {truth: 'the emulator\u2019s truth', entries: 'measured at entries and exits', samples: 'from samples'}[p.source];
    const s = section('functions', 'Functions');
    const above = el('div', {class: 'chart', id: 'flame-callers'});
    const box = el('div', {class: 'chart', id: 'flame'});
    const hint = el('p', {class: 'hint', id: 'flame-hint', 'aria-live': 'polite'});
    const note = el('p', {class: 'about', id: 'flame-note'});
    const table = el('div', {});
    const details = tableOf(table);
    const items = p.items.filter(i => !i.name.startsWith('fj:'));
    items.sort((a, b) => (b.name === 'energy_fj') - (a.name === 'energy_fj'));
    const label = i => i.name === 'energy_fj' ? 'energy' : i.name;
    const texts = functionTexts(p);
    const byText = new Map(texts.map((text, func) => [text, func]));
    const chooseItem = el('select', {id: 'flame-item'}, items.map(i => option(label(i))));
    const threads = [...new Set(p.nodes.map(n => n[2]))].filter(id => id >= 0).sort((a, b) => a - b);
    const chooseThread = el('select', {id: 'flame-thread'}, option('', 'all'), threads.map(id => option(id, model.threadName(id))));
    const chooseView = el('select', {id: 'flame-view'}, Object.entries(VIEWS).map(v => option(...v)));
    const chooseChip = el('select', {id: 'flame-chip'}, option('hidden'), option('shown'), option('shared', 'shared out by time'));
    const chosen = el('input', {type: 'search', id: 'flame-function', list: 'flame-functions', placeholder: 'a function',
                                'aria-label': 'callers and callees of'});
    const find = el('input', {type: 'search', id: 'flame-find', placeholder: 'a function'});
    const turn = el('button', {type: 'button', id: 'flame-turn', hidden: ''});
    const chipLabel = el('label', {}, 'of no core (chip) ', chooseChip);
    let flames = [];
    let zoom = selection.values.get('zoom');

    function tableRows(root, kind, per) {
        const all = d3.hierarchy(root).sum(d => Math.max(0, d.value));
        const rows = all.descendants().filter(d => d.data.func !== -1).sort((a, b) => b.value - a.value);
        return makeTable([textColumn('call path', d => d.ancestors().reverse().filter(x => x.data.name !== 'all').map(x => x.data.name).join(' \u203a ')),
            {name: 'total', kind: kind, bar: true, share: all.value / per, get: d => d.value / per},
            {name: 'self', kind: kind, get: d => d.data.value / per},
            {name: 'calls', kind: 'count', optional: true, get: d => d.data.calls || undefined}], rows.slice(0, PATHS_MAX),
        {id: 'paths', top: 15, of: rows.length});
    }

    const fillTable = () => details.open && table.replaceChildren(...tables.map(t => tableRows(...t)));
    let tables = [];
    details.addEventListener('toggle', fillTable);

    function make() {
        const item = items.find(i => label(i) === chooseItem.value);
        const kind = kindOf(item);
        const per = perUnit(item);
        const unit = kind === 'uJ' ? '' : ' ' + item.unit;
        const show = v => figure(kind, v / per) + unit;
        const sandwich = chooseView.value === 'sandwich';
        const func = byText.get(chosen.value.trim());
        chosen.hidden = !sandwich;
        above.hidden = !sandwich;
        chipLabel.hidden = !item.chip;
        const paths = callPaths(data, model, item, chooseThread.value === '' ? null : Number(chooseThread.value),
                                item.chip ? chooseChip.value : 'hidden');
        const all = paths.reduce((sum, x) => sum + x.self, 0);
        const orders = sandwich ? [[above, 'callers'], [box, 'callees']] : [[box, chooseView.value]];
        const roots = orders.map(([, order]) => makeTree(sandwich && func === undefined ? [] : paths, order, func));
        flames = orders.map(([where, order], i) => drawFlame(where, hint, roots[i], {name: VIEWS[order] || order, show: show, all: all,
            up: order === 'callers', fill: d => flameColour(d.data.name, d.data.kind),
            zoom: where === box ? zoom : undefined,
            zoomed: where === box ? key => { zoom = undefined; selection.set('zoom', key); } : undefined,
            picked: d => {
                turn.hidden = !(d.func >= 0);
                turn.value = d.func >= 0 ? texts[d.func] : '';
                turn.textContent = 'Callers and callees of ' + turn.value;
                showCode(d.func);
            },
            note: d => (d.data.calls ? ', ' + grouped.format(d.data.calls) + (d.data.calls === 1 ? ' call' : ' calls') : '')}));
        flames.forEach(f => f.search(find.value));
        tables = roots.map(root => [root, kind, per]);
        fillTable();
        note.replaceChildren(...(sandwich ? sandwichNote(item, func, kind) : []));
    }

    function sandwichNote(item, func, kind) {
        if (func === undefined)
            return [chosen.value === '' ? 'Name a function, or click on one in the table below.' : 'There is no function of that name.'];
        const total = chooseThread.value === '' && chooseChip.value !== 'shared' ? tableTotal(report, p, func, item) : undefined;
        return ['Above: who calls ' + texts[func] + '; below: what it calls. Recursion is counted once.' +
            (total === undefined ? '' : ' Its total in the table of functions: ' + figure(kind, total) + '.') +
            (p.left_out > 0 ? ' Calls of it among the call paths that are left out are in the table only.' : '')];
    }

    function turnTo(text) {
        chooseView.value = 'sandwich';
        chosen.value = text;
        for (const control of [chooseView, chosen])
            control.dispatchEvent(new Event(control === chosen ? 'input' : 'change'));
        s.scrollIntoView();
    }

    data.picked = f => {
        const text = functionText(p, texts, f);
        turnTo(text);
        if (byText.has(text))
            showCode(byText.get(text));
    };
    turn.addEventListener('click', () => turnTo(turn.value));
    for (const [name, control] of [['item', chooseItem], ['thread', chooseThread], ['view', chooseView], ['function', chosen], ['chip', chooseChip]]) {
        kept(name, control);
        control.addEventListener(control === chosen ? 'input' : 'change', () => { selection.set('zoom'); zoom = undefined; make(); });
    }
    kept('find', find);
    find.addEventListener('input', () => flames.forEach(f => f.search(find.value)));
    selection.take('zoom', key => { zoom = key; if (flames.length > 0) make(); });
    s.append(el('p', {class: 'about'}, 'Profile: ' + origin + '. ',
                at(report, 'profile.functions.energy_uj') === undefined ? '' :
                    ['Of functions ', fig(report, 'profile.functions.energy_uj', 'uJ'), '; of no core ',
                     fig(report, 'profile.chip.energy_uj', 'uJ'), '.']),
             el('div', {class: 'tools'}, el('label', {}, 'View ', chooseView), chosen,
                el('datalist', {id: 'flame-functions'}, texts.slice(0, NAMES_MAX).map(text => option(text))),
                el('label', {}, 'width ', chooseItem), el('label', {}, 'thread ', chooseThread), chipLabel, el('label', {}, 'find ', find)),
             above, box, hint, turn, note,
             el('p', {class: 'about'}, 'Click on a function to see it alone, again to see all. Keys: arrows, Enter, Escape.' +
                (p.left_out > 0 ? ' ' + grouped.format(p.left_out) + ' call paths that cost little are put together as (left out).' : '')),
             details);
    const showCode = putCode(s, data, texts);
    s.append(el('h3', {}, 'All functions'),
             functionTable(report, {id: 'all-functions', top: 15, find: 'Find a function or file', events: true, picked: data.picked}));
    if (at(report, 'profile.thread_rows_left_out'))
        s.append(el('p', {class: 'about'}, 'Rows of functions by thread are left out of the data.'));
    make();
    onRepaint(() => flames.forEach(f => f.draw()));
    window.addEventListener('resize', () => flames.forEach(f => f.draw()));
}

/* The text that names a function of the report. */
function functionText(p, texts, f) {
    const i = p.funcs.findIndex(x => isSame(x, f));
    return i < 0 ? f.name : texts[i];
}
