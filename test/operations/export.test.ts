import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { forget } from '../../src/load/forget.ts';
import { type ExportOrder, exportTables, type Manifest } from '../../src/operations/export.ts';
import { recordSource } from '../../src/warehouse/meta.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { type Bench, bench, dialectWith, resultPage, START_MS, temporaryFolder } from '../support/loader.ts';

const WHOLE: ExportOrder = {
  format: 'csv',
  folder: '',
  tables: null,
  what: { is: 'whole' },
  safeFormulas: false,
  rowsPerFile: null,
  nowMs: START_MS,
};

function mirror(): Bench & {
  folder: string;
  run: (order: Partial<ExportOrder>) => Manifest;
  text: (name: string) => string;
} {
  const lived = bench();
  recordSource(lived.warehouse.db, {
    name: 'Example',
    url: null,
    licence: 'CC-BY',
    attribution: 'By Example',
    tier: 'paid',
  });
  lived.record(
    'C1',
    '{"id":"C1","name":"=1+1, \\"A\\"","capital":9007199254740993,"on":"2001-02-03","ok":true,"rate":1.5,"tags":["x","y"]}',
  );
  lived.record(
    'C2',
    '{"id":"C2","name":"","capital":null,"on":"2002-02-03","ok":false,"rate":2,"note":"two\\nlines"}',
  );
  const folder = temporaryFolder();
  return {
    ...lived,
    folder,
    run: (order) => exportTables(lived.warehouse, { ...WHOLE, folder, ...order }),
    text: (name) => readFileSync(join(folder, name), 'utf8'),
  };
}

test('an exported CSV file has a header, quotes only where necessary, and distinguishes null from empty text', () => {
  const { run, text } = mirror();
  run({ tables: ['entity'] });
  expect(text('entity.csv').split('\r\n')).toEqual([
    'entity_id,_fetched_at,_changed_at,_gone_at,_call_id,id,name,capital,on,ok,rate,note',
    'C1,2026-03-01T00:00:01.000Z,2026-03-01T00:00:01.000Z,,1,C1,"=1+1, ""A""",9007199254740993,2001-02-03,1,1.5,',
    'C2,2026-03-01T00:00:02.000Z,2026-03-01T00:00:02.000Z,,2,C2,"",,2002-02-03,0,2,"two\nlines"',
    '',
  ]);
  expect(parse(text('entity.csv'), { columns: true })).toHaveLength(2);
});

test('CSV for spreadsheets has no text that starts like a formula, and leaves numbers unchanged', () => {
  const { run, text, record } = mirror();
  record('C3', { id: 'C3', name: '@sum', rate: -1 });
  run({ tables: ['entity'], safeFormulas: true });
  const rows = parse(text('entity.csv'), { columns: true }) as Record<string, string>[];
  expect(rows.map(({ name, rate }) => [name, rate])).toEqual([
    ['\'=1+1, "A"', '1.5'],
    ['', '2'],
    ["'@sum", '-1'],
  ]);
});

test('a JSON Lines file contains the records as the registry sent them', () => {
  const { run, text } = mirror();
  run({ format: 'jsonl', tables: ['entity', 'entity__tags'] });
  const [first] = text('entity.jsonl').split('\n');
  expect(first).toContain('"document":{"id":"C1","name":"=1+1, \\"A\\"","capital":9007199254740993,');
  expect(text('entity__tags.jsonl')).toBe(
    '{"entity_id":"C1","position":0,"_call_id":1,"value":"x"}\n{"entity_id":"C1","position":1,"_call_id":1,"value":"y"}\n',
  );
});

test('Parquet files have typed columns and name the source in the footer', async () => {
  const { run, folder } = mirror();
  run({ format: 'parquet' });
  const file = new Uint8Array(readFileSync(join(folder, 'entity.parquet'))).buffer;
  const rows = await parquetReadObjects({
    file,
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
  });
  expect(rows).toEqual([
    {
      entity_id: 'C1',
      _fetched_at: new Date('2026-03-01T00:00:01.000Z'),
      _changed_at: new Date('2026-03-01T00:00:01.000Z'),
      _gone_at: null,
      _call_id: 1n,
      id: 'C1',
      name: '=1+1, "A"',
      capital: 9007199254740993n,
      on: new Date('2001-02-03'),
      ok: true,
      rate: 1.5,
      note: null,
    },
    expect.objectContaining({ entity_id: 'C2', capital: null, ok: false, rate: 2, note: 'two\nlines' }),
  ]);
  const facts = parquetMetadata(file).key_value_metadata ?? [];
  expect(facts).toContainEqual({ key: 'licence', value: 'CC-BY' });
});

test('every export format stores mixed types, invalid dates and every table', () => {
  const { run, record, search, stats, warehouse } = mirror();
  record('C3', { id: 'C3', capital: 'much', on: '2001-02-31', rate: 'x', 会社: [{ a: [1, 'b'] }] });
  search('a', resultPage({ id: 'C1', name: 'A', n: 1 }));
  stats({ companies: 2 });
  for (const format of ['csv', 'jsonl', 'parquet'] as const) {
    const { files } = run({ format });
    expect(files.map(({ table, rows }) => [table, rows])).toEqual([
      ['company', 3],
      ['company__tags', 2],
      ['company__会社', 1],
      ['company__会社__a', 2],
      ['entity_overview', 3],
      ['entity', 3],
      ['entity__tags', 2],
      ['entity__会社', 1],
      ['entity__会社__a', 2],
      ['search_result', 1],
      ['registry_stats', 1],
      ['entity_change', 0],
      ['entity_history', 3],
      ['coverage', 1],
      ['freshness', 2],
      ['allowance_daily', 1],
      ['column_overview', expect.any(Number)],
    ]);
  }
  warehouse.db.pragma('wal_checkpoint');
});

test('the manifest lists every file, its columns with their meanings and the source', () => {
  const { run, text } = mirror();
  const manifest = run({ tables: ['entity__tags'] });
  expect(JSON.parse(text('manifest.json'))).toEqual(JSON.parse(JSON.stringify(manifest)));
  expect(manifest).toMatchObject({
    source: { name: 'Example', licence: 'CC-BY', attribution: 'By Example', tier: 'paid' },
    cursor: expect.stringMatching(/^\d+-[0-9a-f]{12}$/),
    files: [{ name: 'entity__tags.csv', rows: 2, bytes: Buffer.byteLength(text('entity__tags.csv')) }],
  });
  expect(manifest.files[0]?.columns).toEqual(
    expect.arrayContaining([
      { name: 'position', kind: 'integer', meaning: 'The position in the list, from 0' },
      { name: 'value', kind: 'text', meaning: 'The element itself, in a list of plain values' },
    ]),
  );
});

test('an export describes its files as a data package', () => {
  const { run, text } = mirror();
  const { files } = run({ tables: ['entity', 'entity__tags'], rowsPerFile: 1 });
  const { resources, licenses } = JSON.parse(text('datapackage.json'));
  expect(licenses).toEqual([{ name: 'CC-BY', title: 'CC-BY' }]);
  expect(resources.flatMap(({ path }: { path: string | string[] }) => path)).toEqual(
    files.map(({ name }) => name),
  );
  expect(resources[0].schema).toMatchObject({ primaryKey: ['entity_id'] });
  expect(resources[0].schema.fields).toContainEqual({
    name: '_fetched_at',
    type: 'datetime',
    description: 'When the record was last fetched (UTC)',
  });
  expect(resources[1].schema.foreignKeys).toEqual([
    { fields: ['entity_id'], reference: { resource: 'entity', fields: ['entity_id'] } },
  ]);
});

test('a limit on rows per file splits a table into several files', () => {
  const { run, text } = mirror();
  const { files } = run({ tables: ['entity__tags'], rowsPerFile: 1 });
  expect(files.map(({ name, rows }) => [name, rows])).toEqual([
    ['entity__tags-00000.csv', 1],
    ['entity__tags-00001.csv', 1],
  ]);
  expect(text('entity__tags-00001.csv')).toBe('entity_id,position,_call_id,value\r\nC1,1,1,y\r\n');
});

test("an export for a past date contains that date's records, but no gone companies", () => {
  const { run, text, record } = mirror();
  record('C1', { id: 'C1', name: 'Renamed', tags: ['z'] });
  record('C2', { id: 'C2', class: 'Deleted' });
  record('C3', { id: 'C3', name: 'Late' });
  const at = (second: number) =>
    run({ what: { is: 'as_of', at: new Date(START_MS + second * 1000).toISOString() } });
  const rowsAt = (second: number, table: string) => {
    at(second);
    return (parse(text(`${table}.csv`), { columns: true }) as Record<string, string>[]).sort((a, b) =>
      `${a.entity_id}${a.position}` < `${b.entity_id}${b.position}` ? -1 : 1,
    );
  };
  expect(rowsAt(0, 'entity')).toEqual([]);
  expect(rowsAt(2, 'entity').map(({ entity_id, name }) => [entity_id, name])).toEqual([
    ['C1', '=1+1, "A"'],
    ['C2', ''],
  ]);
  expect(
    rowsAt(2, 'entity__tags').map(({ position, value, _call_id }) => [position, value, _call_id]),
  ).toEqual([
    ['0', 'x', '1'],
    ['1', 'y', '1'],
  ]);
  expect(rowsAt(9, 'entity').map(({ entity_id, name }) => [entity_id, name])).toEqual([
    ['C1', 'Renamed'],
    ['C3', 'Late'],
  ]);
  run({
    format: 'jsonl',
    what: { is: 'as_of', at: new Date(START_MS + 2000).toISOString() },
    tables: ['entity'],
  });
  expect(text('entity.jsonl')).toContain('9007199254740993');
});

test('a change feed contains the rows that changed after a cursor, in one file per table', () => {
  const { run, text, record, search, warehouse } = mirror();
  const feed = (since: string, tables: string[] | null = null) => {
    const { cursor, files } = run({ format: 'jsonl', what: { is: 'changes', since }, tables });
    const rows = files.flatMap(({ name, table }) =>
      text(name)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => ({ table, ...JSON.parse(line) })),
    );
    const inOrder = rows.sort((a, b) => a._version - b._version);
    return {
      cursor,
      rows: inOrder.map(({ table, _op, entity_id }) => `${_op} ${table} ${entity_id}`),
      files,
    };
  };
  const first = feed('0', ['entity', 'entity__tags']);
  expect(first.rows).toEqual([
    'insert entity C1',
    'insert entity__tags C1',
    'insert entity__tags C1',
    'insert entity C2',
  ]);
  expect(first.files.map(({ name }) => name)).toEqual(['entity.jsonl', 'entity__tags.jsonl']);
  expect(feed(first.cursor).rows).toEqual([]);
  record('C1', { id: 'C1', name: 'Renamed', capital: 9007199254740993n.toString(), tags: ['z'] });
  search('x', resultPage({ id: 'C3', name: 'Listed only' }));
  const second = feed(first.cursor);
  expect(second.rows).toEqual([
    'update entity_overview C1',
    'update entity C1',
    'insert entity__tags C1',
    'delete entity__tags C1',
    ...new Array(8).fill('insert entity_change C1'),
    'insert entity_overview C3',
    'insert search_result C3',
  ]);
  forget({ warehouse, dialect: dialectWith(), entityIds: ['C1'], nowMs: START_MS + 60_000 });
  expect(feed(second.cursor, ['entity', 'registry_stats']).rows).toEqual(['forget entity C1']);
  expect(() => feed('0', ['nonsense'])).toThrow(/the table nonsense cannot be exported/);
});

test('a failed export leaves the old file unchanged and no other file behind', () => {
  const { run, text, folder, warehouse } = mirror();
  writeFileSync(join(folder, 'entity.csv'), 'old');
  expect(() => run({ tables: ['entity', 'nonsense'] })).toThrow(/the table nonsense cannot be exported/);
  warehouse.db.exec('DROP TABLE entity__tags');
  expect(() => run({ tables: ['entity__tags'] })).toThrow();
  expect(readdirSync(folder)).toEqual(['entity.csv']);
  expect(text('entity.csv')).not.toBe('');
});

test('a failed export closes its database queries', () => {
  const { warehouse, folder } = mirror();
  mkdirSync(join(folder, 'entity.csv'));
  const reader = openWarehouse({ path: warehouse.path, readonly: true, nowMs: START_MS });
  expect(() => exportTables(reader, { ...WHOLE, folder })).toThrow(UsageError);
  expect(() => reader.close()).not.toThrow();
  expect(readdirSync(folder)).toEqual(['entity.csv']);
});

test('an export removes only unfinished files of killed exports', () => {
  const { run, folder } = mirror();
  const own = '.export.00000000-0000-4000-8000-000000000000.partial';
  const others = ['.backup.db.00000000-0000-4000-8000-000000000000.partial', '.mine.partial', 'note.txt'];
  for (const name of [own, ...others]) writeFileSync(join(folder, name), '');
  run({ tables: ['entity'] });
  expect(readdirSync(folder).sort()).toEqual(
    [...others, 'datapackage.json', 'entity.csv', 'manifest.json'].sort(),
  );
});

test('an export replaces what two killed exports left', () => {
  const { run, folder } = mirror();
  run({ tables: ['entity'] });
  // The first one was killed while it renamed its files, the second one before it wrote any.
  rmSync(join(folder, 'manifest.json'));
  writeFileSync(join(folder, '.export.00000000-0000-4000-8000-000000000000.partial'), '');
  expect(() => run({ tables: ['none'] })).toThrow(UsageError);
  expect(run({ tables: ['entity'] }).files).toHaveLength(1);
});

test.each(['/proc/x', '/proc/x/y', '/dev/null', '/dev/null/x'])('an export into %s is rejected', (folder) => {
  expect(() => mirror().run({ folder })).toThrow(UsageError);
});

test('an export deletes the files of an earlier export that it does not replace, and no others', () => {
  const { run, folder } = mirror();
  run({ tables: ['entity'], rowsPerFile: 1 });
  const [first] = readdirSync(folder).filter((name) => /^entity-/.test(name));
  writeFileSync(join(folder, 'entity-notes.csv'), 'mine');
  run({ tables: ['entity'] });
  expect(first).toBe('entity-00000.csv');
  expect(readdirSync(folder).sort()).toEqual([
    'datapackage.json',
    'entity-notes.csv',
    'entity.csv',
    'manifest.json',
  ]);
});

test.each(['manifest.json', 'datapackage.json'])(
  'an export does not replace a %s that it did not write',
  (name) => {
    const { run, folder } = mirror();
    writeFileSync(join(folder, name), '{"name":"mine"}');
    expect(() => run({ tables: ['entity'] })).toThrow(/was not written by an export/);
    expect(readdirSync(folder)).toEqual([name]);
  },
);
