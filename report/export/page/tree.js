/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees of call paths. Each is made in the same way: what a call path cost itself is added along the path's frames in the
 * order of the tree, so that its sums are those of the paths.
 */
'use strict';

const LEFT_OUT = {id: 'left out', name: '(left out)', kind: 3, func: -2};
const CHIP = {id: 'chip', name: '(chip)', kind: 3, func: -2};

/* Index of the outermost call of a function in a path; -1: it is not in it. */
function outermost(path, func) {
    return path.findIndex(f => f.func === func);
}

/*
 * The frames of a path, outermost first (its thread, then functions), in the order of a tree, from the root on; null: the
 * path is not in it. calls(path, func): how many of these frames get the calls of the path's innermost function, from the
 * root on; null: only the last one.
 */
const TREE_ORDERS = {
    paths: {frames: path => path, calls: null},
    inverted: {frames: path => path.slice().reverse(), calls: path => path.length},
    callees: {frames: (path, func) => {
        const i = outermost(path, func);
        return i < 0 ? null : path.slice(i);
    }, calls: null},
    callers: {frames: (path, func) => {
        const i = outermost(path, func);
        return i < 0 ? null : path.slice(0, i + 1).reverse();
    }, calls: (path, func) => (path[path.length - 1].func !== func ? 0 : outermost(path, func) + 1 < path.length ? 1 : path.length)},
};

/* How many units of an item's figures are one of its unit on the page. */
function perUnit(item) {
    return item.unit === 'fJ' ? 1e9 : 1;
}

function kindOf(item) {
    return item.unit === 'fJ' ? 'uJ' : 'count';
}

/*
 * The call paths of the data as [{path, self, calls}], self in the item's own unit. thread: a number, null: all. chip:
 * "hidden", "shown" as a path of its own, or "shared": what belongs to no core, in proportion to the time of each path.
 */
function callPaths(data, model, item, thread, chip) {
    const p = data.profile;
    const time = p.items.find(i => i.name === 'cycles') || item;
    const ticks = chip === 'shared' ? sumOf(time.self) + sumOf(time.rest || []) : 0;
    const shared = (i, rest) => {
        const own = rest ? time.rest && time.rest[i] : time.self[i];
        return ticks > 0 && own ? item.chip * own / ticks : 0;
    };
    const lanes = new Map();
    const lane = (id, core) => {
        const name = id >= 0 ? model.threadName(id) : 'core ' + core + ' without a thread';
        if (!lanes.has(name))
            lanes.set(name, {id: 'lane ' + name, name: name, kind: 3, func: -1});
        return lanes.get(name);
    };
    const frames = p.funcs.map(([name, , , kind], func) => ({id: func, name: name, kind: kind, func: func}));
    const paths = [];
    const out = [];
    p.nodes.forEach(([func, parent, id, core, , calls], i) => {
        paths[i] = (parent >= 0 ? paths[parent] : [lane(id, core)]).concat(frames[func]);
        if (thread !== null && id !== thread)
            return;
        out.push({path: paths[i], self: item.self[i] + shared(i, false), calls: calls});
        if (item.rest && (item.rest[i] || shared(i, true)))
            out.push({path: paths[i].concat(LEFT_OUT), self: item.rest[i] + shared(i, true), calls: 0});
    });
    const last = p.nodes.length;
    if (item.rest && thread === null && item.rest[last])
        out.push({path: [LEFT_OUT], self: item.rest[last] + shared(last, true), calls: 0});
    if (chip === 'shown' && thread === null && item.chip)
        out.push({path: [CHIP], self: item.chip, calls: 0});
    return out;
}

/* A tree of nodes {name, kind, func, value, calls, children, key}; value is what paths that end at the node cost. */
function makeTree(paths, order, func) {
    const {frames, calls} = TREE_ORDERS[order];
    let number = 0;
    const node = f => ({name: f.name, kind: f.kind, func: f.func, value: 0, calls: 0, children: [], below: new Map(), key: number++});
    const root = node({name: 'all', kind: 3, func: -1});
    for (const p of paths) {
        const list = frames(p.path, func);
        if (!list)
            continue;
        const called = calls && p.calls ? calls(p.path, func) : 0;
        let n = root;
        list.forEach((f, depth) => {
            if (!n.below.has(f.id)) {
                n.below.set(f.id, node(f));
                n.children.push(n.below.get(f.id));
            }
            n = n.below.get(f.id);
            if (depth < called)
                n.calls += p.calls;
        });
        n.value += p.self;
        if (!calls)
            n.calls += p.calls;
    }
    /* of one function: it is the root itself */
    return order === 'callers' || order === 'callees' ? root.children[0] || root : root;
}
