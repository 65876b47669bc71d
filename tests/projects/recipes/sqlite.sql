-- SPDX-License-Identifier: GPL-2.0-or-later
.headers on
PRAGMA journal_mode = wal;
PRAGMA journal_mode = delete;
CREATE TABLE part(id INTEGER PRIMARY KEY, name TEXT, weight REAL, parent INT REFERENCES part(id));
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
INSERT INTO part SELECT i, printf('part%04d', i * 7919 % 10007), i * 1.25, i / 3 FROM n;
COMMIT;
CREATE INDEX by_name ON part(name);
SELECT count(*), sum(weight), min(name), max(name) FROM part;
SELECT p.name, count(*) AS parts, round(avg(c.weight), 3) FROM part p JOIN part c ON c.parent = p.id
GROUP BY p.id ORDER BY parts DESC, p.name LIMIT 5;
WITH RECURSIVE up(id, depth) AS (SELECT 1999, 0 UNION ALL SELECT parent, depth + 1 FROM part JOIN up USING(id) WHERE parent > 0)
SELECT max(depth), group_concat(id) FROM up;
SELECT id, sum(weight) OVER (ORDER BY id ROWS 2 PRECEDING) FROM part WHERE id <= 5;
EXPLAIN QUERY PLAN SELECT * FROM part WHERE name = 'part0042';
SELECT json_group_array(json_object('id', id, 'name', name)) FROM part WHERE id % 500 = 0;
UPDATE part SET weight = weight / 2 WHERE id % 2;
DELETE FROM part WHERE id % 3 = 0;
VACUUM;
PRAGMA integrity_check;
SELECT strftime('%Y-%m-%d', 86400 * 365, 'unixepoch'), typeof(1e300 * 1e10), hex(zeroblob(3)), 9223372036854775807;
