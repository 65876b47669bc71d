/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts the page together: of a run, of a recording, of two runs. */
'use strict';

function putRun(data) {
    const report = data.report;
    const model = new TimeModel(data);
    putOverview(data);
    const range = putTime(data, model);
    putFlame(data, model);
    putStack(data, model);
    putParallelism(report);
    if (!report.parallelism && report.cores) {
        const s = section('cores-work', 'Cores');
        putCores(s, report);
    }
    putAbout(data, [['Program', report.program], ['Arguments', data.arguments], ['SHA-256', report.firmware_sha256],
        ['Target', report.target], ['Calibration', report.calibration], ['Quantum', report.quantum], ['Seed', report.seed],
        ['Passes', report.passes], ['Made by', data.creator], ['What is measured', data.label]]);
    return {model: model, range: range};
}

function putRecording(data) {
    const report = data.report;
    const model = new TimeModel(data);
    const rails = railNames(report);
    const first = rails[0] || 'processor';
    const titled = first[0].toUpperCase() + first.slice(1);
    putHead(report, 'Recording of the ADC', report.program + (report.arguments ? ' ' + report.arguments : ''));
    document.getElementById('head').append(el('p', {class: 'about'}, runWhere(report)));
    const s = section('overview', 'Overview');
    s.append(el('div', {class: 'cards'}, card('Time', fig(report, 'time_s', 's'), report.complete ? 'closed normally' : 'not closed: cut off'),
        card('Samples', fig(report, 'samples', 'count'), 'one every ' + figure('s', report.sample_s)),
        card('Lost', fig(report, 'lost', 'count'), 'samples'),
        card(titled + ' energy', fig(report, first + '.energy_uj', 'uJ'), 'by the ADC'),
        card('Mean power', fig(report, first + '.p_avg_uw', 'uW'), 'of the ' + first)));
    if (rails.length > 0)
        s.append(makeTable([textColumn('rail', r => r[0]),
            ...[['voltage', 'uV', 'v_avg_uv'], ['current', 'uA', 'i_avg_ua'], ['power', 'uW', 'p_avg_uw'], ['energy', 'uJ', 'energy_uj']]
                .map(([name, kind, member]) => ({name: name, kind: kind, get: r => at(report, r[1] + '.' + member),
                                                 path: r => r[1] + '.' + member}))],
        rails.map(r => [railTitle(r), r]), {id: 'rails'}));
    s.append(el('h3', {}, 'Plausibility'), makeTable([textColumn('check', c => c.check),
        textColumn('verdict', c => (c.verdict === 'ok' ? 'ok' : el('span', {class: 'alarm'}, c.verdict))),
        textColumn('what was found', c => c.text)], report.checks, {id: 'checks'}));
    const range = putTime(data, model);
    if (report.phases.length > 0) {
        const p = section('phases', 'Between marks');
        p.append(makeTable([textColumn('mark', i => report.phases[i].mark || '(before the first mark)'),
            reportColumn(report, 'value', 'count', 'phases', 'value'), reportColumn(report, 'begins', 's', 'phases', 'begin_s'),
            reportColumn(report, 'time', 's', 'phases', 'time_s'),
            reportColumn(report, 'energy', 'uJ', 'phases', first + '.energy_uj', {bar: true}),
            reportColumn(report, 'mean power', 'uW', 'phases', first + '.p_avg_uw'),
            reportColumn(report, 'samples', 'count', 'phases', 'samples')], indices(report.phases),
        {id: 'phases-table', top: 20, find: report.phases.length > 20 ? 'Find a mark' : undefined}));
    }
    putAbout(data, [['Program', report.program], ['Arguments', report.arguments], ['SHA-256', report.firmware_sha256],
        ['Target', report.target], ['Calibration', report.calibration]]);
    return {model: model, range: range};
}

async function start() {
    const main = document.getElementById('main');
    const wait = document.getElementById('wait');
    try {
        const data = await unpack('data');
        wait.remove();
        document.getElementById('foot').append(el('p', {}, 'Made by mpjoule. Nothing in this page comes from a network.'));
        const made = {run: putRun, recording: putRecording, diff: putDiff}[data.kind](data);
        /* for scripts that drive the page */
        window.mpjoule = Object.assign({data: data}, made);
        document.getElementById(selection.section)?.scrollIntoView();
    } catch (e) {
        wait.textContent = 'The page cannot be shown: ' + e;
        main.dataset.failed = String(e);
        throw e;
    } finally {
        document.documentElement.dataset.readyMs = String(Math.round(performance.now()));
    }
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaintAll);
    let opened = [];
    addEventListener('beforeprint', () => {
        opened = [...document.querySelectorAll('details:not([open])')].filter(d => !d.querySelector('pre:not(.command)'));
        opened.forEach(d => { d.open = true; });
        repaintAll();
    });
    addEventListener('afterprint', () => {
        opened.forEach(d => { d.open = false; });
        repaintAll();
    });
}

start();
