/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Power and events over time, and the part of time that is selected: all charts show it, the tables below them say what it cost. */
'use strict';

const PARTS = 20;   /* rows of a chart's table */
const GUTTER = innerWidth < 600 ? 72 : 104; /* px left of every chart over time: names and values */

/* The part of time that is shown. Whoever draws it listens. */
class Range {
    constructor(end) {
        this.end = end;
        this.from = 0;
        this.to = end;
        this.listeners = [];
    }
    listen(f) {
        this.listeners.push(f);
    }
    set(from, to) {
        const least = this.end / 1e7;
        from = Math.min(Math.max(0, from), this.end - least);
        to = Math.max(Math.min(this.end, to), from + least);
        if (!(to > from) || (from === this.from && to === this.to))
            return;
        this.from = from;
        this.to = to;
        for (const f of this.listeners)
            f();
    }
    zoom(factor) {
        const middle = (this.from + this.to) / 2;
        const half = (this.to - this.from) / 2 * factor;
        this.set(middle - half, middle + half);
    }
    pan(share) {
        const d = Math.max(-this.from, Math.min(this.end - this.to, share * (this.to - this.from)));
        this.set(this.from + d, this.to + d);
    }
}

/* Keeps the part of time in the address. */
function keepRange(range) {
    range.listen(() => {
        const whole = range.from <= 0 && range.to >= range.end;
        selection.set('from', whole ? undefined : range.from.toPrecision(9));
        selection.set('to', whole ? undefined : range.to.toPrecision(9));
    });
    const take = () => {
        const bound = (name, otherwise) => {
            const v = selection.values.has(name) ? Number(selection.values.get(name)) : otherwise;
            return Number.isFinite(v) ? v : otherwise;
        };
        range.set(bound('from', 0), bound('to', range.end));
    };
    selection.take('from', take);
    selection.take('to', take);
}

/* Labels of an axis of time, in the unit that suits what is shown. */
function timeLabel(range) {
    const unit = unitFor('s', range.end);
    const places = Math.max(0, Math.min(6, Math.ceil(-Math.log10((range.to - range.from) / unit[0] / 12))));
    return t => (t / unit[0]).toFixed(places) + ' ' + unit[1];
}

/*
 * Draws a line in each column of pixels in which a mark was set, and names where there is space for them. x(time): its column
 * in the canvas, from left to right. However many marks there are, each column is drawn once.
 */
function drawMarks(canvas, marks, range, x, top, height, nameY) {
    let column = -Infinity; /* the last one that has a line */
    let free = -Infinity;   /* where the next name may begin */
    for (let i = before(marks.times, range.from - 1e-12) + 1; i < marks.times.length && marks.times[i] <= range.to; i++) {
        const at = Math.floor(x(marks.times[i]));
        if (at <= column)
            continue;
        column = at;
        canvas.fillRect(at, top, 1, height);
        if (at > free) {
            const name = markName(marks.list[i]).slice(0, 30);
            canvas.fillText(name, at + 4, nameY);
            free = at + canvas.measureText(name).width + 10;
        }
    }
}

function markName(m) {
    return m.name + (m.value ? ' = ' + m.value : '');
}

/* The marks of a part of time, in the order of time. */
function putMarks(s, model, range) {
    const {times, list} = model.marks;
    if (list.length === 0)
        return;
    const box = el('div', {});
    const place = m => (m.thread === undefined ? '' : model.threadName(m.thread));
    const fill = () => {
        const first = before(times, range.from - 1e-12) + 1;
        const shown = list.slice(first, before(times, range.to) + 1);
        box.replaceChildren(makeTable([textColumn('mark', m => m.name), {name: 'value', kind: 'count', get: m => m.value},
            {name: 'time', kind: 's', get: m => m.time}, textColumn('thread', place)], shown,
        {id: 'marks', top: 12, find: 'Find a mark', caption: grouped.format(shown.length) + ' of ' + grouped.format(list.length) +
            ' marks are in this part of time'}));
    };
    const table = tableOf(box);
    table.querySelector('summary').textContent = 'Marks (' + grouped.format(list.length) + ')';
    const open = () => table.open && fill();
    table.addEventListener('toggle', open);
    range.listen(open);
    s.append(table);
}

/* A chart over time by dygraphs. series: [[name, css colour]]; options: those of dygraphs. */
function timeChart(box, title, rows, series, range, options) {
    const marks = options.marks;
    const plot = el('div', {class: 'plot ' + (options.size || ''), role: 'img', 'aria-label': title});
    box.append(plot);
    delete options.size;
    delete options.marks;
    const style = () => ({
        colors: series.map(([, css]) => colour(css)),
        axes: {x: {gridLineColor: colour('grid'), axisLineColor: colour('line'), axisLabelFormatter: t => timeLabel(range)(t),
                   valueFormatter: t => figure('s', t), axisLabelWidth: 80},
               y: {gridLineColor: colour('grid'), axisLineColor: colour('line'), axisLabelWidth: GUTTER - 6, pixelsPerLabel: 24}},
        rangeSelectorPlotStrokeColor: colour('soft'), rangeSelectorPlotFillColor: colour('run'),
        rangeSelectorForegroundStrokeColor: colour('accent'), rangeSelectorBackgroundStrokeColor: colour('line'),
    });
    let silent = false;
    const chart = new Dygraph(plot, rows, Object.assign({
        labels: ['time', ...series.map(s => s[0])], stepPlot: true, legend: 'follow', dateWindow: [range.from, range.to],
        underlayCallback: (canvas, area, g) => {
            if (!marks)
                return;
            canvas.save();
            canvas.fillStyle = colour('soft');
            canvas.font = '11px system-ui, "DejaVu Sans", sans-serif';
            drawMarks(canvas, marks, range, t => g.toDomXCoord(t), area.y, area.h, area.y + area.h / 2);
            canvas.restore();
        },
        rightGap: 12, yLabelWidth: 18, labelsKMB: false, animatedZooms: false, interactionModel: Dygraph.defaultInteractionModel, digitsAfterDecimal: 3, includeZero: true,
        drawCallback: (g, first) => {
            if (first || silent)
                return;
            const [a, b] = g.xAxisRange();
            range.set(a, b);
        },
    }, options, style()));
    range.listen(() => {
        silent = true;
        chart.updateOptions({dateWindow: [range.from, range.to]});
        silent = false;
    });
    onRepaint(() => {
        silent = true;
        chart.updateOptions(style());
        silent = false;
    });
    return chart;
}

/* A chart over time as a table: means of equal parts of what is shown. columns: get([from, to]) */
function partsTable(range, id, columns, caption) {
    const box = el('div', {});
    const fill = () => {
        const step = (range.to - range.from) / PARTS;
        const parts = Array.from({length: PARTS}, (_, i) => [range.from + i * step, range.from + (i + 1) * step]);
        box.replaceChildren(makeTable([{name: 'from', kind: 's', get: p => p[0]}, {name: 'to', kind: 's', get: p => p[1]},
            ...columns.map(c => Object.assign({}, c))], parts, {id: id, top: PARTS,
            caption: caption || 'Means of ' + PARTS + ' equal parts of what the chart shows'}));
    };
    const table = tableOf(box);
    const open = () => table.open && fill();
    table.addEventListener('toggle', open);
    range.listen(open);
    return table;
}

function putWaveChart(s, model, range) {
    const wave = model.data.wave;
    const lanes = wave.lanes;
    const name = core => core < 0 ? 'outside of the cores' : 'core ' + core;
    const css = core => core < 0 ? 'c7' : 'c' + core % 7;
    const overs = lanes.map(l => model.lanes.get(l.core));
    const edges = overs[0].edges;
    const rows = [];
    /* the last step may be cut off by the end, and have what came after it */
    for (let i = 0; i + 1 < edges.length && edges[i + 1] - edges[i] > 0.99 * wave.step_s; i++)
        rows.push([edges[i], ...overs.map(o => o.in(edges[i], edges[i + 1]) / (edges[i + 1] - edges[i]) / 1e3)]);
    rows.push([range.end, ...(rows.length > 0 ? rows[rows.length - 1].slice(1) : overs.map(o => o.all / range.end / 1e3))]);
    const box = el('div', {class: 'chart', id: 'wave'});
    s.append(el('h3', {}, 'Power of the chip, by the emulator'),
             legend(lanes.map(l => [name(l.core), 'var(--' + css(l.core) + ')'])), box);
    timeChart(box, 'Power of the chip over time, in milliwatt', rows, lanes.map(l => [name(l.core), css(l.core)]), range,
              {stackedGraph: true, ylabel: 'mW', showRangeSelector: true, rangeSelectorHeight: 34, fillAlpha: 0.55, size: 'tall'});
    s.append(el('p', {class: 'about'}, 'Mean of each ' + figure('s', wave.step_s) +
        (wave.step_s > wave.finest_s * 1.01 ? ' (recorded every ' + figure('s', wave.finest_s) + ')' : '') + '.'),
             partsTable(range, 'wave-table', lanes.map((l, i) => ({name: name(l.core), kind: 'uW',
                 get: ([a, b]) => overs[i].in(a, b) / (b - a)}))));
}

function putAdcChart(s, model, range, selector) {
    const adc = model.data.adc;
    const rails = railNames(adc).map((r, i) => [r, ['c0', 'c5', 'c2', 'c3'][i]]);
    const titled = rails.map(([r, colour]) => [railTitle(r), colour]);
    const rows = adc.begin_s.map((_, i) => [model.adc.edges[i],
        ...rails.map(([r]) => [adc[r].least_uw[i] / 1e3, adc[r].uw[i] / 1e3, adc[r].most_uw[i] / 1e3])]);
    rows.push([range.end, ...rows[rows.length - 1].slice(1)]);
    const box = el('div', {class: 'chart', id: 'adc'});
    s.append(el('h3', {}, 'Power by the tile\u2019s ADC'),
             legend(titled.map(([r, colour]) => [r, 'var(--' + colour + ')'])), box);
    timeChart(box, 'Power by the ADC over time, in milliwatt', rows, titled, range,
              {customBars: true, ylabel: 'mW', showRangeSelector: selector, rangeSelectorHeight: 34,
               marks: model.marks});
    s.append(el('p', {class: 'about'}, adc.per > 1
        ? 'A point is the mean of ' + adc.per + ' samples; the band around it reaches from the least to the most.'
        : 'Each sample.'),
             partsTable(range, 'adc-table', rails.map(([r]) => ({name: railTitle(r), kind: 'uW',
                 get: ([a, b]) => model.adc.rails[r].in(a, b) / (b - a)}))));
}

/* One event of the cores at a time, chosen above the chart. */
function putCountsChart(s, model, range) {
    const step = model.data.counts.step_s;
    const cores = [...new Set(model.counts.flatMap(c => [...c.lanes.keys()]))].sort((a, b) => a - b);
    let chosen = model.counts.find(c => c.event === 'dcache_rd_miss') || model.counts[0];
    const count = (c, core, a, b) => c.lanes.has(core) ? c.lanes.get(core).in(a, b) : 0;
    const rows = () => {
        const edges = [...chosen.lanes.values()][0].edges;
        const out = [];
        for (let i = 0; i + 1 < edges.length && edges[i + 1] > edges[i]; i++)
            out.push([edges[i], ...cores.map(core => count(chosen, core, edges[i], edges[i + 1]) / (edges[i + 1] - edges[i]) / 1e6)]);
        out.push([range.end, ...out[out.length - 1].slice(1)]);
        return out;
    };
    const box = el('div', {class: 'chart', id: 'counts'});
    const table = partsTable(range, 'counts-table', cores.map(core => ({name: 'core ' + core, kind: 'count',
        get: ([a, b]) => Math.round(count(chosen, core, a, b))})), 'Counts of the event in ' + PARTS + ' equal parts of what the chart shows');
    const choice = el('select', {id: 'counts-event', change: () => {
        chosen = model.counts[choice.selectedIndex];
        chart.updateOptions({file: rows()});
        table.dispatchEvent(new Event('toggle'));
    }}, model.counts.map(c => el('option', c === chosen ? {selected: ''} : {}, c.event)));
    s.append(el('h3', {}, 'Events of the cores, by the emulator'),
             el('div', {class: 'tools'}, el('label', {}, 'Event ', choice)),
             legend(cores.map(core => ['core ' + core, 'var(--c' + core % 7 + ')'])), box);
    const chart = timeChart(box, 'An event of the cores over time, counts in a microsecond', rows(),
                            cores.map(core => ['core ' + core, 'c' + core % 7]), range,
                            {stackedGraph: true, ylabel: 'per ' + MICRO + 's', fillAlpha: 0.55});
    s.append(el('p', {class: 'about'}, 'Mean of each ' + figure('s', step) + '.'), table);
    kept('event', choice);
}

/* Fields, buttons and keys. */
function rangeTools(range) {
    const unit = unitFor('s', range.end);
    const field = label => el('input', {type: 'number', step: 'any', min: 0, max: range.end / unit[0], 'aria-label': label});
    const from = field('from, ' + unit[1]);
    const to = field('to, ' + unit[1]);
    const text = el('output', {id: 'range-text', 'aria-live': 'polite'});
    const take = () => range.set(Number(from.value) * unit[0], Number(to.value) * unit[0]);
    const button = (name, label, f) => el('button', {type: 'button', title: label, 'aria-label': label, click: f}, name);
    const show = () => {
        from.value = Number((range.from / unit[0]).toPrecision(9));
        to.value = Number((range.to / unit[0]).toPrecision(9));
        text.textContent = figure('s', range.to - range.from);
    };
    from.id = 'range-from';
    to.id = 'range-to';
    from.addEventListener('change', take);
    to.addEventListener('change', take);
    range.listen(show);
    show();
    return el('div', {class: 'tools rangebar', role: 'group', 'aria-label': 'Part of time'},
              el('label', {}, 'From ', from, ' ' + unit[1]), el('label', {}, 'to ', to, ' ' + unit[1]),
              el('span', {}, '= ', text),
              button('\u2190', 'Earlier', () => range.pan(-0.25)), button('\u2192', 'Later', () => range.pan(0.25)),
              button('+', 'Nearer', () => range.zoom(0.5)), button('\u2212', 'Farther', () => range.zoom(2)),
              Object.assign(button('Whole run', 'Whole run', () => range.set(0, range.end)), {id: 'range-all'}));
}

/* Tables of the part of time, made again when it changes. */
function rangeTables(box, model, range) {
    const draw = () => {
        const {from, to} = range;
        const rows = [];
        const power = [];
        if (model.processor)
            power.push(['processor, by the ADC', model.processor.in(from, to)]);
        for (const [core, lane] of model.lanes)
            power.push([core < 0 ? 'outside of the cores (emulator)' : 'core ' + core + ' (emulator)', lane.in(from, to)]);
        for (const t of model.threads) {
            rows.push({name: model.threadName(t.id), run: t.times.in(from, to), wait: t.waits.in(from, to),
                       spin: model.spinStep ? t.spins.in(from, to) : undefined,
                       energy: t.energy === undefined ? undefined : t.energy * model.share(t, undefined, from, to)});
        }
        const out = el('div', {class: 'two'});
        if (power.length > 0)
            out.append(el('div', {}, el('h3', {}, 'Energy in this part of time'), makeTable([
                textColumn('of', r => r[0]), {name: 'energy', kind: 'uJ', bar: true, get: r => r[1]},
                {name: 'mean power', kind: 'uW', get: r => r[1] / (to - from)}], power, {id: 'range-power', top: 8})));
        if (rows.length > 0)
            out.append(el('div', {}, el('h3', {}, 'Threads in this part of time'), makeTable([
                textColumn('thread', r => r.name), {name: 'energy', kind: 'uJ', bar: true, optional: true, get: r => r.energy},
                {name: 'run', kind: 's', get: r => r.run}, {name: 'polling', kind: 's', optional: true, get: r => r.spin},
                {name: 'blocked', kind: 's', get: r => r.wait}],
            rows, {id: 'range-threads', top: 8, sort: 1})));
        if (model.counts.length > 0) {
            const sum = c => Math.round([...c.lanes.values()].reduce((n, l) => n + l.in(from, to), 0));
            out.append(el('div', {}, el('h3', {}, 'Events in this part of time'), makeTable([
                textColumn('event', c => c.event), {name: 'count', kind: 'count', get: sum},
                {name: 'per ' + MICRO + 's', kind: 'number', get: c => sum(c) / (to - from) / 1e6}],
            model.counts, {id: 'range-events', top: 8})));
        }
        const regions = model.regions(from, to);
        if (regions.length > 0)
            out.append(el('div', {}, el('h3', {}, 'Regions in this part of time'), makeTable([
                textColumn('region', r => r.name), {name: 'energy', kind: 'uJ', bar: true, get: r => r.energy}], regions,
            {id: 'range-regions', top: 8, sort: 1})));
        if (model.groups.size > 0)
            out.append(el('div', {}, el('h3', {}, 'Functions in this part of time'), makeTable([
                textColumn('function', r => model.functionName(r.func)),
                {name: model.kind === 'uJ' ? 'self energy' : 'self ' + model.item.name, kind: model.kind, bar: true,
                 get: r => r.value}],
            model.functions(from, to), {id: 'range-functions', top: 8, sort: 1})));
        box.replaceChildren(out);
    };
    let due = false;
    range.listen(() => {
        if (due)
            return;
        due = true;
        requestAnimationFrame(() => { due = false; draw(); });
    });
    draw();
}

function putTime(data, model) {
    const range = new Range(model.end);
    keepRange(range);
    if (!(model.end > 0) || (!model.adc && model.lanes.size === 0 && model.threads.length === 0))
        return null;
    const s = section('time', 'Over time');
    s.append(rangeTools(range), el('p', {class: 'hint'},
        'Drag across a chart, or move the handles below it, to choose a part of time; double-click for the whole run. ' +
        'Keys: arrows, + and \u2212, 0.'));
    if (data.wave)
        putWaveChart(s, model, range);
    if (model.counts.length > 0)
        putCountsChart(s, model, range);
    if (data.adc)
        putAdcChart(s, model, range, !data.wave);
    putMarks(s, model, range);
    if (model.threads.some(t => t.run.length > 0)) {
        putLanes(s, model, range);
        const box = el('div', {class: 'chart', id: 'at-work'});
        s.append(el('h3', {}, 'Busy cores'), box);
        const steps = () => [...model.atWork(range.from, range.to, 800), [range.to, 0]];
        const most = Math.max(1, model.cores.length, model.lanes.size, ...steps().map(step => step[1]));
        const chart = timeChart(box, 'Busy cores over time', steps(), [['busy cores', 'c2']], range,
                                {ylabel: 'cores', fillGraph: true, size: 'low',
                                 valueRange: [0, most + 0.2]});
        range.listen(() => chart.updateOptions({file: steps()}));
        s.append(partsTable(range, 'at-work-table', [{name: 'busy cores', kind: 'number',
            get: ([a, b]) => model.atWork(a, b, 1)[0][1]}]));
    }
    const tables = el('div', {id: 'range'});
    s.append(tables, el('p', {class: 'about'}, 'What a thread, region or function used is known of the whole run. Here it is ' +
        'spread over the time in which the thread ran, by the power ' +
        (model.lanes.size > 0 ? 'of its core' : 'of the processor') + ' then' +
        (model.sampled.size > 0 ? '; functions by their samples'
            : model.groups.size > 0 ? '; functions by their share in thread and region' : '') + '.'));
    rangeTables(tables, model, range);
    s.addEventListener('keydown', e => {
        if (['INPUT', 'SELECT'].includes(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented)
            return;
        const keys = {'ArrowLeft': () => range.pan(-0.25), 'ArrowRight': () => range.pan(0.25), '+': () => range.zoom(0.5),
                      '-': () => range.zoom(2), '0': () => range.set(0, range.end)};
        if (keys[e.key]) {
            keys[e.key]();
            e.preventDefault();
        }
    });
    s.tabIndex = -1;
    return range;
}
