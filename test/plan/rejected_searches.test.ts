import { expect, test } from 'vitest';
import { type Call, FIRST_PAGE } from '../../src/call.ts';
import { noChange } from '../../src/load_result.ts';
import type { VerdictKind } from '../../src/outcome.ts';
import { withRejectionCheck } from '../../src/plan/rejected_searches.ts';
import type { Planner } from '../../src/planner.ts';

/** A planner that plans one search for each letter from `a` to `j`. */
function searches(): Planner {
  const open = [...'abcdefghij'].map(
    (text): Call => ({
      kind: 'search',
      query: { by: 'name', text },
      page: FIRST_PAGE,
      reason: '',
      expected: 1,
    }),
  );
  return {
    next: ({ most }) => ({ calls: open.splice(0, most), wakeAtMs: null, drift: null }),
    learn: () => {},
    release: (call) => open.unshift(call),
  };
}

const ASK = { nowMs: 0, left: { calls: 100, lifetimeLimit: null }, most: 1 };

/** Plans calls and learns from `respond` until no call is left. Returns the sent queries. */
function runWith(respond: (text: string) => VerdictKind, isDoubted = false, status = 400) {
  const planner = withRejectionCheck(searches(), isDoubted);
  const sent: string[] = [];
  for (;;) {
    const [call] = planner.next(ASK).calls;
    if (call?.kind !== 'search') return { planner, sent };
    sent.push(call.query.text);
    const note = `HTTP ${status}: the query ${call.query.text} is invalid`;
    planner.learn({ ...noChange({ call, verdict: { is: respond(call.query.text) } }), note });
  }
}

test('no further search is planned after four rejected queries and a control query that matches nothing', () => {
  const { planner, sent } = runWith(() => 'refused');
  expect(sent).toEqual(['a', 'b', 'c', 'd', 'qzxjvkwq']);
  expect(planner.rejection).toBe('HTTP 400: the query qzxjvkwq is invalid');
});

test('if the last run ended with rejected searches, one query checks whether searches work', () => {
  expect(runWith(() => 'refused', true).sent).toEqual(['qzxjvkwq']);
  const { planner, sent } = runWith(() => 'ok', true);
  expect(sent.join('')).toBe('qzxjvkwqabcdefghij');
  expect(planner.rejection).toBeNull();
});

test('if the upstream rejects only queries with too many matches, the planner sends all searches', () => {
  const { planner, sent } = runWith((text) => (text.length === 1 ? 'refused' : 'ok'));
  expect(sent.join('')).toBe('abcdqzxjvkwqefghij');
  expect(planner.rejection).toBeNull();
});

test('once a search has succeeded, rejected queries are not checked', () => {
  expect(runWith((text) => (text === 'b' ? 'ok' : 'refused')).sent.join('')).toBe('abcdefghij');
});

test('a query that was not sent is planned again', () => {
  const planner = withRejectionCheck(searches(), true);
  for (let times = 0; times < 2; times++) {
    const [call] = planner.next(ASK).calls;
    expect(call).toMatchObject({ query: { text: 'qzxjvkwq' } });
    expect(planner.next(ASK).calls).toEqual([]);
    if (call !== undefined) planner.release(call);
  }
});
