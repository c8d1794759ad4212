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

test('if a key is repeated, the row contains its last value, and the stored response both values', () => {
  const text = '{"id":"C1","status":"open","status":"closed"}';
  const { record, value, warehouse } = bench();
  record('C1', text);
  expect(bodyOf(warehouse, 'SELECT call_id FROM _answer')).toBe(text);
  expect(value('SELECT status FROM entity')).toBe('closed');
});
