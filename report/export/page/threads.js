/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads over time: when each ran, waited and for whom, in which region. */
'use strict';

const ROW = 24;       /* px of a thread */
const ROWS_MAX = 200; /* threads that are drawn */
const ARROWS_MAX = 300;
const STRIP = 16;     /* px above the threads, for marks */

/* Shares of run and wait in each pixel column, so that many short spans look like what they add up to. */
function paintSpans(g, spans, scale, width, y, height, css) {
    const share = new Float32Array(Math.ceil(width) + 2);
    const [a, b] = scale.domain();
    const perPixel = (b - a) / width;
    for (let i = Math.max(0, before(spans.map ? spans.from : spans, a)); i < spans.list.length; i++) {
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
    return name + ': ' + (s.what >= 0 ? model.texts[s.what] : 'blocked') + several + when;
}

/* The longest waits that touch a part of time. */
function longestWaits(model, range, n) {
    const found = [];
    for (const t of model.threads) {
        for (const s of t.wait) {
            if (s.to > range.from && s.from < range.to && s.what >= 0)
                found.push({thread: t, span: s, length: (s.to - s.from) * s.part});
        }
    }
    return found.sort((a, b) => b.length - a.length).slice(0, n);
}

function putLanes(s, model, range) {
    const threads = model.threads.filter(t => t.run.length + t.wait.length > 0).slice(0, ROWS_MAX);
    const marks = (model.data.moments || {marks: []}).marks;
    const top = marks.length > 0 ? STRIP : 0;
    const height = top + threads.length * ROW;
    const canvas = el('canvas', {class: 'lanes', tabindex: 0, role: 'img',
                                 'aria-label': 'Threads over time. Up and down choose a thread, n and p its next and last span.'});
    const svg = d3.create('svg').attr('class', 'over');
    const box = el('div', {class: 'chart', id: 'lanes'}, canvas, svg.node());
    const hint = el('p', {class: 'hint', 'aria-live': 'polite', id: 'lane-hint'},
                    'Point at a span, or focus the chart and press up, down, n, p.');
    const scale = d3.scaleLinear();
    const axis = svg.append('g').attr('class', 'axis');
    const holders = svg.append('g').attr('class', 'arrows');
    const brushed = svg.append('g').attr('class', 'brush');
    let cursor = {row: 0, span: -1};
    let width = 0;

    for (const t of threads) {
        for (const kind of ['run', 'wait', 'region'])
            t['drawn_' + kind] = {list: t[kind], from: t[kind].map(x => x.from), map: true};
    }
    const brush = d3.brushX().on('end', () => {
        const picked = d3.event.selection;
        if (!picked || !d3.event.sourceEvent)
            return;
        brushed.call(brush.move, null);
        range.set(scale.invert(picked[0]), scale.invert(picked[1]));
    });

    function rowOf(id) {
        return threads.findIndex(t => t.id === id);
    }

    /* From the one that waits to the one that holds, where few enough are in sight. */
    function arrows() {
        const lines = [];
        threads.forEach((t, row) => {
            for (const x of t.wait) {
                if (x.to > range.from && x.from < range.to && x.holder >= 0 && rowOf(x.holder) >= 0 &&
                    scale(x.to) - scale(x.from) > 6 && lines.length <= ARROWS_MAX)
                    lines.push([scale(Math.max(x.from, range.from)), row, rowOf(x.holder)]);
            }
        });
        holders.selectAll('*').remove();
        if (lines.length > ARROWS_MAX)
            return;
        holders.selectAll('path').data(lines).join('path')
            .attr('d', ([x, a, b]) => 'M' + x + ',' + (top + (a + 0.5) * ROW) + 'L' + (x + 5) + ',' + (top + (b + 0.5) * ROW))
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
        threads.forEach((t, row) => {
            const y = top + row * ROW;
            g.fillStyle = colour('panel');
            g.fillRect(GUTTER, y + 2, width, ROW - 4);
            g.fillStyle = colour(row === cursor.row ? 'accent' : 'ink');
            g.fillText(model.threadName(t.id).slice(0, 15), 2, y + ROW / 2, GUTTER - 8);
            g.save();
            g.translate(GUTTER, 0);
            paintSpans(g, t.drawn_wait, scale, width, y + 4, ROW - 8, colour('wait'));
            paintSpans(g, t.drawn_run, scale, width, y + 2, ROW - 7, colour('run'));
            paintSpans(g, t.drawn_region, scale, width, y + ROW - 5, 3, colour('c3'));
            g.restore();
        });
        let free = -1; /* where the next mark's name may begin */
        g.fillStyle = colour('mark');
        for (const [ns, , text] of marks) {
            const x = scale(ns / 1e9);
            if (x < 0 || x > width)
                continue;
            g.fillRect(GUTTER + x, 2, 1, height - 2);
            if (x > free) {
                const name = text.slice(0, 30);
                g.fillText(name, GUTTER + x + 4, STRIP / 2);
                free = x + g.measureText(name).width + 10;
            }
        }
        svg.attr('width', width + GUTTER + 12).attr('height', height + 26)
            .style('position', 'absolute').style('left', '0').style('top', '0').style('overflow', 'visible')
            .style('pointer-events', 'none');
        axis.attr('transform', 'translate(' + GUTTER + ',' + (height + 2) + ')')
            .call(d3.axisBottom(scale).ticks(Math.max(2, width / 140)).tickFormat(timeLabel(range)));
        holders.attr('transform', 'translate(' + GUTTER + ',0)');
        brushed.attr('transform', 'translate(' + GUTTER + ',0)').style('pointer-events', 'all');
        brush.extent([[0, 0], [width, height]]);
        brushed.call(brush);
        box.style.height = height + 30 + 'px';
        arrows();
    }

    /* What is drawn under a point: the innermost, waits before runs. */
    function find(row, t) {
        const thread = threads[row];
        for (const kind of ['wait', 'run', 'region']) {
            const list = thread['drawn_' + kind];
            const i = before(list.from, t);
            if (i >= 0 && list.list[i].to >= t)
                return describe(model, thread, kind, list.list[i]);
        }
        return model.threadName(thread.id) + ': ready without a core, or not there, at ' + figure('s', t);
    }

    box.addEventListener('mousemove', e => {
        const r = canvas.getBoundingClientRect();
        const row = Math.floor((e.clientY - r.top - top) / ROW);
        const x = e.clientX - r.left - GUTTER;
        if (row >= 0 && row < threads.length && x >= 0 && x <= width)
            hint.textContent = find(row, scale.invert(x));
    });
    box.addEventListener('dblclick', () => range.set(0, range.end));
    canvas.addEventListener('keydown', e => {
        const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], n: [0, 1], p: [0, -1]};
        const step = steps[e.key];
        if (!step)
            return;
        e.preventDefault();
        const row = Math.min(threads.length - 1, Math.max(0, cursor.row + step[0]));
        const all = [...threads[row].run.map(x => ['run', x]), ...threads[row].wait.map(x => ['wait', x])]
            .filter(([, x]) => x.to > range.from && x.from < range.to).sort((a, b) => a[1].from - b[1].from);
        cursor = {row: row, span: step[0] !== 0 ? -1 : Math.min(all.length - 1, Math.max(0, cursor.span + step[1]))};
        hint.textContent = cursor.span >= 0 && all[cursor.span]
            ? describe(model, threads[row], all[cursor.span][0], all[cursor.span][1])
            : model.threadName(threads[row].id) + ': ' + grouped.format(all.length) + ' spans in sight';
        draw();
    });

    s.append(el('h3', {}, 'Threads'),
             legend([['runs', 'var(--run)'], ['waits', 'var(--wait)'], ...(model.hasRegions ? [['in a region', 'var(--c3)']] : []),
                     ...(threads.some(t => t.wait.some(x => x.holder >= 0)) ? [['dashed: to the one that holds what it waits for', 'var(--mark)']] : [])]),
             box, hint);
    if (!model.exact)
        s.append(el('p', {class: 'about'}, 'Height: share of its time a thread ran. Each span, and who held what others ' +
                                           'waited for, need a run with --moments.'));
    else if (model.data.moments.closer_ns > 0)
        s.append(el('p', {class: 'about'}, 'Spans closer than ' + figure('s', model.data.moments.closer_ns / 1e9) +
                                           ' are drawn as one; their times are exact sums.'));
    if (threads.length < model.threads.length)
        s.append(el('p', {class: 'about'}, (model.threads.length - threads.length) + ' more threads are in the tables only.'));
    if (model.threads.some(t => t.wait.some(x => x.what >= 0))) {
        const table = el('div', {});
        const fill = () => table.replaceChildren(makeTable([
            textColumn('thread', w => model.threadName(w.thread.id)), textColumn('what', w => model.texts[w.span.what]),
            {name: 'begins', kind: 's', get: w => w.span.from}, {name: 'length', kind: 's', bar: true, get: w => w.length},
            {name: 'waits', kind: 'count', get: w => w.span.n}], longestWaits(model, range, 100),
        {caption: 'The longest waits in this part of time', id: 'range-waits', top: 12}));
        s.append(tableOf(table));
        range.listen(fill);
        fill();
    }
    range.listen(draw);
    onRepaint(draw);
    window.addEventListener('resize', draw);
    draw();
}
