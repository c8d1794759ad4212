import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { isoTime } from '../../src/clock.ts';
import { forget } from '../../src/load/forget.ts';
import { openProbeLoader } from '../../src/load/probe_loader.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { storedProbes } from '../../src/warehouse/answered_calls.ts';
import { Backfills } from '../../src/warehouse/backfill.ts';
import { countForgotten, permitAgain } from '../../src/warehouse/forget.ts';
import { finishRun, startRun } from '../../src/warehouse/run.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { dumpDerived } from '../support/dump.ts';
import { bench, dialectWith, resultPage, START_MS, temporaryFolder } from '../support/loader.ts';

const dialect = dialectWith();

function mirrorOfTwo(path = join(temporaryFolder(), 'warehouse.db')) {
  const warehouse = openWarehouse({ path, nowMs: START_MS });
  const lived = bench({ warehouse });
  const { record, search } = lived;
  search('x', resultPage({ id: 'C1', name: 'Xanthippe Unlimited' }, { id: 'C2', name: 'Xavier' }));
  record('C1', {
    id: 'C1',
    name: 'Xanthippe Unlimited',
    officers: [{ name: 'Zebulon' }],
    old_names: ['Quixotry'],
  });
  record('C1', {
    id: 'C1',
    name: 'Xanthippe Limited',
    officers: [{ name: 'Zebulon' }],
    old_names: ['Quixotry'],
  });
  record('C1', {
    id: 'C1',
    name: 'Xanthippe Limited',
    officers: [{ name: 'Zebulon' }],
    old_names: ['Quixotry'],
  });
  record('C2', { id: 'C2', name: 'Xavier' });
  record('C1', '<html>Xanthippe</html>');
  return lived;
}

test("a forgotten entity leaves no trace in the tables, the indexes or the file's bytes", () => {
  const { warehouse, all } = mirrorOfTwo();
  expect(forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS })).toEqual({
    forgotten: [{ entityId: 'C1', rows: expect.any(Number), answers: 1, queries: [] }],
    isOverwritten: true,
  });
  expect(all('SELECT entity_id, state FROM entity_overview')).toEqual([
    { entity_id: 'C2', state: 'fetched' },
  ]);
  expect(all('SELECT entity_id FROM entity_change')).toEqual([]);
  expect(all("SELECT entity_id FROM entity_fts WHERE entity_fts MATCH 'xan'")).toEqual([]);
  expect(all('SELECT known, listed, fetched FROM coverage')).toEqual([{ known: 1, listed: 1, fetched: 1 }]);
  expect(all('SELECT entity_id, forgotten_at FROM _forgotten')).toEqual([
    { entity_id: 'C1', forgotten_at: '2026-03-01T00:00:00.000Z' },
  ]);
  expect(all('SELECT CAST(body AS TEXT) AS body FROM _answer WHERE redacted_at IS NOT NULL')).toEqual([
    { body: '{"total":2,"results":[null,{"id":"C2","name":"Xavier"}]}' },
  ]);
  expect(all('PRAGMA foreign_key_check')).toEqual([]);
  warehouse.db.exec("INSERT INTO entity_fts (entity_fts, rank) VALUES ('integrity-check', 1)");
  warehouse.close();
  const bytes = readFileSync(warehouse.path);
  for (const trace of ['Xanthippe', 'Zebulon', 'Quixotry', 'Quix', 'xanth'])
    expect(bytes.includes(trace), trace).toBe(false);
});

test('a listing stays complete after a rebuild even if its response no longer contains a forgotten entity', async () => {
  const { warehouse, all } = mirrorOfTwo();
  const listing = () => all('SELECT text, rows, status FROM _query');
  const before = listing();
  forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS });
  await reprocess({ warehouse, dialect });
  expect(before).toEqual([{ text: 'x', rows: 2, status: 'complete' }]);
  expect(listing()).toEqual(before);
});

test('a forgotten entity is not loaded again by a search, a fetch or a rebuild', async () => {
  const { warehouse } = mirrorOfTwo();
  forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS });
  const later = bench({ warehouse });
  const result = later.search('x', resultPage({ id: 'C1', name: 'Xanthippe' }, { id: 'C2', name: 'Xavier' }));
  expect(result.rows).toMatchObject([{ entityId: 'C2', name: 'Xavier', isNew: false, changed: false }]);
  expect(result.query).toMatchObject({ rows: 2, status: 'complete' });
  expect(later.record('C1', { id: 'C1', name: 'Xanthippe' }).record).toBeNull();
  const before = dumpDerived(warehouse);
  await reprocess({ warehouse, dialect });
  expect(later.all('SELECT entity_id FROM _company')).toEqual([{ entity_id: 'C2' }]);
  expect(dumpDerived(warehouse).filter((row) => row.includes('C1') && !row.includes('name:'))).toEqual([]);
  expect(before.some((row) => row.includes('Xanthippe'))).toBe(false);
  warehouse.close();
  expect(readFileSync(warehouse.path).includes('Xanthippe')).toBe(false);
});

test('a company that may be loaded again no longer counts as forgotten', () => {
  const { warehouse } = mirrorOfTwo();
  forget({ warehouse, dialect, entityIds: ['C1', 'C2'], nowMs: START_MS });
  expect(countForgotten(warehouse.db)).toBe(2);
  permitAgain(warehouse.db, 'C1', '2027-01-01T00:00:00Z');
  expect(countForgotten(warehouse.db)).toBe(1);
});

test('an unknown id can be forgotten in advance', () => {
  const { warehouse, all } = bench();
  forget({ warehouse, dialect, entityIds: ['C9'], nowMs: START_MS });
  const later = bench({ warehouse });
  later.record('C9', { id: 'C9', name: 'Nobody' });
  later.record('C8', { id: 'C8' });
  expect(all('SELECT entity_id FROM entity')).toEqual([{ entity_id: 'C8' }]);
});

/** Returns those of the texts that any of the warehouse's files contains. */
function tracesIn(path: string, texts: readonly string[]): string[] {
  const files = [path, `${path}-wal`].filter((file) => existsSync(file)).map((file) => readFileSync(file));
  return texts.filter((text) => files.some((bytes) => bytes.includes(text)));
}

test('a forgotten entity whose id is escaped in JSON is removed from the search pages', () => {
  const { warehouse, search, all } = bench();
  search(
    'x',
    '{"total":2,"results":[{"id":"12\\/34","name":"Xanthippe"},{"id":"\\u0043\\u0032","name":"Zebulon"}]}',
  );
  const { forgotten } = forget({ warehouse, dialect, entityIds: ['12/34', 'C2'], nowMs: START_MS });
  expect(forgotten.map(({ answers }) => answers)).toEqual([1, 1]);
  expect(all('SELECT CAST(body AS TEXT) AS body FROM _answer')).toEqual([
    { body: '{"total":2,"results":[null,null]}' },
  ]);
  expect(tracesIn(warehouse.path, ['Xanthippe', 'Zebulon', '12\\/34'])).toEqual([]);
});

test("a forgotten entity is removed from the probe's responses and requests", () => {
  const { warehouse, search, all } = bench();
  search('x', resultPage({ id: 'C1', name: 'Xanthippe' }));
  const { db } = warehouse;
  const runId = startRun(db, { command: 'probe', owner: null, nowMs: START_MS });
  const probes = openProbeLoader({
    warehouse,
    runId,
    probeLog: {
      targetOf: ({ callId }) => `search https://x.test/?q=${callId === 51 ? 'Xanthippe' : 'b'}`,
      note: () => {},
    },
  });
  const probe = (callId: number, body: string) => ({
    callId,
    call: {
      kind: 'search',
      query: { by: 'name', text: 'q' },
      page: { index: 0, next: null },
      reason: 'r',
      expected: 0,
    } as const,
    sentAt: new Date(START_MS).toISOString(),
    durationMs: 1,
    status: 200,
    headers: {},
    body: Buffer.from(body),
  });
  probes.store([
    probe(50, '{"items":[{"ref":"C1","title":"Xanth\\u0069ppe"}]}'),
    probe(51, '{"items":[]}'),
    probe(52, '{"items":[{"ref":"C11","title":"Zeno"}]}'),
  ]);
  forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS });
  expect(storedProbes(db).map(({ callId }) => callId)).toEqual([52]);
  expect(all("SELECT count(*) AS calls FROM _call WHERE kind = 'probe'")).toEqual([{ calls: 3 }]);
  expect(tracesIn(warehouse.path, ['Xanth'])).toEqual([]);
});

test('a forgotten entity is removed from the messages that quote a response', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  const { search, warehouse, all } = mirrorOfTwo(path);
  const long = `no results near ${'x'.repeat(180)} Xanthippe Limited`;
  search('quince', { error: 'no results near XANTHIPPE LIMITED' }, { status: 400 });
  search('medlar', { error: long }, { status: 400 });
  const runId = startRun(warehouse.db, { command: 'sync', owner: null, nowMs: START_MS });
  const [{ why }] = all("SELECT why FROM _failure WHERE why LIKE '%xxx%'") as [{ why: string }];
  const error = `6 calls in a row failed; the last one was for search name:medlar: ${why}`;
  finishRun(warehouse.db, { runId, ended: 'outage', error, nowMs: START_MS });
  forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS });
  expect(all("SELECT why FROM _failure WHERE kind = 'search'")).toEqual([
    { why: '(forgotten)' },
    { why: '(forgotten)' },
  ]);
  expect(all("SELECT error FROM _run WHERE ended = 'outage'")).toEqual([{ error: '(forgotten)' }]);
  expect(readFileSync(path).toString('latin1')).not.toMatch(/xanthip/i);
});

test('a forgotten entity is removed from the candidates and the names of backfills', () => {
  const { warehouse, search, all } = bench();
  search('xanthippe limited', resultPage({ id: 'C1', name: 'Xanthippe Limited' }));
  const backfills = new Backfills(warehouse.db);
  const backfillId = backfills.create(
    {
      title: 'query "Xanthippe Limited"',
      orderHash: 'h',
      withRecords: 0,
      freshAfter: isoTime(0),
      afterCallId: 0,
      createdAt: isoTime(START_MS),
    },
    [
      { kind: 'name', searchedBy: null, given: 'XANTHIPPE  Limited' },
      { kind: 'name', searchedBy: null, given: 'Xavier' },
      { kind: 'query', searchedBy: 'name', given: 'XAN' },
    ],
  );
  backfills.settle(backfillId, {
    position: 2,
    state: 'ambiguous',
    entityId: null,
    name: null,
    candidates: JSON.stringify([
      { entity_id: 'C1', name: 'Xanthippe Limited', score: 0.8 },
      { entity_id: 'C2', name: 'Xavier Ltd', score: 0.7 },
    ]),
    note: 'only similar names',
  });
  const { forgotten } = forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS });
  expect(forgotten[0]?.queries).toEqual(['XAN']);
  expect(all('SELECT title FROM _backfill')).toEqual([{ title: '(forgotten)' }]);
  expect(all('SELECT state, given, candidates FROM _backfill_wish')).toEqual([
    { state: 'forgotten', given: '(forgotten)', candidates: null },
    {
      state: 'ambiguous',
      given: 'Xavier',
      candidates: '[{"entity_id":"C2","name":"Xavier Ltd","score":0.7}]',
    },
    { state: 'open', given: 'XAN', candidates: null },
  ]);
  expect(all('SELECT text, status FROM _query')).toEqual([
    { text: expect.stringMatching(/^\(forgotten\) [0-9a-f]{8}$/), status: 'complete' },
  ]);
  expect(tracesIn(warehouse.path, ['anthippe', 'XANTHIPPE'])).toEqual([]);
});

test('a forgotten entity leaves no trace in the pages that a rebuild freed', async () => {
  const { warehouse, record } = bench();
  for (const letter of ['a', 'b', 'c'])
    record('C1', {
      id: 'C1',
      name: 'Xanthippe',
      history: Array.from({ length: 300 }, () => `Zebulon ${letter}`),
    });
  record('C2', { id: 'C2', name: 'Xavier' });
  await reprocess({ warehouse, dialect });
  forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS });
  expect(tracesIn(warehouse.path, ['Xanthippe', 'Zebulon'])).toEqual([]);
});

test('a company is forgotten completely during an interrupted rebuild, and the search index stays intact', async () => {
  const { warehouse, record, all } = bench();
  for (let at = 1; at <= 600; at++) record(`C${at}`, { id: `C${at}`, name: `Xanthippe ${at}` });
  const interrupt = new AbortController();
  const isInterrupted = await reprocess({
    warehouse,
    dialect,
    signal: interrupt.signal,
    onProgress: () => interrupt.abort(),
  });
  forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS });
  await reprocess({ warehouse, dialect });
  expect(isInterrupted.isWhole).toBe(false);
  warehouse.db.exec("INSERT INTO entity_fts (entity_fts) VALUES ('integrity-check')");
  expect(all("SELECT count(*) AS n FROM entity_fts WHERE entity_fts MATCH 'xanthippe'")).toEqual([
    { n: 599 },
  ]);
  expect(tracesIn(warehouse.path, ['Xanthippe 1\u0000'])).toEqual([]);
});

test('if `forget` is killed before it overwrites the bytes, the next command that writes does it', () => {
  const { warehouse, record } = bench();
  const history = Array.from({ length: 3000 }, (_, at) => `Zebulon ${at}`);
  record('C1', { id: 'C1', name: 'Xanthippe', history });
  const exec = vi.spyOn(warehouse.db, 'exec').mockImplementation(() => {
    throw new Error('killed');
  });
  expect(() => forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS })).toThrow('killed');
  exec.mockRestore();
  warehouse.db.pragma('wal_checkpoint(TRUNCATE)');
  const before = tracesIn(warehouse.path, ['Xanthippe', 'Zebulon']);
  openWarehouse({ path: warehouse.path, nowMs: START_MS }).close();
  expect(before).not.toEqual([]);
  expect(tracesIn(warehouse.path, ['Xanthippe', 'Zebulon'])).toEqual([]);
});

test('an erasure that a reader prevents is reported, and the next command that writes completes it', () => {
  const { warehouse } = mirrorOfTwo();
  const reader = new Sqlite(warehouse.path, { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM _company').get();
  const result = forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS });
  const during = tracesIn(warehouse.path, ['Xanthippe']);
  reader.close();
  openWarehouse({ path: warehouse.path, nowMs: START_MS }).close();
  expect(result.isOverwritten).toBe(false);
  expect(during).toEqual(['Xanthippe']);
  expect(tracesIn(warehouse.path, ['Xanthippe', 'Zebulon', 'Quixotry'])).toEqual([]);
});

test("a forgotten entity leaves no trace in SQLite's samples of indexed values", () => {
  const { warehouse } = mirrorOfTwo();
  warehouse.db.exec('ANALYZE');
  expect(tracesIn(warehouse.path, ['xanthippe limited'])).toEqual(['xanthippe limited']);
  forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS });
  expect(tracesIn(warehouse.path, ['xanthippe'])).toEqual([]);
});

test('the searches and messages with a name that a forgotten entity had earlier, or without its legal form, are erased too', () => {
  const { warehouse, search, record, all } = bench();
  search('xanthippe', resultPage({ id: 'C1', name: 'Xanthippe' }));
  search('zebulon', resultPage({ id: 'C1', name: 'Zebulon' }));
  record('C1', { id: 'C1', name: 'Zebulon' });
  record('C1', { id: 'C1', name: 'Quixotry' });
  record('C2', { error: 'not Xanthippe but Zebulon' }, 500);
  record('C3', { error: 'Kumquat Orchard is closed' }, 500);
  record('C1', { id: 'C1', name: 'Kumquat Orchard Ltd' });
  forget({ warehouse, dialect, entityIds: ['C1'], nowMs: START_MS });
  expect(all('SELECT text FROM _query')).toEqual([
    { text: expect.stringContaining('(forgotten)') },
    { text: expect.stringContaining('(forgotten)') },
  ]);
  expect(tracesIn(warehouse.path, ['anthippe', 'ebulon', 'uixotry', 'umquat'])).toEqual([]);
});
