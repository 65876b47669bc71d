/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads over time: when each ran, waited and for whom, in which region. */
'use strict';

const ROW = 24;       /* px of a thread */
const ROWS_MAX = 24;  /* threads in sight; others are scrolled to */
const ARROWS_MAX = 300;
const STRIP = 16;     /* px above the threads, for marks */

/* Shares of run and wait in each pixel column, so that many short spans look like what they add up to. */
function paintSpans(g, spans, scale, width, y, height, css) {
    const share = new Float32Array(Math.ceil(width) + 2);
    const [a, b] = scale.domain();
    const perPixel = (b - a) / width;
    for (let i = Math.max(0, before(spans.from, a)); i < spans.list.length; i++) {
        const s = spans.list[i];
        if (s.from >= b)
            break;
        if (s.to <= a)
            continue;
        const x0 = Math.max(0, (s.from - a) / perPixel);
        const x1 = Math.min(width, (s.to - a) / perPixel);
        const first = Math.floor(x0);
        const last = Math.floor(x1);
        if (first === last) {
            share[first] += (x1 - x0) * s.part;
            continue;
        }
        share[first] += (first + 1 - x0) * s.part;
        for (let x = first + 1; x < last; x++)
            share[x] += s.part;
        share[last] += (x1 - last) * s.part;
    }
    g.fillStyle = css;
    for (let x = 0; x < width; x++) {
        if (share[x] <= 0)
            continue;
        const h = Math.max(1, Math.min(1, share[x]) * height);
        g.fillRect(x, y + height - h, 1, h);
    }
}

function describe(model, thread, kind, s) {
    const several = s.n > 1 ? ' (' + s.n + ' together)' : '';
    const when = ', ' + figure('s', s.from) + ' to ' + figure('s', s.to) + ', ' + figure('s', (s.to - s.from) * s.part);
    const name = model.threadName(thread.id);
    if (kind === 'run')
        return name + ' runs' + (s.what >= 0 ? ' on core ' + s.what : '') + several + when;
    if (kind === 'region')
        return name + ' is in ' + model.texts[s.what] + several + when;
    if (kind === 'spin')
        return name + ' waits by polling for ' + figure('s', (s.to - s.from) * s.part) + ' of ' + figure('s', s.from) + ' to ' +
            figure('s', s.to);
    return name + ': ' + (s.what >= 0 ? model.texts[s.what] : 'blocked') + several + when;
}

/* The waits that touch a part of time, the longest first. */
function longestWaits(model, range) {
    const found = [];
    for (const t of model.threads) {
        for (const s of t.wait) {
            if (s.to > range.from && s.from < range.to && s.what >= 0)
                found.push({thread: t, span: s, length: (s.to - s.from) * s.part});
        }
    }
    return found.sort((a, b) => b.length - a.length);
}

/* Orders of the threads in the chart; the first is the default. */
const LANE_ORDERS = {
    creation: (a, b) => a.id - b.id,
    energy: (a, b) => (b.energy || 0) - (a.energy || 0),
    'time run': (a, b) => b.times.all - a.times.all,
    'time waited': (a, b) => b.waits.all + b.spins.all - a.waits.all - a.spins.all,
};

/* What is drawn of a thread, the lowest first: [kind, colour, y, height] in its row. */
const LAYERS = [['wait', 'wait', 4, ROW - 8], ['run', 'run', 2, ROW - 7], ['spin', 'spin', 2, ROW - 7],
                ['region', 'c3', ROW - 5, 3]];

function laneTexts(model) {
    if (!model.exact)
        return 'Height: share of its time a thread ran. Each span, and who held what others waited for, need a run with --moments.';
    const {closer_ns: closer, lost, unnamed} = model.data.moments;
    return [closer > 0 ? 'Spans closer than ' + figure('s', closer / 1e9) + ' are drawn as one; their times are exact sums.' : '',
            lost > 0 ? grouped.format(lost) + ' moments were not kept by the run: spans after the first of them are missing.' : '',
            unnamed > 0 ? grouped.format(unnamed) + ' spans have no name here: there were too many different ones.' : '',
            model.threads.some(t => t.spin.length > 0) ? 'Waiting by polling is known in steps of ' +
                figure('s', model.spinStep) + ': the height is its share.' : ''].filter(x => x).join(' ');
}

function putLanes(s, model, range) {
    const all = model.threads.filter(t => t.run.length + t.wait.length > 0);
    let threads = all; /* in the chart, in its order */
    let rows = new Map(); /* of the threads, by id */
    const marks = model.marks;
    const top = marks.list.length > 0 ? STRIP : 0;
    const inSight = Math.min(all.length, ROWS_MAX);
    const height = top + inSight * ROW;
    const canvas = el('canvas', {class: 'lanes', tabindex: 0, role: 'img',
                                 'aria-label': 'Threads over time. Up and down choose a thread, n and p its next and last span.'});
    const svg = d3.create('svg').attr('class', 'over');
    const view = el('div', {class: 'view'}, canvas, svg.node());
    const content = el('div', {}, view); /* as high as all rows: what is in sight is drawn again when it scrolls */
    const box = el('div', {class: 'chart', id: 'lanes'}, content);
    const hint = el('p', {class: 'hint', 'aria-live': 'polite', id: 'lane-hint'},
                    'Point at a span, or focus the chart and press up, down, n, p.');
    const seen = el('span', {id: 'lane-count'});
    const order = el('select', {id: 'lane-order'}, Object.keys(LANE_ORDERS).map(o => el('option', {}, o)));
    const find = el('input', {type: 'search', id: 'lane-find', placeholder: 'a thread'});
    const scale = d3.scaleLinear();
    const axis = svg.append('g').attr('class', 'axis');
    const holders = svg.append('g').attr('class', 'arrows');
    const brushed = svg.append('g').attr('class', 'brush');
    let cursor = {row: 0, span: -1};
    let width = 0;

    for (const t of all) {
        for (const [kind] of LAYERS)
            t['drawn_' + kind] = {list: t[kind], from: t[kind].map(x => x.from)};
    }
    const brush = d3.brushX().on('end', () => {
        const picked = d3.event.selection;
        if (!picked || !d3.event.sourceEvent)
            return;
        brushed.call(brush.move, null);
        range.set(scale.invert(picked[0]), scale.invert(picked[1]));
    });

    function arrange() {
        const word = find.value.trim().toLowerCase();
        threads = all.filter(t => model.threadName(t.id).toLowerCase().includes(word)).sort(LANE_ORDERS[order.value]);
        rows = new Map(threads.map((t, row) => [t.id, row]));
        cursor = {row: 0, span: -1};
        seen.textContent = (all.length > inSight ? 'Scroll for more: ' : '') + grouped.format(threads.length) + ' of ' +
            grouped.format(all.length) + ' threads';
        content.style.height = height + 30 + Math.max(0, threads.length - inSight) * ROW + 'px';
        box.style.height = height + 30 + 'px';
        box.scrollTop = 0;
    }

    /* The first row in sight. */
    function firstRow() {
        return Math.max(0, Math.min(threads.length - inSight, Math.round(box.scrollTop / ROW)));
    }

    function yOf(row) {
        return top + (row - firstRow() + 0.5) * ROW;
    }

    /* From the one that waits to the one that holds, where few enough are in sight. */
    function arrows() {
        const lines = [];
        const first = firstRow();
        threads.slice(first, first + inSight).forEach((t, i) => {
            for (const x of t.wait) {
                if (x.to > range.from && x.from < range.to && rows.has(x.holder) &&
                    scale(x.to) - scale(x.from) > 6 && lines.length <= ARROWS_MAX)
                    lines.push([scale(Math.max(x.from, range.from)), first + i, rows.get(x.holder)]);
            }
        });
        holders.selectAll('*').remove();
        hidden.hidden = lines.length <= ARROWS_MAX;
        if (lines.length > ARROWS_MAX)
            return;
        const inside = y => Math.max(top, Math.min(height, y));
        holders.selectAll('path').data(lines).join('path')
            .attr('d', ([x, a, b]) => 'M' + x + ',' + yOf(a) + 'L' + (x + 5) + ',' + inside(yOf(b)))
            .attr('stroke', colour('mark')).attr('fill', 'none').attr('stroke-width', 1.6).attr('stroke-dasharray', '4 2');
    }

    function draw() {
        const ratio = window.devicePixelRatio || 1;
        width = Math.max(100, box.clientWidth - GUTTER - 12);
        scale.domain([range.from, range.to]).range([0, width]);
        canvas.width = (width + GUTTER) * ratio;
        canvas.height = (height + 1) * ratio;
        canvas.style.width = width + GUTTER + 'px';
        canvas.style.height = height + 1 + 'px';
        const g = canvas.getContext('2d');
        g.scale(ratio, ratio);
        g.font = '12px system-ui, "DejaVu Sans", sans-serif';
        g.textBaseline = 'middle';
        const first = firstRow();
        const colours = LAYERS.map(([, css]) => colour(css));
        const [panel, accent, ink] = ['panel', 'accent', 'ink'].map(colour);
        threads.slice(first, first + inSight).forEach((t, i) => {
            const y = top + i * ROW;
            g.fillStyle = panel;
            g.fillRect(GUTTER, y + 2, width, ROW - 4);
            g.fillStyle = first + i === cursor.row ? accent : ink;
            g.fillText(model.threadName(t.id).slice(0, 15), 2, y + ROW / 2, GUTTER - 8);
            g.save();
            g.translate(GUTTER, 0);
            LAYERS.forEach(([kind, , at, high], k) => paintSpans(g, t['drawn_' + kind], scale, width, y + at, high, colours[k]));
            g.restore();
        });
        g.fillStyle = colour('mark');
        drawMarks(g, marks, range, t => GUTTER + scale(t), 2, height - 2, STRIP / 2);
        svg.attr('width', width + GUTTER + 12).attr('height', height + 26)
            .style('position', 'absolute').style('left', '0').style('top', '0').style('overflow', 'visible')
            .style('pointer-events', 'none');
        axis.attr('transform', 'translate(' + GUTTER + ',' + (height + 2) + ')')
            .call(d3.axisBottom(scale).ticks(Math.max(2, width / 140)).tickFormat(timeLabel(range)));
        holders.attr('transform', 'translate(' + GUTTER + ',0)');
        brushed.attr('transform', 'translate(' + GUTTER + ',0)').style('pointer-events', 'all');
        brush.extent([[0, 0], [width, height]]);
        brushed.call(brush);
        arrows();
    }

    /* What is drawn under a point: the innermost, waits before runs. */
    function find_at(row, t) {
        const thread = threads[row];
        for (const kind of ['wait', 'spin', 'run', 'region']) {
            const list = thread['drawn_' + kind];
            const i = before(list.from, t);
            if (i >= 0 && list.list[i].to >= t)
                return describe(model, thread, kind, list.list[i]);
        }
        return model.threadName(thread.id) + ': ready without a core, or not there, at ' + figure('s', t);
    }

    box.addEventListener('mousemove', e => {
        const r = canvas.getBoundingClientRect();
        const row = firstRow() + Math.floor((e.clientY - r.top - top) / ROW);
        const x = e.clientX - r.left - GUTTER;
        if (e.clientY - r.top < height && row >= 0 && row < threads.length && x >= 0 && x <= width)
            hint.textContent = find_at(row, scale.invert(x));
    });
    box.addEventListener('scroll', draw);
    box.addEventListener('dblclick', () => range.set(0, range.end));
    canvas.addEventListener('keydown', e => {
        const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], n: [0, 1], p: [0, -1]};
        const step = steps[e.key];
        if (!step || threads.length === 0)
            return;
        e.preventDefault();
        const row = Math.min(threads.length - 1, Math.max(0, cursor.row + step[0]));
        const spans = [...threads[row].run.map(x => ['run', x]), ...threads[row].wait.map(x => ['wait', x])]
            .filter(([, x]) => x.to > range.from && x.from < range.to).sort((a, b) => a[1].from - b[1].from);
        cursor = {row: row, span: step[0] !== 0 ? -1 : Math.min(spans.length - 1, Math.max(0, cursor.span + step[1]))};
        hint.textContent = cursor.span >= 0 && spans[cursor.span]
            ? describe(model, threads[row], spans[cursor.span][0], spans[cursor.span][1])
            : model.threadName(threads[row].id) + ': ' + grouped.format(spans.length) + ' spans in sight';
        if (row < firstRow() || row >= firstRow() + inSight)
            box.scrollTop = (row < firstRow() ? row : row - inSight + 1) * ROW;
        draw();
    });
    for (const [name, control] of [['threads', order], ['thread-name', find]]) {
        kept(name, control);
        control.addEventListener(control === order ? 'change' : 'input', () => { arrange(); draw(); });
    }

    const hidden = el('p', {class: 'about'}, 'Lines to holders are drawn where at most ' + ARROWS_MAX +
                      ' are in sight: choose a shorter part of time.');
    s.append(el('h3', {}, 'Threads'),
             el('div', {class: 'tools'}, el('label', {}, 'Order ', order), el('label', {}, 'find ', find), seen),
             legend([['runs', 'var(--run)'], ['waits', 'var(--wait)'],
                     ...(all.some(t => t.spin.length > 0) ? [['waits by polling, on its core', 'var(--spin)']] : []),
                     ...(model.hasRegions ? [['in a region', 'var(--c3)']] : []),
                     ...(all.some(t => t.wait.some(x => x.holder >= 0)) ? [['dashed: to the one that holds what it waits for', 'var(--mark)']] : [])]),
             box, hint, hidden, el('p', {class: 'about'}, laneTexts(model)));
    if (model.threads.some(t => t.wait.some(x => x.what >= 0))) {
        const table = el('div', {});
        const fill = () => {
            const waits = longestWaits(model, range);
            table.replaceChildren(makeTable([
                textColumn('thread', w => model.threadName(w.thread.id)), textColumn('what', w => model.texts[w.span.what]),
                {name: 'begins', kind: 's', get: w => w.span.from}, {name: 'length', kind: 's', bar: true, get: w => w.length},
                {name: 'waits', kind: 'count', get: w => w.span.n}], waits,
            {caption: 'Waits in this part of time, the longest first', id: 'range-waits', top: 12}));
        };
        const details = tableOf(table);
        const open = () => details.open && fill();
        s.append(details);
        details.addEventListener('toggle', open);
        range.listen(open);
    }
    range.listen(draw);
    onRepaint(draw);
    window.addEventListener('resize', draw);
    arrange();
    draw();
}
