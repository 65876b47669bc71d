/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of a function and, on request, the instructions below each: what they cost. */
'use strict';

const CODE_FIGURES = 3; /* of an instruction: its place, row and text stand before them */

/* Sums of the instructions of each row, and of all: [executions, cycles, fJ, events ...]. */
function codeSums(c) {
    const width = CODE_FIGURES + c.events.length;
    const rows = c.rows.map(() => null);
    const all = new Array(width).fill(0);
    for (const insn of c.insns) {
        if (!rows[insn[1]])
            rows[insn[1]] = new Array(width).fill(0);
        insn.slice(3).forEach((v, i) => {
            rows[insn[1]][i] += v;
            all[i] += v;
        });
    }
    return {rows: rows, all: all};
}

/* The function whose code a call path's last function is in. */
function containing(p, node) {
    while (p.funcs[node[0]][3] === INLINED && node[1] >= 0)
        node = p.nodes[node[1]];
    return node[0];
}

/*
 * What a function cost itself, with what is inlined into it, by the call paths: more than its instructions, as they have
 * no energy of what they wait for. Nothing where paths are left out or the function has several copies.
 */
function ownCost(data, func) {
    const p = data.profile;
    const item = name => p.items.find(i => i.name === name) || {self: p.nodes.map(() => 0)};
    const [energy, cycles] = [item('energy_fj'), item('cycles')];
    if (p.left_out > 0 || data.code.functions.filter(c => c.func === func).length > 1)
        return null;
    return p.nodes.reduce((sum, node, i) => (containing(p, node) !== func ? sum
        : {fj: sum.fj + energy.self[i], cycles: sum.cycles + cycles.self[i]}), {fj: 0, cycles: 0});
}

/* Columns of figures; path: which of an instruction's figures it is. */
function codeColumns(c, sums) {
    const whole = c.energy ? sums.all[2] : sums.all[1];
    const columns = [{name: 'share', kind: 'share', of: v => (whole > 0 ? (c.energy ? v[2] : v[1]) / whole : undefined)},
        ...(c.energy ? [{name: 'energy', kind: 'uJ', of: v => v[2] / 1e9}] : []),
        {name: 'cycles', kind: 'count', of: v => v[1]},
        {name: 'executions', kind: 'count', of: v => v[0]},
        ...c.events.map((name, i) => ({name: name, kind: 'count', of: v => v[CODE_FIGURES + i]}))];
    for (const column of columns) {
        column.most = sums.rows.reduce((most, v) => Math.max(most, v ? Math.abs(column.of(v) || 0) : 0), 0);
        column.unit = column.kind === 'share' ? [0.01, '%'] : unitFor(column.kind, column.most);
    }
    return columns;
}

function codeCells(columns, v) {
    return columns.map(c => {
        const td = el('td', {class: c.name === 'share' ? 'share' : null}, v ? digits(c.kind, c.of(v), c.unit, c.most) : '');
        if (v && c.name === 'share')
            td.style.setProperty('--share', (100 * Math.max(0, c.of(v) || 0)).toFixed(1) + '%');
        return td;
    });
}

/* Instructions of a row, in order of address. */
function codeInsns(c, row, columns) {
    return c.insns.filter(insn => insn[1] === row).map(insn => el('tr', {class: 'insn'},
        el('td', {class: 't'}, el('code', {}, insn[0].toString(16).padStart(8) + ':  ' + insn[2])),
        codeCells(columns, insn.length > CODE_FIGURES ? insn.slice(CODE_FIGURES) : null)));
}

/* What is to be said of a source file. */
function codeFile(data, file) {
    const [path, known, newer, refused] = data.code.files[file];
    return [el('code', {}, path), known ? null : refused ? ' is not shown: ' + refused : ' cannot be read: make the page where the sources are to have its text',
            newer ? el('span', {class: 'alarm'}, ' was changed after the program was made: its text may be that of other lines') : null];
}

/* The lines of a copy of a function, each with a button that shows its instructions. */
function codeTable(data, c, name) {
    const sums = codeSums(c);
    const own = ownCost(data, c.func);
    const columns = codeColumns(c, sums);
    const noteRow = content => el('tr', {class: 'file'}, el('td', {class: 't'}, content), el('td', {colspan: columns.length}));
    const body = el('tbody', {});
    const toggles = [];
    let before = null;
    let hottest = null; /* the row with the most */

    c.rows.forEach(([file, number, text], i) => {
        const moved = !before || before[0] !== file;
        if (moved && file >= 0)
            body.append(noteRow(codeFile(data, file)));
        else if (moved || data.code.files[file][1] && number !== before[1] + 1)
            body.append(noteRow(moved ? 'of no known line: compile with -g' : '\u22ee'));
        before = [file, number];
        const v = sums.rows[i];
        const mark = el('span', {class: 'mark', 'aria-hidden': 'true'}, v ? '\u25b8' : '');
        const where = number > 0 ? String(number) : '';
        const source = el('code', {}, text === null ? '' : text);
        const most = v && columns[0].of(v) || 0;
        const line = el('tr', {}, el('td', {class: 't'}, v
            ? el('button', {type: 'button', class: 'line', 'aria-expanded': 'false'}, mark, el('b', {}, where), ' ', source)
            : el('span', {class: 'line'}, mark, el('b', {}, where), ' ', source)), codeCells(columns, v));
        body.append(line);
        if (v && (!hottest || most > hottest.most))
            hottest = {line: line, most: most};
        if (!v)
            return;
        let shown = null;
        const toggle = open => {
            if (open === Boolean(shown))
                return;
            if (open)
                line.after(...(shown = codeInsns(c, i, columns)));
            else
                shown = shown.forEach(tr => tr.remove());
            mark.textContent = open ? '\u25be' : '\u25b8';
            line.querySelector('button').setAttribute('aria-expanded', String(open));
        };
        line.querySelector('button').addEventListener('click', () => toggle(!shown));
        toggles.push(toggle);
    });
    if (own)
        body.append(el('tr', {class: 'file'}, el('td', {class: 't'}, 'not of these instructions: L2, memory and switches of threads; ' +
            'less what other instructions waited for'), columns.map(x => el('td', {}, x.name === 'energy' ? digits(x.kind, (own.fj - sums.all[2]) / 1e9, x.unit, x.most)
            : x.name === 'cycles' ? digits(x.kind, own.cycles - sums.all[1]) : ''))));
    const head = el('tr', {}, el('th', {scope: 'col', class: 't'}, 'line'), columns.map(x => el('th', {scope: 'col', 'data-unit': x.unit[1]},
        x.name.split('_').flatMap((part, k) => (k > 0 ? ['_', el('wbr', {}), part] : part)),
        x.unit[1] ? [el('br', {}), el('small', {}, x.unit[1])] : null)));
    const scroll = el('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'lines of ' + name}, el('table', {}, el('thead', {}, head), body));
    return {toggles: toggles, title: name + ', with what is inlined into it: ' + (c.energy ? figure('uJ', (own ? own.fj : sums.all[2]) / 1e9) + ', ' : '') +
                grouped.format(own ? own.cycles : sums.all[1]) + ' cycles. Shares are of its instructions; a line has the sum of its instructions.',
            box: el('div', {class: 'tablebox code', id: 'code-table'}, scroll),
            seen: () => { scroll.scrollTop = hottest ? hottest.line.offsetTop - scroll.clientHeight / 2 : 0; }};
}

/* Functions that a function is inlined into, by the call paths. */
function inlinedInto(p, func) {
    return [...new Set(p.nodes.filter(node => node[0] === func).map(node => containing(p, node)))].filter(f => f !== func);
}

/* The command that shows the code of a function. */
function annotateCommand(data, func) {
    const file = tellingFiles(data.profile)[func];
    const word = (file ? file + ':' : '') + data.profile.funcs[func][0];
    return 'mpjoule annotate ' + operands(/^[\w.,:@%+=/-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'", data.file);
}

/* Puts the code into a section. Returns what shows a function, by its number. */
function putCode(s, data, texts) {
    const {code} = data;
    const p = data.profile;
    if (!code)
        return () => {};
    const head = el('h3', {id: 'code'}, 'Source lines and instructions');
    if (code.why) {
        s.append(head, el('p', {class: 'about', id: 'code-why'}, 'Not on this page: ' + code.why + '.'), ...(code.command ? [command(code.command)] : []));
        return () => {};
    }
    const names = code.functions.map(c => texts[c.func] + c.suffix);
    const choose = el('select', {id: 'code-function'}, names.map((name, i) => option(i, name)));
    const note = el('p', {class: 'about', id: 'code-note', 'aria-live': 'polite'});
    const title = el('p', {class: 'about', id: 'code-title'});
    const box = el('div', {});
    let toggles = [];
    let open = false;
    const all = el('button', {type: 'button', id: 'code-all', click: () => {
        open = !open;
        toggles.forEach(toggle => toggle(open));
        all.textContent = open ? 'Hide instructions' : 'Show all instructions';
    }});

    function make() {
        const i = choose.selectedIndex;
        const made = i >= 0 ? codeTable(data, code.functions[i], names[i]) : {toggles: [], title: '', box: '', seen: () => {}};
        toggles = made.toggles;
        open = false;
        all.textContent = 'Show all instructions';
        title.textContent = made.title;
        box.replaceChildren(made.box);
        made.seen();
        note.textContent = '';
    }

    function choice(func) {
        choose.value = code.functions.findIndex(c => c.func === func);
        choose.dispatchEvent(new Event('change'));
    }

    /* Why a function has no code here. */
    function missing(func) {
        const name = texts[func];
        return code.large.includes(func) ? name + ' has more code than fits on the page'
            : code.unsized.includes(func) ? 'The program has no size for ' + name + ' (is it stripped?)'
                : 'The page has the code of functions of ' + 100 * code.least + ' % of the energy of all instructions and more, and ' + name + ' is none of them';
    }

    function show(func) {
        if (func < 0)
            return;
        const here = f => code.functions.some(c => c.func === f);
        const into = here(func) ? [] : inlinedInto(p, func).filter(here);
        if (here(func) || into.length > 0)
            choice(here(func) ? func : into[0]);
        if (into.length > 0)
            note.textContent = texts[func] + ' is inlined into ' + into.map(f => texts[f]).join(', ') + ': its lines are with those.';
        else if (!here(func))
            note.replaceChildren(missing(func) + '. This command shows it, with the program at hand:', command(annotateCommand(data, func)));
    }

    kept('code', choose);
    choose.addEventListener('change', make);
    s.append(head, el('div', {class: 'tools'}, el('label', {}, 'of ', choose), all), note, title, box);
    if (names.length === 0)
        note.textContent = 'No function has instructions that were executed and can be read.';
    make();
    return show;
}
