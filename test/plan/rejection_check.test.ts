import { expect, test } from 'vitest';
import { type Call, FIRST_PAGE } from '../../src/call.ts';
import { noChange } from '../../src/load_result.ts';
import type { VerdictKind } from '../../src/outcome.ts';
import { planCalls } from '../../src/plan/listed_calls.ts';
import { type CheckedKind, RejectionCheck } from '../../src/plan/rejection_check.ts';

const PLANNED = { reason: '', expected: 1 };

/** One search for each letter from `a` to `j`. */
const SEARCHES = [...'abcdefghij'].map((text) => ({
  kind: 'search' as const,
  query: { by: 'name' as const, text },
  page: FIRST_PAGE,
  ...PLANNED,
}));

/** A record call for each id from `1` to `count`. */
function records(count: number): Call[] {
  return Array.from({ length: count }, (_, at) => ({ kind: 'entity', entityId: `${at + 1}`, ...PLANNED }));
}

function optionsFor(doubted: readonly CheckedKind[], witness: string | null = null) {
  return { doubted: new Set(doubted), witness: () => witness };
}

const ASK = { nowMs: 0, left: { calls: 100, lifetimeLimit: null }, most: 1 };

/** Plans calls and learns from `respond` until no call is left. Returns the sent queries. */
function runWith(respond: (text: string) => VerdictKind, isDoubted = false, status = 400) {
  const check = new RejectionCheck(optionsFor(isDoubted ? ['search'] : []));
  const planner = planCalls(SEARCHES, [check]);
  const sent: string[] = [];
  for (;;) {
    const [call] = planner.next(ASK).calls;
    if (call?.kind !== 'search') return { check, sent };
    sent.push(call.query.text);
    const note = `HTTP ${status}: the query ${call.query.text} is invalid`;
    planner.learn({ ...noChange({ call, verdict: { is: respond(call.query.text) } }), note });
  }
}

test('no further search is planned after four rejected queries and a control query that matches nothing', () => {
  const { check, sent } = runWith(() => 'refused');
  expect(sent).toEqual(['a', 'b', 'c', 'd', 'qzxjvkwq']);
  expect(check.rejection?.why).toBe('HTTP 400: the query qzxjvkwq is invalid');
});

test('if the last run ended with rejected searches, one query checks whether searches work', () => {
  expect(runWith(() => 'refused', true).sent).toEqual(['qzxjvkwq']);
  const { check, sent } = runWith(() => 'ok', true);
  expect(sent.join('')).toBe('qzxjvkwqabcdefghij');
  expect(check.rejection).toBeNull();
});

test('if the upstream rejects only queries with too many matches, the planner sends all searches', () => {
  const { check, sent } = runWith((text) => (text.length === 1 ? 'refused' : 'ok'));
  expect(sent.join('')).toBe('abcdqzxjvkwqefghij');
  expect(check.rejection).toBeNull();
});

test('once a search has succeeded, rejected queries are not checked', () => {
  expect(runWith((text) => (text === 'b' ? 'ok' : 'refused')).sent.join('')).toBe('abcdefghij');
});

test('a query that was not sent is planned again', () => {
  const planner = planCalls(SEARCHES, [new RejectionCheck(optionsFor(['search']))]);
  for (let times = 0; times < 2; times++) {
    const [call] = planner.next(ASK).calls;
    expect(call).toMatchObject({ query: { text: 'qzxjvkwq' } });
    expect(planner.next(ASK).calls).toEqual([]);
    if (call !== undefined) planner.release(call);
  }
});

/** Plans record calls and learns from each status until no call is left. Returns the requested ids. */
function fetchWith(
  statusOf: (id: string) => number | null,
  { count = 60, doubted = false, witness = null as string | null } = {},
) {
  const options = optionsFor(doubted ? ['entity'] : [], witness);
  const check = new RejectionCheck(options);
  const planner = planCalls(records(count), [check]);
  const sent: string[] = [];
  for (;;) {
    const [call] = planner.next(ASK).calls;
    if (call?.kind !== 'entity') return { check, sent };
    sent.push(call.entityId);
    const status = statusOf(call.entityId);
    const verdict: VerdictKind = status === 200 ? 'ok' : 'refused';
    const note = status === null ? 'the id cannot be part of a URL' : `HTTP ${status}: no record`;
    planner.learn({ ...noChange({ call, verdict: { is: verdict } }), note });
  }
}

test('record calls stop after four rejected records and a rejected witness', () => {
  const { check, sent } = fetchWith(() => 403, { witness: 'W' });
  expect(sent).toEqual(['1', '2', '3', '4', 'W']);
  expect(check.rejection).toMatchObject({ call: { entityId: 'W' }, why: 'HTTP 403: no record' });
  expect(check.isDoubted('entity')).toBe(true);
});

test('without a witness, the next record is the control call', () => {
  expect(fetchWith(() => 403).sent).toEqual(['1', '2', '3', '4', '5']);
  expect(fetchWith(() => 403, { doubted: true }).sent).toEqual(['1']);
  const recovered = fetchWith(() => 200, { doubted: true });
  expect(recovered.sent).toHaveLength(60);
  expect(recovered.check.isDoubted('entity')).toBe(false);
});

test('a successful witness keeps record calls going, and is repeated after twenty more rejections', () => {
  const { sent } = fetchWith((id) => (id === 'W' ? 200 : 403), { witness: 'W' });
  expect(sent.flatMap((id, at) => (id === 'W' ? [at] : []))).toEqual([4, 25, 46]);
  expect(sent).toHaveLength(63);
});

test('record calls also stop if every record is rejected after a success', () => {
  expect(fetchWith((id) => (Number(id) <= 3 ? 200 : 403)).sent).toHaveLength(3 + 20 + 1);
});

test('isolated rejections, different statuses and calls without a valid URL do not stop record calls', () => {
  expect(fetchWith((id) => (Number(id) % 4 === 0 ? 200 : 403)).sent).toHaveLength(60);
  expect(fetchWith((id) => 400 + Number(id), { count: 20 }).sent).toHaveLength(20);
  expect(fetchWith(() => null).sent).toHaveLength(60);
  expect(fetchWith((id) => (id === '1' ? null : 200), { doubted: true }).sent).toHaveLength(60);
});
