import { expect, test } from 'vitest';
import { parseJson } from '../../src/json/json.ts';
import { leavesInRows, leavesOf } from '../support/json_leaves.ts';
import { bench, bodyOf } from '../support/loader.ts';

test('keys that collide with built-in columns or with each other get separate columns', () => {
  const text = `{"id":"C1","rowid":1,"order":2,"entity_id":3,"_x":4,"_call_id":5,"a__b":6,"a":{"b":7},"A":{"B":8},
    "":9,"__proto__":{"polluted":10},"Name":11,"name":12,"NAME":13,"select":14,"drop table entity;--":15}`;
  const { record, all, warehouse } = bench();
  expect(record('C1', text).verdict).toBe('ok');
  expect(
    all("SELECT path, column_name FROM _column WHERE table_name = 'entity' AND column_name IS NOT NULL"),
  ).toEqual(
    [
      ['/', 'field'],
      ['/A/B', 'a__b_2'],
      ['/NAME', 'name_3'],
      ['/Name', 'name'],
      ['/__proto__/polluted', 'field_proto__polluted'],
      ['/_call_id', 'field_call_id'],
      ['/_x', 'field_x'],
      ['/a/b', 'a__b'],
      ['/a__b', 'a_b'],
      ['/drop table entity;--', 'drop_table_entity'],
      ['/entity_id', 'field_entity_id'],
      ['/id', 'id'],
      ['/name', 'name_2'],
      ['/order', 'order'],
      ['/rowid', 'field_rowid'],
      ['/select', 'select'],
    ].map(([path, column_name]) => ({ path, column_name })),
  );
  expect(leavesInRows(warehouse, 'entity', 'C1')).toEqual(leavesOf(parseJson(text)));
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('a record with 2,000 fields gets 900 columns, and its other fields are stored in _rest', () => {
  const record = {
    id: 'C1',
    ...Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`field${n}`, n])),
  };
  const { record: load, warehouse, value } = bench();
  load('C1', record);
  expect(value("SELECT count(*) FROM _column WHERE table_name = 'entity' AND column_name IS NOT NULL")).toBe(
    900,
  );
  expect(leavesInRows(warehouse, 'entity', 'C1')).toEqual(leavesOf(record));
  expect(value(`SELECT _rest ->> '$."/field1999"' FROM entity`)).toBe(1999);
});

test('the schema stays within its limits even if each record has 10,000 new keys', () => {
  const { record: load, warehouse, value } = bench();
  for (const id of ['C1', 'C2', 'C3']) {
    const record = {
      id,
      ...Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`${id} ${n}`, [n]])),
    };
    load(id, record);
    expect(leavesInRows(warehouse, 'entity', id)).toEqual(leavesOf(record));
  }
  expect(value('SELECT count(*) FROM _table')).toBeLessThan(250);
  expect(value('SELECT count(*) FROM _column')).toBeLessThan(5000);
});

// The record itself is the first level.
const nested = (open: string, close: string, depth = 500) =>
  `${open.repeat(depth - 1)}"bottom"${close.repeat(depth - 1)}`;

test('objects and lists nested 500 levels deep are stored completely', () => {
  const text = `{"id":"C1","objects":${nested('{"in":', '}')},"lists":${nested('[', ']')}}`;
  const { record, value, warehouse } = bench();
  expect(record('C1', text).verdict).toBe('ok');
  expect(bodyOf(warehouse, 'SELECT call_id FROM _answer')).toBe(text);
  expect(value('SELECT instr(_rest, ?) > 0 FROM entity', '"bottom"')).toBe(1);
  expect(value('SELECT instr(_rest, ?) > 0 FROM entity__lists__items__items__items', '"bottom"')).toBe(1);
});

test.each([501, 100_000])('a response nested %i levels deep is quarantined with its body', (depth) => {
  const text = `{"id":"C1","deep":${nested('[', ']', depth)}}`;
  const { record, warehouse } = bench();
  expect(record('C1', text).quarantined).toBe(1);
  expect(bodyOf(warehouse, 'SELECT call_id FROM _quarantine')).toBe(text);
});

test('lists with mixed types keep the position of each element', () => {
  const record = { id: 'C1', mixed: [1, 'two', null, { three: 3 }, [4, [5]], true, {}, []] };
  const { record: load, all, warehouse } = bench();
  load('C1', record);
  expect(all('SELECT position, value, three FROM entity__mixed')).toEqual([
    { position: 0, value: 1, three: null },
    { position: 1, value: 'two', three: null },
    { position: 2, value: null, three: null },
    { position: 3, value: null, three: 3 },
    { position: 4, value: null, three: null },
    { position: 5, value: 1, three: null },
    { position: 6, value: null, three: null },
    { position: 7, value: null, three: null },
  ]);
  expect(leavesInRows(warehouse, 'entity', 'C1')).toEqual(leavesOf(record));
});

test('the stored response keeps lone surrogates, NUL and every control character', () => {
  const text = `{"id":"C1","name":"a\\ud800b","nul":"x\\u0000y","controls":"\\u0001\\u001f\\u007f","emoji":"🏢"}`;
  const { record, all, warehouse } = bench();
  record('C1', text);
  expect(bodyOf(warehouse, 'SELECT call_id FROM _answer')).toBe(text);
  expect(all('SELECT name, nul, emoji FROM entity')).toEqual([
    { name: 'a\ufffdb', nul: 'x\u0000y', emoji: '🏢' },
  ]);
});

test('texts, keys and numbers of 10 MB are stored completely', () => {
  const long = 'é'.repeat(5 * 1024 * 1024);
  const key = 'k'.repeat(10_000_000);
  const digits = '9'.repeat(10_000_000);
  const text = `{"id":"C1","purpose":"${long}","${key}":1,"number":${digits}}`;
  const { record, value, warehouse } = bench();
  expect(record('C1', text).verdict).toBe('ok');
  expect(bodyOf(warehouse, 'SELECT call_id FROM _answer') === text).toBe(true);
  expect(value('SELECT length(purpose) FROM entity')).toBe(long.length);
  expect(value('SELECT length(_rest) FROM entity')).toBe(key.length + '{"/":1}'.length);
  expect(value('SELECT number = ? FROM entity', digits)).toBe(1);
});

test('a name of 1 MB is stored completely and can be found', () => {
  const { record, value } = bench();
  record('C1', { id: 'C1', name: `${'x'.repeat(1024 * 1024)} needle` });
  expect(value("SELECT entity_id FROM entity_fts WHERE entity_fts MATCH 'needle'")).toBe('C1');
});

test('keys with lone surrogates and NUL keep their values', () => {
  const text = String.raw`{"id":"C1","a\u0000b":2,"\ud800":1,"\ud800x":{"y":3}}`;
  const { record, warehouse } = bench();
  expect(record('C1', text).verdict).toBe('ok');
  expect(bodyOf(warehouse, 'SELECT call_id FROM _answer')).toBe(text);
  expect(leavesInRows(warehouse, 'entity', 'C1')).toEqual(leavesOf(parseJson(text)));
});

test('if a key is repeated, the row contains its last value, and the stored response both values', () => {
  const text = '{"id":"C1","status":"open","status":"closed"}';
  const { record, value, warehouse } = bench();
  record('C1', text);
  expect(bodyOf(warehouse, 'SELECT call_id FROM _answer')).toBe(text);
  expect(value('SELECT status FROM entity')).toBe('closed');
});

test('ids that look like SQL, paths or markup are stored unchanged', () => {
  const ids = [
    "'; DROP TABLE entity;--",
    '../../etc/passwd',
    '%2F',
    '\u0000',
    '💼',
    '<script>',
    '0034',
    'a'.repeat(100_000),
  ];
  const { record, all } = bench();
  for (const id of ids) record(id, { id });
  expect(all('SELECT entity_id FROM entity ORDER BY _call_id').map((row) => row.entity_id)).toEqual(ids);
});

test('a field that changes between a scalar, an object, a list and null keeps every value', () => {
  const { record: load, warehouse, all } = bench();
  const values = [null, 'text', { a: 1 }, [1, { b: 2 }], 5, null, []];
  for (const [n, drifting] of values.entries()) load(`C${n}`, { id: `C${n}`, drifting });
  for (const [n, drifting] of values.entries())
    expect(leavesInRows(warehouse, 'entity', `C${n}`)).toEqual(leavesOf({ id: `C${n}`, drifting }));
  expect(all("SELECT types FROM _column WHERE path = '/drifting' AND table_name = 'entity'")).toEqual([
    { types: 'text integer object list' },
  ]);
});
