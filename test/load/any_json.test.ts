import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withNamedCells } from '../../src/dialect/response_body.ts';
import { type JsonObject, parseJson } from '../../src/json/json.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { dumpDerived } from '../support/dump.ts';
import { leavesInRows, leavesOf } from '../support/json_leaves.ts';
import { bench, dialectWith, entityCall } from '../support/loader.ts';

const TRAPS = [
  'rowid',
  'order',
  'entity_id',
  '_x',
  '_call_id',
  '_rest',
  'a__b',
  'a',
  'b',
  '',
  '__proto__',
  'constructor',
];
const MORE_TRAPS = [
  'Name',
  'name',
  'NAME',
  'value',
  'position',
  'a b',
  'a"b',
  "a'b",
  '名称',
  'ß',
  '\u0000',
  '\ud800',
  '~/',
  'items',
];

const key = fc.oneof(fc.constantFrom(...TRAPS, ...MORE_TRAPS), fc.string({ unit: 'binary', maxLength: 8 }));
const scalar = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    '0',
    '-0',
    '1e5',
    '9007199254740993',
    '-9223372036854775808',
    '0.1',
    '1.5e300',
  ),
  fc.constantFrom(
    '123456789012345678901234567890',
    '0.12345678901234567890123',
    '1e999',
    '"0034"',
    '"2026-01-01"',
  ),
  fc.constantFrom('"2026-01-01T10:00:00Z"', '"\\ud800"', '"a\\u0000b"', '""'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
);
/** JSON text, so that numbers can be more precise than a double. */
const { value: json } = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('object'), tie('list')),
  list: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map(objectText),
}));
const record = fc
  .array(fc.tuple(key, json), { maxLength: 8 })
  .map((members) => objectText([['id', '"C1"'], ...members]));

/** A record in which one list names the cells of another. */
const TABLE = '{"id":"C1","a":{"columns":["x","y"],"rows":[[{"z":0},[]]]}}';

function objectText(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

test("a JSON record's rows contain all its values, and its response is stored unchanged", () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 4 }), (versions) => {
      const {
        record: load,
        warehouse,
        value,
      } = bench({ limits: { columns: 12, childTables: 5, depth: 4, listDepth: 3 } });
      for (const text of versions) {
        const id = (parseJson(text) as JsonObject).id;
        const result = load('C1', text);
        expect(
          value('SELECT body FROM _answer JOIN _call USING (call_id) ORDER BY call_id DESC LIMIT 1') ??
            Buffer.from(text),
        ).toEqual(Buffer.from(text));
        if (id !== 'C1') continue;
        expect(result.verdict).toBe('ok');
        expect(leavesInRows(warehouse, 'entity', 'C1')).toEqual(leavesOf(withNamedCells(parseJson(text))));
      }
      expect(value('PRAGMA integrity_check')).toBe('ok');
      expect(value('PRAGMA foreign_key_check')).toBeUndefined();
    }),
    { numRuns: 50, examples: [[[TABLE]]] },
  );
});

test('loading the same response again changes nothing, and a later response with the same content changes only dates', () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 3 }), (versions) => {
      const { outcome, load, record: loadOne, warehouse, all } = bench();
      const outcomes = versions.map((text) => outcome(entityCall('C1'), text));
      load(outcomes);
      const before = warehouse.db.serialize();
      expect(load(outcomes)).toEqual([]);
      expect(warehouse.db.serialize().equals(before)).toBe(true);

      const last = versions.at(-1) ?? '';
      const rows = () => leavesInRows(warehouse, 'entity', 'C1');
      const changes = all('SELECT * FROM entity_change');
      const held = rows();
      if (outcomes.at(-1)?.verdict.is === 'ok')
        expect(loadOne('C1', last).record).toEqual({ isNew: false, changed: false });
      expect(rows()).toEqual(held);
      expect(all('SELECT * FROM entity_change')).toEqual(changes);
    }),
    { numRuns: 50 },
  );
});

test('rebuilding from the stored responses produces the same tables for any JSON', async () => {
  const step = fc.record({
    id: fc.constantFrom('C1', 'C2'),
    members: fc.array(fc.tuple(key, json), { maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const { record: load, warehouse } = bench();
      for (const { id, members } of steps) load(id, objectText([...members, ['id', JSON.stringify(id)]]));
      const before = dumpDerived(warehouse);
      await reprocess({ warehouse, dialect: dialectWith() });
      expect(dumpDerived(warehouse)).toEqual(before);
    }),
    { numRuns: 20 },
  );
});
