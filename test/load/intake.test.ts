import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Call } from '../../src/call.ts';
import { Intake } from '../../src/load/intake.ts';
import { noChange } from '../../src/load_result.ts';
import type { Attempt, Outcome, Verdict } from '../../src/outcome.ts';
import { entityOf, SEARCH } from '../support/dialect.ts';

const OK = (call: Call): Verdict =>
  call.kind === 'entity'
    ? { is: 'ok', answer: { kind: 'record', entityId: call.entityId, name: null, document: {} } }
    : { is: 'ok', answer: { kind: 'stats', total: null, document: {} } };

interface Faults {
  store: boolean;
  process: boolean;
}

/** An intake whose loader records how it is called. */
function intakeOf(verdictOf: (call: Call) => Verdict = OK) {
  const faults: Faults = { store: false, process: false };
  const events: string[] = [];
  const batches: Outcome[][] = [];
  const loaded: Outcome[] = [];
  const failures: unknown[] = [];
  const intake = new Intake({
    loader: {
      store: (attempts) => {
        if (faults.store) throw new Error('database or disk is full');
        events.push(`store ${attempts.length}`);
      },
      process: (outcomes) => {
        if (faults.process) throw new Error('database or disk is full');
        events.push(`process ${outcomes.length}`);
        batches.push([...outcomes]);
        return outcomes.map(noChange);
      },
    },
    outcomeOf: (attempt) => ({ ...attempt, verdict: verdictOf(attempt.call) }),
    onLoaded: (outcomes, results) => {
      expect(results.map(({ call }) => call)).toEqual(outcomes.map(({ call }) => call));
      loaded.push(...outcomes);
    },
    onFailure: (error) => void failures.push(error),
  });
  onTestFinished(() => {
    faults.store = false;
    faults.process = false;
    intake.flush();
  });
  return { intake, faults, events, batches, loaded, failures };
}

function withFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

let callId = 0;
function attemptOf(call: Call): Attempt {
  callId += 1;
  return {
    callId,
    call,
    sentAt: '2026-03-01T00:00:00.000Z',
    durationMs: 1,
    status: 200,
    body: Buffer.from('{}'),
  };
}

const recordOf = (id: number) => attemptOf(entityOf(String(id)));

describe('intake', () => {
  test('intake stores each response when it arrives', () => {
    const { intake, events } = intakeOf();
    for (let id = 1; id <= 3; id++) {
      intake.take(recordOf(id));
      expect(events).toEqual(Array(id).fill('store 1'));
      expect(intake.isEmpty).toBe(false);
    }
  });

  test('intake processes a search together with the earlier records, in order', () => {
    const { intake, batches } = intakeOf();
    const attempts = [recordOf(1), recordOf(2), attemptOf(SEARCH)];
    for (const one of attempts) intake.take(one);
    expect(batches.map((batch) => batch.map((one) => one.callId))).toEqual([
      attempts.map((one) => one.callId),
    ]);
  });

  test.each<Verdict>([
    { is: 'absent', shape: '{}' },
    { is: 'gone', answer: { kind: 'record', entityId: 'C1', name: null, document: {} } },
    { is: 'refused', why: 'HTTP 400' },
    { is: 'throttled', untilMs: 0, why: 'HTTP 429' },
    { is: 'exhausted', untilMs: null, why: 'HTTP 402' },
    { is: 'unauthorised', why: 'HTTP 401' },
    { is: 'broken', why: 'HTTP 500' },
  ])('intake stores a response with the verdict $is and then processes it immediately', (verdict) => {
    const { intake, events } = intakeOf(() => verdict);
    intake.take(recordOf(1));
    expect(events).toEqual(['store 1', 'process 1']);
    expect(intake.isEmpty).toBe(true);
  });
});

describe('intake of records', () => {
  test('intake processes records as a batch one second after storing the first', () => {
    withFakeTimers();
    const { intake, events } = intakeOf();
    for (let id = 0; id < 3; id++) {
      intake.take(recordOf(id));
      vi.advanceTimersByTime(100);
    }
    expect(events).toEqual(['store 1', 'store 1', 'store 1']);
    vi.advanceTimersByTime(699);
    expect(events).toHaveLength(3);
    vi.advanceTimersByTime(1);
    expect(events).toEqual(['store 1', 'store 1', 'store 1', 'process 3']);
    expect(intake.isEmpty).toBe(true);
  });

  test('intake processes the records as soon as 200 are waiting', () => {
    const { intake, batches } = intakeOf();
    for (let id = 0; id < 201; id++) intake.take(recordOf(id));
    expect(batches.map(({ length }) => length)).toEqual([200]);
  });

  test('a flush processes each record once', () => {
    const { intake, loaded, events } = intakeOf();
    for (let id = 0; id < 5; id++) intake.take(recordOf(id));
    intake.flush();
    expect(loaded).toHaveLength(5);
    expect(intake.isEmpty).toBe(true);
    intake.flush();
    expect(events).toEqual([...Array(5).fill('store 1'), 'process 5']);
  });
});

describe('intake with a warehouse that is not writable', () => {
  test('intake reports that the warehouse is not writable, and keeps the responses for another flush', () => {
    const { intake, faults, failures, loaded, events } = intakeOf();
    faults.store = true;
    intake.take(recordOf(1));
    intake.take(attemptOf(SEARCH));
    expect(failures).toHaveLength(2);
    expect(failures[0]).toMatchObject({ message: 'database or disk is full' });
    expect(() => intake.flush()).toThrow('disk is full');
    expect(intake.isEmpty).toBe(false);
    faults.store = false;
    intake.flush();
    expect(events).toEqual(['store 2', 'process 2']);
    expect(loaded.map(({ call }) => call.kind)).toEqual(['entity', 'search']);
  });

  test('intake reports a processing error and does not store the responses again', () => {
    withFakeTimers();
    const { intake, faults, failures, loaded, events } = intakeOf();
    faults.process = true;
    intake.take(recordOf(1));
    vi.advanceTimersByTime(1100);
    expect(failures).toHaveLength(1);
    intake.take(attemptOf(SEARCH));
    expect(failures).toHaveLength(2);
    expect(() => intake.flush()).toThrow('disk is full');
    faults.process = false;
    intake.flush();
    expect(events).toEqual(['store 1', 'store 1', 'process 2']);
    expect(loaded).toHaveLength(2);
    expect(intake.isEmpty).toBe(true);
  });
});
