-- SPDX-License-Identifier: GPL-2.0-or-later
local size = tonumber(arg[1])

-- the queens
local found, board = 0, {}
local function free(row, column)
    for other = 1, row - 1 do
        local at = board[other]
        if at == column or at - other == column - row or at + other == column + row then return false end
    end
    return true
end
local function place(row)
    if row > size then found = found + 1 return end
    for column = 1, size do
        if free(row, column) then board[row] = column place(row + 1) end
    end
end
place(1)
print(string.format("%d queens: %d", size, found))

-- a sieve by coroutines
local function numbers() return coroutine.wrap(function() local n = 2 while true do coroutine.yield(n) n = n + 1 end end) end
local function without(p, from)
    return coroutine.wrap(function() while true do local n = from() if n % p ~= 0 then coroutine.yield(n) end end end)
end
local source, primes = numbers(), {}
for _ = 1, 25 do local p = source() primes[#primes + 1] = p source = without(p, source) end
print(table.concat(primes, " "))

-- strings, patterns, sort
local words = {}
for word in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do words[#words + 1] = word:upper():reverse() end
table.sort(words, function(a, b) return a:sub(-1) .. a < b:sub(-1) .. b end)
print(table.concat(words, ","), ("x=%q %5.2f %x"):format("a\nb", 3.14159, 48879))

-- integers of 64 bits and numbers
print(math.maxinteger + 1 == math.mininteger, 7 // -2, 7 % -2, 1 << 40, 0x7fffffff * 0x7fffffff)
local sum = 0
for i = 1, 1000 do sum = sum + math.sqrt(i) * math.sin(i) / math.log(i + 1) end
print(string.format("%.9f %.17g", sum, 0.1), pcall(error, { 1 }), select("#", pcall(error)))
print(os.time({ year = 2020, month = 2, day = 30, hour = 12 }), os.date("!%Y-%m-%d %H:%M:%S", 1583064000))
