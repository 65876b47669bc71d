/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first thing to see of a run, and its tables. */
'use strict';

function textColumn(name, get) {
    return {name: name, get: get};
}

/* A column of the report: rows are indices into a list at `base`. */
function reportColumn(report, name, kind, base, member, more) {
    return Object.assign({name: name, kind: kind, get: i => at(report, base + '.' + i + '.' + member),
                          path: i => base + '.' + i + '.' + member, optional: true}, more);
}

function indices(list) {
    return (list || []).map((_, i) => i);
}

function percent(a, b) {
    return b ? 100 * (a - b) / b : NaN;
}

/* The meter's first channel, which counts as the run's energy, with the error that its heading states. */
function meterChannel(report) {
    const c = at(report, 'meter.channels') && report.meter.channels[0];
    if (!c)
        return 'error not stated';
    return 'channel ' + c.name + (c.error_percent ? ' (\u00b1' + c.error_percent + ' %)' : ' (error not stated)');
}

/* Energy of the processor as it is best known: [path, by what]. */
function bestEnergy(report) {
    const known = [['truth.energy_uj', "emulator's truth"], ['adc.' + (railNames(report.adc)[0] || 'processor') + '.energy_uj', 'by the ADC'],
                   ['meter.energy_uj', 'by the external meter' + ', ' + meterChannel(report)],
                   ['model.energy_uj', 'by the energy model']];
    return known.find(k => at(report, k[0]) !== undefined);
}

function putHead(report, title, subtitle) {
    document.title = title + ' \u2013 mpjoule';
    document.getElementById('head').append(
        el('h1', {}, title, subtitle ? el('small', {}, subtitle) : null));
}

/* A report without a description is of the board that all others are compared with. */
function boardName(report) {
    return report.machine && report.machine.name !== 'realview-eb' ? report.machine.title : 'ARM11 MPCore tile';
}

/* Nothing here has a power meter: said once. */
function putNoPower(s, report) {
    if (report.machine && report.machine.power.length === 0 && !bestEnergy(report))
        s.append(el('p', {class: 'about'}, 'Energy is not measured here: the board has no power channels.'));
}

function runWhere(report) {
    const modelled = report.target === 'sim';
    return (modelled ? 'The modelled chip: emulated ' + boardName(report) : 'Measured on ' + (report.target || 'an unknown target')) +
        (report.clock_hz ? ', ' + (report.cores && report.cores.length > 0 ? report.cores.length + ' cores at ' : '') +
            report.clock_hz / 1e6 + ' MHz' : '') +
        (report.calibration ? ', calibration ' + report.calibration : '') +
        (report.quantum !== undefined ? ', quantum ' + report.quantum : '') +
        (report.seed !== undefined ? ', seed ' + report.seed : '');
}

function putCards(s, report) {
    const energy = bestEnergy(report);
    const cards = [card('Time', fig(report, 'time_s', 's'), report.cycles === undefined ? '' : figure('count', report.cycles) + ' core cycles')];
    if (energy)
        cards.push(card('Processor energy', fig(report, energy[0], 'uJ'), energy[1]));
    if (energy && report.time_s > 0)
        cards.push(card('Mean power', derived('uW', at(report, energy[0]) / report.time_s), 'energy by time'));
    if (report.parallelism)
        cards.push(card('Busy cores', fig(report, 'parallelism.mean', 'number'),
                        'of ' + report.cores.length + ', on average'));
    if (at(report, 'cores.*.events.instr') !== undefined)
        cards.push(card('Instructions', fig(report, 'cores.*.events.instr', 'count'), 'all cores'));
    if (at(report, 'memory.heap_peak_bytes') !== undefined)
        cards.push(card('Heap, at most', fig(report, 'memory.heap_peak_bytes', 'bytes'), 'taken by malloc()'));
    cards.push(card('Exit status', report.exit_status === undefined ? NONE : String(report.exit_status),
                    report.passes > 1 ? report.passes + ' passes' : 'one pass'));
    s.append(el('div', {class: 'cards'}, cards));
    putNoPower(s, report);
    if (report.failure)
        s.append(el('p', {class: 'alarm'}, 'The run failed: ' + report.failure));
    if (report.dropped_records)
        s.append(el('p', {class: 'alarm'}, 'The target dropped ' + report.dropped_records + ' records: it had no memory left, or regions were too deep.'));
}

/* The same quantity by different means. */
function putMeans(s, report) {
    const truth = at(report, 'truth.energy_uj');
    const means = [['ADC', 'adc.' + (railNames(report.adc)[0] || 'processor') + '.energy_uj', 'samples of the board\u2019s current and voltage'],
                   ['external meter', 'meter.energy_uj', meterChannel(report) + ', and all that it feeds'],
                   ['energy model', 'model.energy_uj', at(report, 'model.name')],
                   ['truth', 'truth.energy_uj', 'what an ideal meter would show; the emulator knows it']]
        .filter(m => at(report, m[1]) !== undefined);
    if (means.length === 0)
        return;
    s.append(el('h3', {}, 'Energy of the processor, by'), makeTable([
        textColumn('means', m => m[0]),
        {name: 'energy', kind: 'uJ', get: m => at(report, m[1]), path: m => m[1]},
        {name: 'less truth', kind: '%', optional: true,
         get: m => truth !== undefined && m[0] !== 'truth' ? percent(at(report, m[1]), truth) : undefined},
        textColumn('what it is', m => m[2] || '')], means, {id: 'means'}));
}

function putAccuracy(s, report) {
    const names = [...new Set((report.cores || []).flatMap(c => Object.keys(c.events || {})))];
    const rows = [{name: 'cycles', path: 'cycles', truth: 'truth.cycles'},
                  ...names.map(n => ({name: n, path: 'cores.*.events.' + n, truth: 'truth.cores.*.events.' + n}))]
        .filter(r => at(report, r.truth) !== undefined && at(report, r.path) !== undefined);
    if (rows.length === 0)
        return;
    s.append(el('h3', {}, 'Counts against the emulator\u2019s truth'), makeTable([
        textColumn('event', r => r.name),
        {name: 'measured', kind: 'count', get: r => at(report, r.path), path: r => r.path},
        {name: 'true', kind: 'count', get: r => at(report, r.truth), path: r => r.truth},
        {name: 'error', kind: '%', get: r => percent(at(report, r.path), at(report, r.truth))}], rows, {id: 'accuracy'}));
}

/* Every counter of the cores and of the chip. */
function putCores(s, report) {
    const rows = indices(report.cores);
    const events = [...new Set((report.cores || []).flatMap(c => Object.keys(c.events || {})))];
    if (rows.length === 0)
        return;
    s.append(el('h3', {}, 'Cores'), makeTable([
        textColumn('core', i => 'core ' + report.cores[i].core),
        reportColumn(report, 'cycles', 'count', 'cores', 'cycles'),
        {name: 'busy', kind: 'share', optional: true, bar: true, get: i => {
            const c = report.cores[i];
            return c.wfi_cycles === undefined ? undefined : 1 - c.wfi_cycles / c.cycles;
        }},
        {name: 'instr per busy cycle', kind: 'number', optional: true, get: i => {
            const c = report.cores[i];
            const instr = at(c, 'events.instr');
            return instr === undefined || c.wfi_cycles === undefined ? undefined : instr / (c.cycles - c.wfi_cycles);
        }},
        reportColumn(report, 'energy by model', 'uJ', 'cores', 'energy_uj'),
        {name: 'true energy', kind: 'uJ', optional: true, get: i => at(report, 'truth.cores.' + i + '.energy_uj'),
         path: i => 'truth.cores.' + i + '.energy_uj'}], rows, {id: 'cores'}));
    if (events.length > 0) {
        const chip = ['scu', 'l2'].flatMap(part => Object.keys(at(report, part + '.events') || {})
            .map(name => ({name: name, chip: part + '.events.' + name})));
        s.append(el('details', {}, el('summary', {}, 'Every counted event'), makeTable([
            textColumn('event', r => r.name),
            ...rows.map(i => ({name: 'core ' + report.cores[i].core, kind: 'count', optional: true,
                               get: r => r.chip ? undefined : at(report, 'cores.' + i + '.events.' + r.name),
                               path: r => 'cores.' + i + '.events.' + r.name})),
            {name: 'all, or the chip', kind: 'count', get: r => at(report, r.chip || 'cores.*.events.' + r.name),
             path: r => r.chip || 'cores.*.events.' + r.name}],
        [...events.map(name => ({name: name})), ...chip], {id: 'events', top: 60})));
    }
}

function functionCell(f, picked) {
    const where = place(f.file, f.line);
    const kind = f.kind === 'program' || !f.kind ? '' : ' [' + f.kind + ']';
    const name = picked ? el('button', {type: 'button', class: 'link', click: () => picked(f)}, f.name) : f.name;
    return el('span', {}, name, kind || where ? el('small', {}, kind + (where ? '  ' + where : '')) : null);
}

function functionRows(report) {
    return indices(report.functions).filter(i => report.functions[i].thread === undefined);
}

function functionTable(report, options) {
    const events = [...new Set((report.functions || []).slice(0, 1).flatMap(f => Object.keys(f.self.events)))];
    const chosen = ['instr', 'dcache_rd_miss'].filter(e => events.includes(e));
    return makeTable([
        textColumn('function', i => functionCell(report.functions[i], options.picked)),
        reportColumn(report, 'self energy', 'uJ', 'functions', 'self.energy_uj', {bar: true, share: at(report, 'profile.functions.energy_uj')}),
        reportColumn(report, 'total energy', 'uJ', 'functions', 'total.energy_uj'),
        reportColumn(report, 'self time', 's', 'functions', 'self.time_s', {share: at(report, 'profile.functions.time_s')}),
        reportColumn(report, 'total time', 's', 'functions', 'total.time_s'),
        reportColumn(report, 'self samples', 'count', 'functions', 'self.samples'),
        reportColumn(report, 'calls', 'count', 'functions', 'calls'),
        ...(options.events ? chosen.map(e => reportColumn(report, 'self ' + e, 'count', 'functions', 'self.events.' + e)) : [])],
    functionRows(report), options);
}

function putTopFunctions(s, data) {
    const report = data.report;
    if (!report.functions || report.functions.length === 0)
        return;
    const chip = at(report, 'profile.chip.energy_uj');
    s.append(el('h3', {}, 'Functions that cost most'), functionTable(report, {id: 'top-functions', top: 10, picked: hasFlame(data) ? f => data.picked(f) : undefined}));
    if (chip)
        s.append(el('p', {class: 'about'}, 'Besides: ', fig(report, 'profile.chip.energy_uj', 'uJ'),
                    ' belong to no core, and so to no function: the shared clock and leakage, for as long as the chip is on.'));
}

function putRegions(s, report, top) {
    if (!report.regions || report.regions.length === 0)
        return;
    s.append(el('h3', {}, 'OpenMP regions'), makeTable([
        textColumn('region', i => report.regions[i].name),
        reportColumn(report, 'energy', 'uJ', 'regions', 'energy_uj', {bar: true, share: at(report, 'regions.*.energy_uj')}),
        reportColumn(report, 'time', 's', 'regions', 'wall_s'),
        reportColumn(report, 'run, all threads', 's', 'regions', 'run_s'),
        reportColumn(report, 'at the barrier', 's', 'regions', 'barrier_s'),
        reportColumn(report, 'imbalance', 'share', 'regions', 'imbalance'),
        reportColumn(report, 'threads', 'count', 'regions', 'team'),
        reportColumn(report, 'executions', 'count', 'regions', 'calls')], indices(report.regions),
    {id: 'regions', top: top, sort: 1}));
}

function waitObject(report, w) {
    return w.kind + ' ' + (w.object_name || '0x' + w.object.toString(16));
}

const threadsById = new WeakMap(); /* of each report, made when the first is asked for */

function threadLabel(report, id) {
    if (!threadsById.has(report))
        threadsById.set(report, new Map((report.threads || []).map(t => [t.id, t])));
    const t = threadsById.get(report).get(id);
    return id + (t && t.name ? ' ' + t.name : '');
}

function putWaits(s, report, top) {
    if (!report.sync || report.sync.length === 0)
        return;
    s.append(el('h3', {}, 'Waits between threads'), el('p', {class: 'about'}, 'Shares are of the lives of all threads.'), makeTable([
        textColumn('thread', i => threadLabel(report, report.sync[i].thread)),
        textColumn('waits for', i => waitObject(report, report.sync[i])),
        textColumn('held by', i => report.sync[i].owner ? threadLabel(report, report.sync[i].owner) : 'unknown'),
        textColumn('at', i => report.sync[i].at.function ? el('span', {}, report.sync[i].at.function + ' ',
            el('small', {}, place(report.sync[i].at.file, report.sync[i].at.line))) : ''),
        reportColumn(report, 'total', 's', 'sync', 'total_s', {bar: true, share: at(report, 'threads.*.life_s')}),
        reportColumn(report, 'longest', 's', 'sync', 'longest_s'),
        reportColumn(report, 'times', 'count', 'sync', 'count')], indices(report.sync), {id: 'waits', top: top, sort: 4}));
}

/* Where the emulator's truth of a thread stands. */
function truthPath(report, i) {
    const n = (at(report, 'truth.threads') || []).findIndex(t => t.id === report.threads[i].id);
    return n >= 0 ? 'truth.threads.' + n + '.energy_uj' : 'truth.none';
}

function putThreads(s, report) {
    if (!report.threads || report.threads.length === 0)
        return;
    const energy = bestEnergy(report);
    s.append(el('h3', {}, 'Threads'), makeTable([
        textColumn('thread', i => threadLabel(report, report.threads[i].id)),
        reportColumn(report, 'energy', 'uJ', 'threads', 'energy_uj', {bar: true, share: energy && at(report, energy[0])}),
        {name: 'of its cores', kind: 'uJ', optional: true, bar: report.threads[0].energy_uj === undefined,
         get: i => at(report, truthPath(report, i)), path: i => truthPath(report, i)},
        reportColumn(report, 'run', 's', 'threads', 'run_s'),
        reportColumn(report, 'blocked', 's', 'threads', 'block_s'),
        reportColumn(report, 'host', 's', 'threads', 'host_s'),
        reportColumn(report, 'other', 's', 'threads', 'other_s'),
        reportColumn(report, 'life', 's', 'threads', 'life_s'),
        reportColumn(report, 'cycles', 'count', 'threads', 'cycles'),
        {name: 'stack used', kind: 'bytes', optional: true, path: i => 'threads.' + i + '.stack_used_bytes',
         get: i => report.threads[i].stack_used_bytes || undefined}], indices(report.threads),
    {id: 'threads', top: 16}));
    if (report.unattributed_energy_uj !== undefined)
        s.append(el('p', {class: 'about'}, 'To no thread: ', fig(report, 'unattributed_energy_uj', 'uJ'),
                    ', the share of cores that waited.'));
}

function putParallelism(report) {
    const p = report.parallelism;
    if (!p)
        return;
    const s = section('cores-work', 'Cores and parallelism');
    const all = p.cores_s.reduce((a, b) => a + b, 0);
    s.append(el('p', {}, fig(report, 'parallelism.mean', 'number'), ' cores busy on average, ',
                fig(report, 'parallelism.mean_busy', 'number'), ' while at least one was.'),
             makeTable([
                 textColumn('busy', i => i + (i === 1 ? ' core' : ' cores')),
                 {name: 'share of the time', kind: 'share', bar: true, get: i => all > 0 ? p.cores_s[i] / all : 0},
                 {name: 'time', kind: 's', get: i => p.cores_s[i], path: i => 'parallelism.cores_s.' + i}],
             indices(p.cores_s), {id: 'parallelism'}));
    putCores(s, report);
}

/* A command to copy: a click selects all of it. */
function command(...lines) {
    return el('pre', {class: 'command', tabindex: 0}, lines.join('\n'));
}

/* Words of a command, quoted for a shell, none of which it takes for an option. */
function operands(...words) {
    return (words.some(w => /^\$?'?-/.test(w)) ? '-- ' : '') + words.join(' ');
}

/* What the summary of the run would look at next, with the commands; a page cannot run them. */
function putHints(s, data) {
    if (!data.hints || data.hints.length === 0)
        return;
    s.append(el('h3', {}, 'Look next'), el('ol', {id: 'hints'}, data.hints.map(h => el('li', {}, el('p', {}, h.text), command(h.command),
        h.what_if ? el('details', {}, el('summary', {}, 'What it would save'),
            el('p', {}, 'These run the program again with that cost changed (' + h.what_if + ') and compare; the difference is the ' +
                (h.what_if.startsWith('function:') ? 'gain if the function took half of its cycles.' : 'most that there is to save.')),
            command(h.again.replace(/^mpjoule run/, 'mpjoule run -o what-if.mpj'), 'mpjoule diff ' + operands(data.file, 'what-if.mpj'))) : null))));
}

function putOverview(data) {
    const report = data.report;
    putHead(report, report.program || 'A run', data.arguments || '');
    document.getElementById('head').append(el('p', {class: 'about'}, runWhere(report)));
    const s = section('overview', 'Overview');
    putCards(s, report);
    putHints(s, data);
    putTopFunctions(s, data);
    const two = el('div', {class: 'two'});
    const left = el('div', {});
    const right = el('div', {});
    putMeans(left, report);
    putAccuracy(right, report);
    two.append(left, right);
    s.append(two);
    putRegions(s, report, 8);
    putWaits(s, report, 8);
    putThreads(s, report);
}

function putAbout(data, rows) {
    const s = section('about', 'About this page');
    const list = el('dl', {});
    for (const [name, value] of rows) {
        if (value !== undefined && value !== '')
            list.append(el('dt', {}, name), el('dd', {}, String(value)));
    }
    const source = document.getElementById('source');
    const kind = source ? source.dataset.kind : '';
    s.append(list,
             el('p', {}, kind === 'none' ? 'The run was too large to be kept in this file; its store has everything.'
                 : kind ? 'The whole run is in this file: mpjoule report reads it in every view and format.'
                     : 'This page has the figures of the comparison; the two runs are in their own files.'),
             el('details', {}, el('summary', {}, 'Libraries in this page, and their licences'),
                el('pre', {}, document.getElementById('licences').textContent.trim())));
}
