import { expect, test } from 'vitest';
import { tooLargeText } from '../../src/outcome.ts';
import { answerTable } from '../../src/warehouse/answer.ts';
import { bench, entityCall, resultPage } from '../support/loader.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Responses that cannot be read, however often they are requested. */
test.each([
  ['NaN', Buffer.from('{"id":"1","shares":NaN}')],
  ['an unescaped quotation mark', Buffer.from('{"id":"1","name":"Acme "North" Ltd","officers":[]}')],
  ['a warning after it', Buffer.from('{"id":"1","name":"Acme"}\nNotice: undefined index')],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ['a body above upstream.max_body', Buffer.from('{"id":"1","name":"Ac')],
])(
  'a record with %s is requested again after an hour, its body is stored, and after a second equal failure it waits a week',
  (what, body) => {
    const rig = bench();
    let tries = 0;
    const failed = (): number => {
      const outcome = rig.outcome(entityCall('1'), body);
      const failure = tooLargeText(20);
      const verdict = { is: 'broken', why: failure, isLasting: true } as const;
      const [result] = rig.load([what.includes('max_body') ? { ...outcome, failure, verdict } : outcome]);
      tries += 1;
      expect(result).toMatchObject({ verdict: 'broken', quarantined: 1, failure: { tries } });
      return (result?.failure?.nextTryAtMs ?? 0) - Date.parse(outcome.sentAt);
    };
    expect(failed()).toBe(HOUR_MS);
    expect(failed()).toBe(7 * DAY_MS);
    const [stored] = rig.all('SELECT call_id FROM _quarantine ORDER BY call_id');
    expect(answerTable(rig.warehouse.db).body(Number(stored?.call_id))).toEqual(body);
  },
);

test('a record that was cut twice is requested again in the same run', () => {
  const rig = bench();
  for (const cut of ['{"id":"1","name":"Ac', '{"id":"1","officers":[{"name":"A. Bell"}']) {
    const outcome = rig.outcome(entityCall('1'), Buffer.from(cut));
    const [result] = rig.load([outcome]);
    expect((result?.failure?.nextTryAtMs ?? 0) - Date.parse(outcome.sentAt)).toBeLessThanOrEqual(10_000);
  }
});

test('a record that is readable again after one damaged response waits for nothing', () => {
  const rig = bench();
  rig.load([rig.outcome(entityCall('1'), Buffer.from('{"id":"1","shares":NaN}'))]);
  rig.record('1', { id: '1', name: 'Acme' });
  expect(rig.value('SELECT count(*) FROM _failure')).toBe(0);
  expect(rig.value("SELECT name FROM entity WHERE entity_id = '1'")).toBe('Acme');
});

test.each([
  ['404', '{"error":"no such path"}', 404],
  ['405', '', 405],
  ['400', '{"error":"unknown resource"}', 400],
  ['HTML', '<!doctype html><title>Portal</title>', 200],
])(
  'statistics that do not exist (%s) cost one call an hour, and one a week once searches succeed',
  (_what, body, status) => {
    const rig = bench();
    const waitsAfterStats = (): number => {
      const outcome = rig.outcome({ kind: 'stats', reason: '', expected: 0 }, Buffer.from(body), status);
      const [result] = rig.load([outcome]);
      return (result?.failure?.nextTryAtMs ?? 0) - Date.parse(outcome.sentAt);
    };
    expect(waitsAfterStats()).toBeGreaterThanOrEqual(HOUR_MS);
    rig.search('a', resultPage({ id: '1', name: 'Acme' }));
    expect(waitsAfterStats()).toBe(7 * DAY_MS);
    expect(rig.value('SELECT count(*) FROM _quarantine')).toBe(status === 200 ? 1 : 0);
  },
);

test('a server error in place of the statistics is retried soon', () => {
  const rig = bench();
  const outcome = rig.outcome({ kind: 'stats', reason: '', expected: 0 }, Buffer.from(''), 503);
  const [result] = rig.load([outcome]);
  expect((result?.failure?.nextTryAtMs ?? 0) - Date.parse(outcome.sentAt)).toBeLessThan(60_000);
});
