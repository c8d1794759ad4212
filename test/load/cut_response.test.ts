import { expect, test } from 'vitest';
import { forget } from '../../src/load/forget.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { cutText, type Outcome } from '../../src/outcome.ts';
import { latestAnswers } from '../../src/warehouse/answered_calls.ts';
import { type Bench, bench, bodyOf, dialectWith, entityCall } from '../support/loader.ts';

const CUT = 'SELECT call_id FROM _call WHERE note IS NOT NULL';
const WHY = cutText('ECONNRESET: aborted');

/** A response that was cut. Its first bytes are valid JSON by chance. */
function cut(rig: Bench, call: Outcome['call'], body: string): Outcome {
  return { ...rig.outcome(call, body), failure: WHY, verdict: { is: 'broken', why: WHY } };
}

test('the first bytes of a response that was cut are stored, but are neither processed nor quarantined', async () => {
  const rig = bench();
  const body = '{"id":"1","name":"Acme"}';
  rig.load([cut(rig, entityCall('1'), body)]);
  const expectUnprocessed = () => {
    expect(bodyOf(rig.warehouse, CUT)).toBe(body);
    expect(rig.all('SELECT outcome, note FROM _call')).toEqual([{ outcome: 'broken', note: WHY }]);
    expect(rig.value('SELECT count(*) FROM entity')).toBe(0);
    expect(rig.value('SELECT count(*) FROM _quarantine')).toBe(0);
  };
  expectUnprocessed();
  expect(latestAnswers(rig.warehouse.db, 9)).toEqual([]);
  await reprocess({ warehouse: rig.warehouse, dialect: dialectWith() });
  expectUnprocessed();
});

test('a response that was cut and not yet processed when the process was killed is not processed later', () => {
  const rig = bench();
  rig.loader.store([cut(rig, entityCall('1'), '{"id":"1","name":"Acme"}')]);
  const restarted = rig.reopen();
  expect(restarted.loader.recover()).toBe(1);
  expect(rig.value('SELECT outcome FROM _call')).toBe('broken');
  expect(rig.value('SELECT count(*) FROM entity')).toBe(0);
});

test('the first bytes of a listing are not stored if companies are forgotten', () => {
  const rig = bench();
  rig.record('1', { id: '1', name: 'Acme' });
  const { warehouse } = rig;
  forget({ warehouse, dialect: dialectWith(), entityIds: ['1'], nowMs: Date.now() });
  const reopened = rig.reopen();
  const query = { by: 'name', text: 'a' } as const;
  const call = { kind: 'search', query, page: { index: 0, next: null }, reason: '', expected: 1 } as const;
  reopened.load([cut(reopened, call, '{"results":[{"name":"Acme","id":"')]);
  expect(bodyOf(warehouse, CUT)).toBeUndefined();
});
