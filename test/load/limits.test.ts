import { expect, test } from 'vitest';
import { DEFAULT_MAPPING } from '../../src/dialect/mapping.ts';
import { MAX_DIFFERENCES, MAX_LIST_ROWS, MAX_VALUES } from '../../src/dialect/response_limits.ts';
import { parseJson } from '../../src/json/json.ts';
import { differences } from '../../src/load/difference.ts';
import { replayQuarantined } from '../../src/load/replay.ts';
import { shred, wholeRoom } from '../../src/load/shred.ts';
import { InferredSchema } from '../../src/warehouse/inferred_schema.ts';
import { listQuarantined } from '../../src/warehouse/quarantine.ts';
import { leavesInRows, leavesOf } from '../support/json_leaves.ts';
import { bench, bodyOf, dialectWith } from '../support/loader.ts';

const HOUR_MS = 3_600_000;
const zeros = (length: number) => new Array<number>(length).fill(0);
const keys = (count: number, prefix = 'key') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, at]));

test('a response with too many values is quarantined with its body, and its target waits for the next run', () => {
  const text = `{"id":"C1","list":[${zeros(MAX_VALUES).join(',')}]}`;
  const { record, all, warehouse } = bench();
  const { failure, quarantined } = record('C1', text);
  expect(quarantined).toBe(1);
  expect((failure?.nextTryAtMs ?? 0) - Date.parse('2026-03-01T00:00:00Z')).toBeGreaterThan(HOUR_MS);
  expect(all('SELECT position, reason FROM _quarantine')).toEqual([
    { position: -1, reason: 'HTTP 200, but the body has more than 500,000 values' },
  ]);
  expect(bodyOf(warehouse, 'SELECT call_id FROM _answer')).toBe(text);
});

test('thousands of rejected results on one page cause one quarantine entry, which a replay closes', () => {
  const results = [
    { id: 'C1', name: 'Alpha' },
    ...Array.from({ length: 2000 }, (_, at) => ({ number: `N${at}` })),
  ];
  const { search, warehouse, all, value } = bench();
  expect(search('a', { results, total: 2001 })).toMatchObject({ quarantined: 1 });
  expect(all('SELECT position, reason FROM _quarantine')).toEqual([
    {
      position: -1,
      reason:
        '2,000 of 2,001 results are not usable (positions 1, 2, 3, 4, 5, …): no id at /id: found nothing',
    },
  ]);
  expect(value('SELECT rows FROM _query')).toBe(2001);

  const replayWith = (id: string) =>
    replayQuarantined({
      warehouse,
      dialect: dialectWith({ search: { id } }),
      entries: listQuarantined(warehouse.db, 'open', 100),
    });
  expect(replayWith('/id')).toMatchObject([
    { state: 'open', why: expect.stringContaining('2,000 of 2,001') },
  ]);
  expect(replayWith('/number')).toMatchObject([{ state: 'replayed' }]);
  expect(value('SELECT count(*) FROM search_result')).toBe(2001);
});

test('the entry for a single rejected result stays open if a replay rejects many results', () => {
  const results = Array.from({ length: 30 }, (_, at) =>
    at === 3 ? { id: {}, number: 'N3' } : { id: `C${at}` },
  );
  const { search, warehouse } = bench();
  search('a', { results: [...results, { id: 'C30', number: 'N30' }] });
  const entries = listQuarantined(warehouse.db, 'open', 100);
  expect(entries).toMatchObject([{ position: 3 }]);
  const dialect = dialectWith({ search: { id: '/number', item: '' } });
  const [other] = replayQuarantined({ warehouse, dialect, entries });
  expect(other).toMatchObject({ state: 'open', why: expect.stringContaining('29 of 31') });
});

test('a list with too many elements is stored in _rest, in order', () => {
  const long = Array.from({ length: MAX_LIST_ROWS + 1 }, (_, at) => at);
  const document = { id: 'C1', long, short: [1, 2, 3] };
  const { record, warehouse, value } = bench();
  expect(record('C1', document).verdict).toBe('ok');
  expect(value("SELECT count(*) FROM _table WHERE table_name LIKE 'entity\\_\\_%' ESCAPE '\\'")).toBe(1);
  expect(value('SELECT count(*) FROM entity__short')).toBe(3);
  expect(leavesInRows(warehouse, 'entity', 'C1')).toEqual(leavesOf(document));
});

test('a list is stored in _rest if its rows would be mostly NULL', () => {
  const { record, warehouse, value } = bench();
  const wide = { id: 'C1', list: [keys(500)] };
  const long = { id: 'C2', list: [...Array.from({ length: 5000 }, (_, z) => ({ key1: z })), keys(3)] };
  record('C1', wide);
  record('C2', long);
  expect(value("SELECT count(*) FROM entity__list WHERE entity_id = 'C2'")).toBe(0);
  expect(leavesInRows(warehouse, 'entity', 'C1')).toEqual(leavesOf(wide));
  expect(leavesInRows(warehouse, 'entity', 'C2')).toEqual(leavesOf(long));
});

test('a last element with many fields adds no columns to many rows', () => {
  const profile = new InferredSchema({ mapping: DEFAULT_MAPPING });
  const document = { list: [...Array.from({ length: 100 }, () => ({ a: 1 })), keys(50)] };
  const capacity = { ...wholeRoom(), cells: 1000 };
  const { rows } = shred(profile, profile.roots.entity, document, capacity);
  expect(profile.tables.get('entity__list')?.columns).toHaveLength(10);
  expect(rows).toHaveLength(102);
  expect(rows.at(-1)?.rest).toMatchObject({ '/key49': 49 });
});

test('_rest repeats a long path only a limited number of times for the keys below it', () => {
  const path = 'p'.repeat(900);
  const document = { id: 'C1', [path]: { ...keys(5000, ''), __proto__x: 1 } };
  const text = JSON.stringify(document).replace('__proto__x', '__proto__');
  const { record, warehouse, value } = bench({ limits: { columns: 20 } });
  record('C1', text);
  expect(value('SELECT length(_rest) FROM entity')).toBeLessThan(2_000_000);
  expect(leavesInRows(warehouse, 'entity', 'C1')).toEqual(leavesOf(parseJson(text)));
});

test('two completely different record versions cause a limited number of changes', () => {
  const count = MAX_DIFFERENCES + 1;
  const before = { id: 'C1', keys: keys(count, 'a'), list: zeros(count), city: 'Ulm' };
  const after = { id: 'C1', keys: keys(count, 'b'), list: zeros(count).map((_, at) => at + 1), city: 'Bonn' };
  expect(differences(before, after).map(({ path }) => path)).toEqual(['/keys', '/list', '/city']);
});

test('lists with equal elements are compared in linear time', () => {
  const secondsFor = (length: number) => {
    const startedMs = performance.now();
    expect(differences({ list: zeros(length) }, { list: [...zeros(length), 1] })).toHaveLength(1);
    return (performance.now() - startedMs) / 1000;
  };
  expect(secondsFor(400_000)).toBeLessThan(10);
});
