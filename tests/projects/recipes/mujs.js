// SPDX-License-Identifier: GPL-2.0-or-later
function queens(n) {
    var found = 0
    function place(row, columns, left, right) {
        if (row === n) { found++; return }
        for (var c = 0; c < n; c++) {
            var a = 1 << c, b = 1 << (row + c), d = 1 << (row - c + n)
            if (!(columns & a) && !(left & b) && !(right & d))
                place(row + 1, columns | a, left | b, right | d)
        }
    }
    place(0, 0, 0, 0)
    return found
}
print("queens", queens(Number(scriptArgs[1] || scriptArgs[0])))
var words = "the quick brown fox jumps over the lazy dog".split(/\s+/)
print(words.sort().map(function (w) { return w.replace(/[aeiou]/g, function (v) { return v.toUpperCase() }) }).join(","))
print(JSON.stringify({ list: [1, 2.5, 1e21, 1e-7, null, true], text: "\u00e4\n", nested: { a: [{}] } }))
print((0.1 + 0.2).toString(), (255).toString(16), (1 / 3).toFixed(10), Math.pow(2, 53), parseFloat("1e-300"))
try { undefinedFunction() } catch (e) { print(e.name, e.message) }
print(new Date(86400000).toISOString(), isNaN("x" / 2))
