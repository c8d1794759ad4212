import { expect, onTestFinished, test, vi } from 'vitest';
import type { Attempt } from '../../src/outcome.ts';
import { InferredSchema } from '../../src/warehouse/inferred_schema.ts';
import { metaTable } from '../../src/warehouse/meta.ts';
import { type Bench, bench, entityCall } from '../support/loader.ts';

const TABLES = ['entity', 'search_result', 'entity_change', '_company', '_query', '_quarantine'];
const SEARCH = {
  kind: 'search',
  query: { by: 'name', text: 'acme' },
  page: { index: 0, next: null },
  reason: 'test',
  expected: 1,
} as const;

const company = (id: string, name: string) => ({ id, name });
const received = ({ outcome }: Bench): Attempt[] => [
  outcome(entityCall('1'), company('1', 'Acme')),
  outcome(SEARCH, { results: [company('1', 'Acme Ltd'), company('2', 'Acme Two')] }),
  outcome(entityCall('2'), company('2', 'Acme Two')),
  {
    callId: 9,
    call: entityCall('3'),
    sentAt: '2026-03-01T00:00:09.000Z',
    durationMs: 5,
    status: null,
    body: null,
  },
];

function rowsOf({ all }: Bench): Record<string, unknown[]> {
  return Object.fromEntries(TABLES.map((table) => [table, all(`SELECT * FROM ${table} ORDER BY 1`)]));
}

test('recovery processes stored responses as if they had been processed on arrival', () => {
  const undisturbed = bench();
  undisturbed.load(
    received(undisturbed).map((attempt) => ({ ...attempt, verdict: verdictOf(undisturbed, attempt) })),
  );

  const killed = bench();
  killed.loader.store(received(killed));
  expect(killed.value("SELECT count(*) FROM _call WHERE outcome = 'received'")).toBe(4);
  expect(killed.value('SELECT count(*) FROM entity')).toBe(0);

  const restarted = killed.reopen();
  expect(restarted.loader.recover()).toBe(4);
  expect(rowsOf(restarted)).toEqual(rowsOf(undisturbed));
  expect(
    restarted.value('SELECT group_concat(outcome) FROM (SELECT outcome FROM _call ORDER BY call_id)'),
  ).toBe('ok,ok,ok,broken');
  expect(restarted.loader.recover()).toBe(0);
});

test('recovered responses are added to the run totals of the run that made their calls', () => {
  const killed = bench();
  killed.loader.store(received(killed));
  const restarted = killed.reopen();
  restarted.loader.recover();
  expect(restarted.all('SELECT run_id, calls, new FROM _run ORDER BY run_id')).toEqual([
    { run_id: 1, calls: 4, new: 2 },
    { run_id: 2, calls: 0, new: 0 },
  ]);
});

test('a response that crashes the process three times in a row is quarantined, and the others are processed', () => {
  const killed = bench();
  killed.loader.store(received(killed));
  // Creates the state after three starts that each crashed while they processed the first response.
  metaTable(killed.warehouse.db).set('processed_alone', '1 3');

  const restarted = killed.reopen();
  expect(restarted.loader.recover()).toBe(4);
  expect(restarted.all('SELECT call_id, target, reason FROM _quarantine')).toEqual([
    { call_id: 1, target: '1', reason: 'the process ended 4 times while it processed this response' },
  ]);
  expect(restarted.all('SELECT entity_id FROM entity')).toEqual([{ entity_id: '2' }]);
  expect(restarted.value('SELECT count(*) FROM _answer WHERE call_id = 1')).toBe(1);
  expect(restarted.value("SELECT tries FROM _failure WHERE kind = 'entity' AND target = '1'")).toBe(1);
  expect(metaTable(killed.warehouse.db).get('processed_alone')).toBeNull();
});

function verdictOf({ outcome }: Bench, { call, body, status }: Attempt) {
  if (body === null || status === null) return { is: 'broken', why: 'received' } as const;
  return outcome(call, body, status).verdict;
}

test('a stored response is recovered, even if a call with a larger id was processed before it', () => {
  const killed = bench();
  const [record, search] = received(killed);
  killed.load([{ ...(search as Attempt), verdict: { is: 'refused', why: 'no valid URL' } }]);
  killed.loader.store([record as Attempt]);
  const restarted = killed.reopen();
  expect(restarted.loader.recover()).toBe(1);
  expect(restarted.value("SELECT count(*) FROM entity WHERE entity_id = '1'")).toBe(1);
});

test('a response is not quarantined if memory runs out while it is processed', () => {
  const { loader, outcome, value, reopen } = bench();
  const record = outcome(entityCall('1'), company('1', 'Acme'));
  loader.store([record]);
  const fail = () => {
    throw new RangeError('Array buffer allocation failed');
  };
  const growth = vi.spyOn(InferredSchema.prototype, 'memberOf').mockImplementationOnce(fail);
  onTestFinished(() => growth.mockRestore());
  expect(() => loader.process([record])).toThrow('Array buffer allocation failed');
  growth.mockRestore();
  expect(value('SELECT outcome FROM _call')).toBe('received');
  expect(reopen().loader.recover()).toBe(1);
  expect(value('SELECT name FROM entity')).toBe('Acme');
  expect(value('SELECT count(*) FROM _quarantine')).toBe(0);
});
