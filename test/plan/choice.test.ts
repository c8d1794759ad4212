import { describe, expect, test } from 'vitest';
import { type Call, callOfTarget, targetOf } from '../../src/call.ts';
import { noChange } from '../../src/load_result.ts';
import { Choice } from '../../src/plan/choice.ts';
import type { PlanInput, Planner } from '../../src/planner.ts';
import { entityOf } from '../support/dialect.ts';

const LEFT = { calls: 100, lifetimeLimit: null };
const clock = { nowMs: 0, now: () => clock.nowMs };
const askAt = (nowMs: number) => {
  clock.nowMs = nowMs;
  return { nowMs, left: LEFT };
};

/** A planner that takes its due calls from a fixed list. It records which methods are called. */
function listPlanner(ids: readonly string[]) {
  const due = ids.map(entityOf);
  const events: string[] = [];
  const asks: PlanInput[] = [];
  const planner: Planner = {
    next: (ask) => {
      asks.push(ask);
      const calls = due.splice(0, ask.most);
      events.push(`next ${calls.map(targetOf).join()}`.trim());
      return { calls, wakeAtMs: calls.length === 0 ? 9000 : null, drift: null };
    },
    learn: ({ call }) => void events.push(`learn ${targetOf(call)}`),
    release: (call) => {
      events.push(`release ${targetOf(call)}`);
      due.unshift(call);
    },
  };
  return { planner, due, events, asks, choice: new Choice(planner, clock) };
}

const learned = (id: string) => noChange({ call: entityOf(id), verdict: { is: 'ok' } });

describe('drafted calls', () => {
  test('a drafted call is used by the next choice unless new evidence arrives', () => {
    const { choice, events, asks } = listPlanner(['a', 'b']);
    expect(choice.look(askAt(0))).toEqual({ isDue: true, wakeAtMs: null, drift: null });
    expect(choice.look(askAt(20)).isDue).toBe(true);
    expect(choice.choose(askAt(50))).toEqual(entityOf('a'));
    expect(events).toEqual(['next a']);
    expect(asks).toEqual([{ nowMs: 0, left: LEFT, most: 1 }]);
  });

  test('a drafted call is used only once', () => {
    const { choice } = listPlanner(['a', 'b']);
    choice.look(askAt(0));
    expect([choice.choose(askAt(1)), choice.choose(askAt(1)), choice.choose(askAt(1))]).toEqual([
      entityOf('a'),
      entityOf('b'),
      null,
    ]);
  });

  test('a drafted call is released before the planner learns, and can be chosen again afterwards', () => {
    const { choice, events, due } = listPlanner(['a', 'b']);
    choice.look(askAt(0));
    choice.learn(learned('x'));
    due.reverse();
    expect(choice.choose(askAt(1))).toEqual(entityOf('b'));
    expect(events).toEqual(['next a', 'release a', 'learn x', 'next b']);
  });

  test('a drafted call is dropped if new evidence shows that nothing is due', () => {
    const { choice, due } = listPlanner(['a']);
    expect(choice.look(askAt(0)).isDue).toBe(true);
    choice.learn(learned('x'));
    due.splice(0);
    expect(choice.choose(askAt(1))).toBeNull();
  });

  test('a call is drafted again after another call is released', () => {
    const { choice, events } = listPlanner(['a', 'b']);
    const sent = choice.choose(askAt(0)) as Call;
    choice.look(askAt(1));
    choice.release(sent);
    expect(choice.choose(askAt(2))).toEqual(entityOf('a'));
    expect(events).toEqual(['next a', 'next b', 'release b', 'release a', 'next a']);
  });
});

test('a drafted call is released when the choice is closed', () => {
  const { choice, events } = listPlanner(['a']);
  choice.look(askAt(0));
  choice.close();
  choice.close();
  expect(events).toEqual(['next a', 'release a']);
});

describe('looking for a due call', () => {
  test('a look reports when the earliest retry is due if nothing else is', () => {
    const { choice } = listPlanner([]);
    expect(choice.look(askAt(0))).toEqual({ isDue: false, wakeAtMs: 9000, drift: null });
  });

  test('checking for due calls prepares no call if nothing is due', () => {
    const { choice, due } = listPlanner([]);
    expect(choice.look(askAt(0)).isDue).toBe(false);
    due.push(entityOf('a'));
    expect(choice.look(askAt(0)).isDue).toBe(true);
    expect(choice.choose(askAt(0))).toEqual(entityOf('a'));
  });

  test('a look reports the drift that the planner has found', () => {
    const { planner } = listPlanner([]);
    const drifting = new Choice(
      { ...planner, next: () => ({ calls: [], wakeAtMs: null, drift: 'why' }) },
      clock,
    );
    expect(drifting.look(askAt(0)).drift).toBe('why');
  });
});

test('a stored target leads back to its query and page, also if the query ends like a page number', () => {
  for (const text of ['acme', 'acme#1', '#2', 'a#0'])
    for (const index of [0, 1, 12]) {
      const planned = { reason: 'test', expected: 1 };
      const page = { index, next: null };
      const call: Call = { kind: 'search', query: { by: 'name', text }, page, ...planned };
      const target = targetOf(call);
      expect(callOfTarget({ kind: 'search', target, page: index }, planned)).toEqual(call);
    }
});
