import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reprocess } from '../../src/load/reprocess.ts';
import { answerTable } from '../../src/warehouse/answer.ts';
import { pruneAnswers, vacuum } from '../../src/warehouse/retention.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { dumpDerived } from '../support/dump.ts';
import { bench, dialectWith, resultPage, START_MS } from '../support/loader.ts';

const DAY_MS = 86_400_000;

function old() {
  const lived = bench();
  const { record, search, stats } = lived;
  for (const n of [1, 2, 3, 4]) record('C1', { id: 'C1', n });
  record('C1', { id: 'C1', n: 4 });
  record('C2', { id: 'C2', n: 1 });
  record('C2', { id: 'C2', class: 'Deleted' });
  search('a', resultPage({ id: 'C1', name: 'A' }));
  search('a', resultPage({ id: 'C1', name: 'B' }));
  stats({ companies: 1 });
  stats({ companies: 2 });
  record('C3', 'unreadable');
  record('C1', { error: 'busy' }, 500);
  return lived;
}

test('replaced responses are deleted when they are old, and the latest responses remain', () => {
  const { warehouse, all } = old();
  const before = dumpDerived(warehouse);
  const rules = { maxAgeMs: DAY_MS, versions: 1 };
  expect(pruneAnswers(warehouse.db, rules, START_MS + 1000).answers).toBe(0);
  expect(pruneAnswers(warehouse.db, rules, START_MS + 10 * DAY_MS)).toEqual({
    answers: 7,
    bytes: expect.any(Number),
  });
  expect(
    all('SELECT kind, target, CAST(body AS TEXT) AS body FROM _answer JOIN _call USING (call_id)'),
  ).toEqual([
    { kind: 'entity', target: 'C1', body: '{"id":"C1","n":4}' },
    { kind: 'entity', target: 'C2', body: '{"id":"C2","n":1}' },
    { kind: 'entity', target: 'C2', body: '{"id":"C2","class":"Deleted"}' },
    { kind: 'search', target: 'name:a', body: '{"total":1,"results":[{"id":"C1","name":"B"}]}' },
    { kind: 'stats', target: '', body: '{"companies":2}' },
    { kind: 'entity', target: 'C3', body: 'unreadable' },
  ]);
  expect(dumpDerived(warehouse)).toEqual(before);
});

test('once responses have been deleted, loading still works but a rebuild is rejected', async () => {
  const { warehouse, record } = old();
  pruneAnswers(warehouse.db, { maxAgeMs: DAY_MS, versions: 1 }, START_MS + 10 * DAY_MS);
  expect(record('C1', { id: 'C1', n: 4 }).record).toEqual({ isNew: false, changed: false });
  expect(record('C1', { id: 'C1', n: 5 }).record).toEqual({ isNew: false, changed: true });
  expect(record('C2', { id: 'C2', n: 2 }).record).toMatchObject({ changed: true });
  await expect(reprocess({ warehouse, dialect: dialectWith() })).rejects.toThrow(/pruned/);
});

test('compacting makes the file smaller while readers continue', () => {
  const { warehouse, record, all } = bench();
  for (let n = 0; n < 50; n++) record('C1', { id: 'C1', n, long: randomBytes(5000).toString('hex') });
  const reader = openWarehouse({ path: warehouse.path, readonly: true, nowMs: START_MS });
  const count = () => reader.db.prepare('SELECT count(*) FROM _call').pluck().get();
  expect(count()).toBe(50);
  warehouse.db.pragma('wal_checkpoint(TRUNCATE)');
  const before = statSync(warehouse.path).size;
  pruneAnswers(warehouse.db, { maxAgeMs: 0, versions: 1 }, START_MS + DAY_MS);
  vacuum(warehouse.db);
  expect(statSync(warehouse.path).size).toBeLessThan(before * 0.9);
  expect(count()).toBe(50);
  expect(all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  reader.close();
});

const pageOf = (text: string) =>
  JSON.stringify({
    total: 400,
    results: Array.from({ length: 400 }, (_, n) => ({ id: `${text}${n}`, name: `Company ${n}`.padEnd(450) })),
  });

test('responses are stored as received, and move to compressed blocks that read back unchanged', () => {
  const { search, record, value, warehouse } = bench();
  const bodies = ['a', 'b', 'c', 'd', 'e', 'f'].map(pageOf);
  for (const [at, body] of bodies.entries()) search(`x${at}`, body);
  record('C1', { id: 'C1' });
  const answers = answerTable(warehouse.db);
  expect(bodies.map((_, at) => answers.body(at + 1)?.toString())).toEqual(bodies);
  expect(value('SELECT count(*) FROM _answer WHERE block_id IS NOT NULL')).toBe(6);
  const packed = bodies.join('').length;
  expect(Number(value('SELECT sum(length(content)) FROM _block'))).toBeLessThan(packed / 5);
  expect(value('SELECT CAST(body AS TEXT) FROM _answer WHERE call_id = 7')).toBe('{"id":"C1"}');
});

test('a repeated response refers to a response in a block', () => {
  const { search, all, warehouse } = bench();
  for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) search('x', pageOf(text));
  search('x', pageOf('f'));
  expect(all('SELECT call_id, same_as FROM _answer WHERE same_as IS NOT NULL')).toEqual([
    { call_id: 7, same_as: 6 },
  ]);
  expect(answerTable(warehouse.db).body(7)?.toString()).toBe(pageOf('f'));
});

test('compact moves all processed responses to blocks', () => {
  const { search, value, warehouse } = bench();
  const bodies = ['a', 'b', 'c'].map(pageOf);
  for (const [at, body] of bodies.entries()) search(`x${at}`, body);
  const answers = answerTable(warehouse.db);
  Array.from(answers.packAll());
  expect(value('SELECT count(*) FROM _answer WHERE block_id IS NOT NULL')).toBe(3);
  expect(bodies.map((_, at) => answers.body(at + 1)?.toString())).toEqual(bodies);
});

test('a block of one short response is read', () => {
  const { record, warehouse } = bench();
  record('C1', { id: 'C1' });
  const answers = answerTable(warehouse.db);
  Array.from(answers.packAll());
  expect(answerTable(warehouse.db).body(1)?.toString()).toBe('{"id":"C1"}');
});

test('compact merges the blocks of a load once, and later blocks with the next compact', () => {
  const { search, value, all, warehouse } = bench();
  const answers = answerTable(warehouse.db);
  const blocks = () => all('SELECT block_id AS id FROM _block ORDER BY 1').map(({ id }) => Number(id));
  const texts = Array.from({ length: 30 }, (_, at) => `t${at}`);
  for (const text of texts.slice(0, 24)) search(text, pageOf(text));
  const loaded = blocks();
  Array.from(answers.packAll());
  const merged = blocks();
  Array.from(answers.packAll());
  expect(blocks()).toEqual(merged);
  for (const text of texts.slice(24)) search(text, pageOf(text));
  Array.from(answers.packAll());
  expect([loaded.length, merged.length, blocks().length]).toEqual([8, 2, 3]);
  expect(value('SELECT count(*) FROM _answer WHERE block_id IS NOT NULL')).toBe(30);
  expect(texts.map((_, at) => answers.body(at + 1)?.toString())).toEqual(texts.map(pageOf));
});

test('a response that is deleted between two steps of compact stays deleted', () => {
  const { search, warehouse } = bench();
  const texts = Array.from({ length: 24 }, (_, at) => `t${at}`);
  for (const text of texts) search(text, pageOf(text));
  const answers = answerTable(warehouse.db);
  const steps = answers.packAll();
  steps.next();
  steps.next();
  warehouse.write(() => answerTable(warehouse.db).remove([2, 23]));
  Array.from(steps);
  expect([1, 2, 23, 24].map((callId) => answers.body(callId) !== null)).toEqual([true, false, false, true]);
});

test('deleted responses are removed from their blocks', () => {
  const { search, value, warehouse } = bench();
  for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) search(text, pageOf(text));
  const answers = answerTable(warehouse.db);
  const before = Number(value('SELECT sum(length(content)) FROM _block'));
  warehouse.write(() => answers.remove([1, 3]));
  expect([2, 4, 5, 6].map((callId) => answers.body(callId)?.toString())).toEqual(
    ['b', 'd', 'e', 'f'].map(pageOf),
  );
  expect(answers.body(1)).toBeNull();
  expect(Number(value('SELECT sum(length(content)) FROM _block'))).toBeLessThan(before);
  warehouse.write(() => answers.remove([2, 4, 5, 6]));
  expect(value('SELECT count(*) FROM _block')).toBe(0);
});

test('without compression, plain SQL reads the records, also those that compact has restored', () => {
  const { warehouse, record, all, reopen } = bench();
  const long = 'x'.repeat(600_000);
  record('C1', { id: 'C1', long });
  const lengths = () =>
    all("SELECT entity_id, length(document ->> '$.long') AS n FROM entity_history ORDER BY 1");
  const compressed = lengths();
  Array.from(answerTable(warehouse.db).unpackAll());
  const uncompressed = reopen({ compress: false });
  uncompressed.record('C2', { id: 'C2', long });
  expect(compressed).toEqual([{ entity_id: 'C1', n: null }]);
  expect(lengths()).toEqual([
    { entity_id: 'C1', n: 600_000 },
    { entity_id: 'C2', n: 600_000 },
  ]);
});

test('a reader that has read a block reads the right bodies after another process has changed the block', () => {
  const { search, warehouse } = bench();
  for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) search(text, pageOf(text));
  const reader = openWarehouse({ path: warehouse.path, readonly: true, nowMs: START_MS });
  const answers = answerTable(reader.db);
  const before = answers.body(5)?.toString();
  warehouse.write(() => answerTable(warehouse.db).remove([1, 2]));
  const after = answers.body(5)?.toString();
  warehouse.write(() => answerTable(warehouse.db).remove([3, 4]));
  expect([before, after, answers.body(5)?.toString()]).toEqual([pageOf('e'), pageOf('e'), pageOf('e')]);
  reader.close();
});
