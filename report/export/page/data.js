/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time and energy of any part of a run. What a thread, region or function used in all of the run is known; it is spread
 * over the time in which the thread ran (in the region), by the power of that time: of its core where the emulator's
 * waveform tells it, else of the whole processor. So the figures of the whole run are those of the report.
 */
'use strict';

const SPIN_LEAST = 1e-3; /* share of a step: less is what figures are rounded by */

/* Index of the last element that is not above v; -1: all are. */
function before(list, v) {
    let low = 0;
    let high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] <= v)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* A quantity over time that is even between edges: its sum up to any moment. */
class Over {
    constructor(edges, amounts) {
        this.edges = edges;
        this.sums = new Float64Array(amounts.length + 1);
        amounts.forEach((v, i) => { this.sums[i + 1] = this.sums[i] + v; });
    }
    upTo(t) {
        const i = before(this.edges, t);
        if (i < 0)
            return 0;
        if (i >= this.edges.length - 1)
            return this.sums[this.sums.length - 1];
        const part = (t - this.edges[i]) / (this.edges[i + 1] - this.edges[i]);
        return this.sums[i] + part * (this.sums[i + 1] - this.sums[i]);
    }
    in(a, b) {
        return this.upTo(b) - this.upTo(a);
    }
    get all() {
        return this.sums[this.sums.length - 1];
    }
}

/* Spans of one kind of a thread, which do not overlap, with a weight each: their weight in any part of time. */
class Weights {
    constructor(spans, weigh) {
        this.from = spans.map(s => s.from);
        this.spans = spans;
        this.weigh = weigh;
        this.sums = new Float64Array(spans.length + 1);
        spans.forEach((s, i) => { this.sums[i + 1] = this.sums[i] + this.of(s, s.from, s.to); });
    }
    of(s, a, b) {
        return b > a ? this.weigh(s, a, b) * s.part : 0;
    }
    upTo(t) {
        const i = before(this.from, t);
        if (i < 0)
            return 0;
        const s = this.spans[i];
        return this.sums[i] + this.of(s, s.from, Math.min(t, s.to));
    }
    in(a, b) {
        return this.upTo(b) - this.upTo(a);
    }
    get all() {
        return this.sums[this.sums.length - 1];
    }
}

/* Edges of steps; what lies behind the end, such as the rest of the last step, belongs to it. */
function edgesOf(count, step, end) {
    return Float64Array.from({length: count + 1}, (_, i) => Math.min(i * step, end));
}

/* Spans of the moments: {from, to, part, what, holder, n}. part: how much of it lasts, when several are one. */
function readSpans(list) {
    const spans = [];
    let from = 0;
    list.from.forEach((d, i) => {
        from += d;
        const several = list.several[i];
        const ns = list.ns[i];
        spans.push({from: from / 1e9, to: (from + ns) / 1e9, part: several && ns > 0 ? several[1] / ns : 1,
                    what: list.what[i], holder: list.holder.length > 0 ? list.holder[i] : -1,
                    n: several ? several[0] : 1});
    });
    return spans;
}

/* Parts of regions, the innermost of each moment; "" is outside of all. */
function innermost(regions, texts, end) {
    const edges = [...new Set([0, end, ...regions.flatMap(r => [r.from, r.to])])].sort((a, b) => a - b);
    const open = [];
    const parts = [];
    let next = 0;
    for (let i = 0; i + 1 < edges.length; i++) {
        while (next < regions.length && regions[next].from <= edges[i])
            open.push(regions[next++]);
        while (open.length > 0 && open[open.length - 1].to <= edges[i])
            open.pop();
        const inside = open.length > 0 ? open[open.length - 1] : null;
        const name = inside ? texts[inside.what] : '';
        const last = parts[parts.length - 1];
        if (last && last.name === name)
            last.to = edges[i + 1];
        else
            parts.push({from: edges[i], to: edges[i + 1], name: name});
    }
    return parts;
}

/* Where two lists overlap: the spans of the first, cut. */
function cut(spans, parts) {
    const out = [];
    let j = 0;
    for (const s of spans) {
        while (j > 0 && parts[j] && parts[j].from > s.from)
            j--;
        while (j < parts.length && parts[j].to <= s.from)
            j++;
        for (let k = j; k < parts.length && parts[k].from < s.to; k++)
            out.push(Object.assign({}, s, {from: Math.max(s.from, parts[k].from), to: Math.min(s.to, parts[k].to),
                                           name: parts[k].name}));
    }
    return out;
}

class TimeModel {
    constructor(data) {
        const report = data.report;
        this.data = data;
        this.report = report;
        this.end = report.time_s || 0;
        this.texts = data.moments ? data.moments.texts : [];
        this.readMarks();
        this.readPower();
        this.readCounts();
        this.readThreads();
        this.readProfile();
        this.readSamples();
    }

    /* this.marks: {times, list}, ascending; a recording has them as the beginnings of its phases */
    readMarks() {
        const list = this.report.marks ? this.report.marks.map(m => ({name: m.name || '', value: m.value, time: m.time_s || 0, thread: m.thread}))
            : (this.report.phases || []).filter(p => p.mark).map(p => ({name: p.mark, value: p.value, time: p.begin_s}));
        list.sort((a, b) => a.time - b.time);
        this.marks = {times: list.map(m => m.time), list: list};
    }

    /* this.sampled: times of the samples in each function, ascending */
    readSamples() {
        const list = this.data.samples ? this.data.samples.at : [];
        let ns = 0;
        this.sampled = new Map();
        for (let i = 0; i < list.length; i += 2) {
            ns += list[i];
            if (!this.sampled.has(list[i + 1]))
                this.sampled.set(list[i + 1], []);
            this.sampled.get(list[i + 1]).push(ns / 1e9);
        }
    }

    /* this.lanes: by core (-1: the chip) from the waveform; this.adc: by rail, least and most beside */
    readPower() {
        const {wave, adc} = this.data;
        this.lanes = new Map();
        if (wave) {
            for (const lane of wave.lanes)
                this.lanes.set(lane.core, new Over(edgesOf(lane.nj.length, wave.step_s, this.end), lane.nj.map(v => v / 1e3)));
        }
        this.adc = null;
        if (adc) {
            const n = adc.begin_s.length;
            const edges = new Float64Array(n + 1);
            for (let i = 1; i < n; i++)
                edges[i] = (adc.end_s[i - 1] + adc.begin_s[i]) / 2;
            edges[n] = Math.max(this.end, adc.end_s[n - 1]);
            this.adc = {edges: edges, rails: {}};
            for (const rail of railNames(adc)) {
                const amounts = adc[rail].uw.map((uw, i) => uw * (edges[i + 1] - edges[i]));
                const sum = amounts.reduce((a, b) => a + b, 0);
                const stated = at(this.report, this.report.adc ? 'adc.' + rail + '.energy_uj' : rail + '.energy_uj');
                const scale = sum > 0 && stated !== undefined ? stated / sum : 1;
                this.adc.rails[rail] = new Over(edges, amounts.map(v => v * scale));
            }
        }
        this.processor = this.adc ? Object.values(this.adc.rails)[0] : null;
        if (this.lanes.size > 0) {
            const lanes = [...this.lanes.values()];
            this.total = {in: (a, b) => lanes.reduce((sum, l) => sum + l.in(a, b), 0)};
        } else {
            this.total = this.processor;
        }
    }

    /* this.counts: [{event, lanes: by core}] */
    readCounts() {
        const {counts} = this.data;
        this.counts = !counts ? [] : counts.events.map(e => ({event: e.event, lanes: new Map(e.lanes.map(
            l => [l.core, new Over(edgesOf(l.n.length, counts.step_s, this.end), l.n)]))}));
    }

    weigh(core, a, b) {
        const lane = this.lanes.get(core);
        if (lane)
            return lane.in(a, b);
        return this.total ? this.total.in(a, b) : b - a;
    }

    /* this.threads: {id, name, run, wait, region, weights, energy} */
    readThreads() {
        const known = new Map((this.report.threads || []).map((t, i) => [t.id, Object.assign({index: i}, t)]));
        const lists = new Map((this.data.moments ? this.data.moments.threads : []).map(l => [l.id, l]));
        const ids = new Set([...known.keys(), ...lists.keys()].filter(id => id > 0 || known.has(id)));
        this.exact = lists.size > 0;
        const truths = new Map((at(this.report, 'truth.threads') || []).map(x => [x.id, x]));
        this.threads = [...ids].sort((a, b) => a - b).map(id => {
            const list = lists.get(id);
            const t = known.get(id) || {id: id, name: ''};
            const truth = truths.get(id);
            /* attributed, with a share of what belongs to no core; else what its cores used */
            const energy = t.energy_uj === undefined && truth ? truth.energy_uj : t.energy_uj;
            const thread = {id: id, name: t.name, index: t.index, energy: energy, run: [], wait: [], region: []};
            if (list) {
                for (const kind of ['run', 'wait', 'region'])
                    thread[kind] = readSpans(list[kind]);
            } else if (!this.exact && t.timeline) {
                const w = t.timeline.bin_s;
                const spans = (name) => t.timeline[name].map((s, i) => ({from: i * w, to: (i + 1) * w, part: s / w, what: -1,
                                                                        holder: -1, n: 0})).filter(s => s.part > 0);
                thread.run = spans('run_s');
                thread.wait = spans('block_s');
                thread.host = spans('host_s');
            }
            thread.weights = new Weights(thread.run, (s, a, b) => this.weigh(s.what, a, b));
            thread.times = new Weights(thread.run, (s, a, b) => b - a);
            thread.waits = new Weights(thread.wait, (s, a, b) => b - a);
            thread.spin = list && t.timeline ? this.polling(thread, t.timeline) : [];
            thread.spins = new Weights(thread.spin, (s, a, b) => b - a);
            return thread;
        });
        this.byId = new Map(this.threads.map(t => [t.id, t]));
        this.hasRegions = this.threads.some(t => t.region.length > 0);
        if (this.hasRegions) {
            for (const t of this.threads) {
                const cuts = cut(t.run, innermost(t.region, this.texts, Infinity));
                t.parts = new Map();
                for (const name of new Set(cuts.map(s => s.name)))
                    t.parts.set(name, new Weights(cuts.filter(s => s.name === name), (s, a, b) => this.weigh(s.what, a, b)));
            }
        }
        this.cores = (this.report.cores || []).map(c => c.core);
    }

    threadName(id) {
        const t = this.byId.get(id);
        return id < 0 ? 'unknown' : id + ' ' + (t ? t.name : '');
    }

    /*
     * Waiting that is in no moment, because the thread kept its core and polled: what the target's own timeline has of
     * waiting in each of its steps, less the moments' waits in it.
     */
    polling(thread, timeline) {
        const step = timeline.bin_s;
        this.spinStep = step;
        return timeline.block_s.map((blocked, i) => {
            const s = blocked - thread.waits.in(i * step, (i + 1) * step);
            return {from: i * step, to: Math.min((i + 1) * step, this.end), part: s / step, what: -1, holder: -1, n: 0};
        }).filter(s => s.part > SPIN_LEAST && s.to > s.from);
    }

    /* Share of the weight of a thread (in a region; undefined: anywhere) that a part of time has. */
    share(thread, region, a, b) {
        const w = thread.parts && region !== undefined ? thread.parts.get(region) : thread.weights;
        return w && w.all > 0 ? w.in(a, b) / w.all : 0;
    }

    /* Share of the time that cores were without a thread. */
    idleShare(a, b) {
        const idle = (x, y) => this.cores.length * (y - x) - this.threads.reduce((s, t) => s + t.times.in(x, y), 0);
        const all = idle(0, this.end);
        return all > 0 ? Math.max(0, idle(a, b)) / all : (b - a) / this.end;
    }

    /* this.groups: what functions used by thread and region: Map of "thread|region" */
    readProfile() {
        const p = this.data.profile;
        this.groups = new Map();
        if (!p)
            return;
        const names = new Map((this.report.regions || []).map(r => [r.address, r.name]));
        const energy = p.items.find(i => i.name === 'energy_fj');
        this.item = energy || p.items.find(i => i.name === 'cycles') || p.items[0];
        if (!this.item)
            return;
        this.kind = kindOf(this.item);
        const per = perUnit(this.item);
        const add = (node, func, v) => {
            const region = node && node[4] >= 0 ? names.get(node[4]) || '' : '';
            const key = (node ? node[2] : -2) + '|' + region;
            if (!this.groups.has(key))
                this.groups.set(key, {thread: node ? node[2] : -2, region: region, funcs: new Map()});
            const funcs = this.groups.get(key).funcs;
            funcs.set(func, (funcs.get(func) || 0) + v);
        };
        p.nodes.forEach((node, i) => {
            add(node, node[0], this.item.self[i] / per);
            if (this.item.rest && this.item.rest[i])
                add(node, -1, this.item.rest[i] / per);
        });
        if (this.item.rest && this.item.rest[p.nodes.length])
            add(null, -1, this.item.rest[p.nodes.length] / per);
    }

    functionName(func) {
        return func < 0 ? '(left out)' : this.data.profile.funcs[func][0];
    }

    /* Energy of each function in a part of time, by the samples in it, if there are any: [{func, value}] */
    functions(a, b) {
        const out = new Map();
        for (const g of this.groups.values()) {
            const thread = this.byId.get(g.thread);
            const share = thread && thread.weights.all > 0 ? this.share(thread, g.region, a, b)
                : g.thread === -2 ? (b - a) / this.end : this.idleShare(a, b);
            for (const [func, v] of g.funcs) {
                const times = this.sampled.get(func);
                const part = times ? ((b < this.end ? before(times, b) : times.length - 1) -
                                      (a > 0 ? before(times, a) : -1)) / times.length : share;
                out.set(func, (out.get(func) || 0) + part * v);
            }
        }
        return [...out].map(([func, value]) => ({func: func, value: value}));
    }

    /* Energy of regions in a part of time; the serial part is what is in none. */
    regions(a, b) {
        if (!this.hasRegions)
            return [];
        return (this.report.regions || []).map((r, i) => {
            const name = i === 0 && r.name === 'serial' ? '' : r.name;
            const weights = this.threads.map(t => t.parts && t.parts.get(name)).filter(w => w);
            const all = weights.reduce((s, w) => s + w.all, 0);
            const energy = r.energy_uj === undefined ? this.ownEnergy(name) : r.energy_uj;
            return {name: r.name, energy: energy === undefined ? undefined
                : all > 0 ? energy * weights.reduce((s, w) => s + w.in(a, b), 0) / all : 0};
        }).filter(r => r.energy !== undefined);
    }

    /* What the threads used in a region by the profile; undefined: it does not say. */
    ownEnergy(region) {
        const groups = [...this.groups.values()].filter(g => g.thread >= 0 && g.region === region);
        return this.kind !== 'uJ' ? undefined
            : groups.reduce((sum, g) => sum + [...g.funcs.values()].reduce((x, y) => x + y, 0), 0);
    }

    /* Cores at work on average in each of n parts of a time. */
    atWork(a, b, n) {
        const out = [];
        for (let i = 0; i < n; i++) {
            const x = a + (b - a) * i / n;
            const y = a + (b - a) * (i + 1) / n;
            out.push([x, this.threads.reduce((s, t) => s + t.times.in(x, y), 0) / (y - x)]);
        }
        return out;
    }
}
