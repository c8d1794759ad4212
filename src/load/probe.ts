import { isoTime } from '../clock.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { Mapping } from '../dialect/mapping.ts';
import type { Outcome } from '../outcome.ts';
import type { News } from '../plan/knowledge.ts';
import { answerTable } from '../warehouse/answer.ts';
import { callTable } from '../warehouse/call.ts';
import { removeProbe, type StoredProbe, storedProbes } from '../warehouse/probe.ts';
import { runCounter } from '../warehouse/run.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { openLoader } from './load.ts';

/** A probe's outcome, and the text of what it asked. */
export interface ProbedOutcome {
  readonly target: string;
  readonly outcome: Outcome;
}

/** Stores what probes bring, byte for byte; nothing is derived from it before there is a dialect. */
export function openProbeLoader({
  warehouse,
  runId,
}: {
  readonly warehouse: Warehouse;
  readonly runId: number;
}): (probed: readonly ProbedOutcome[]) => News[] {
  const calls = callTable(warehouse.db);
  const answers = answerTable(warehouse.db);
  const runs = runCounter(warehouse.db);
  return (probed) =>
    warehouse.write(() =>
      probed.map(({ target, outcome }) => {
        calls.add({ ...callRow(target, outcome), runId });
        if (outcome.body !== null)
          answers.keep(outcome.callId, outcome.call.kind, outcome.body, headersText(outcome));
        runs.add(runId, { ...NOTHING, calls: outcome.verdict.is === 'unsent' ? 0 : 1 });
        return newsOf(outcome);
      }),
    );
}

/**
 * Loads answers to probes as the answers that they turned out to be, each in one transaction: the same call id,
 * another kind. What is loaded so is not asked again.
 */
export function adoptProbes(options: {
  readonly warehouse: Warehouse;
  readonly dialect: Dialect;
  readonly mapping: Mapping;
  readonly runId: number;
  /** What the stored answers mean now, by the call ids of the probes. */
  readonly outcomes: readonly Outcome[];
}): void {
  const { warehouse, dialect, mapping, runId, outcomes } = options;
  const { load } = openLoader({ warehouse, dialect, mapping, runId });
  const runs = runCounter(warehouse.db);
  for (const outcome of outcomes)
    warehouse.write(() => {
      removeProbe(warehouse.db, outcome.callId);
      load([outcome]);
      // The call was counted when it was made.
      runs.add(runId, { ...NOTHING, calls: -1 });
    });
}

export function readProbes({ db }: Warehouse): StoredProbe[] {
  return storedProbes(db);
}

function callRow(target: string, { call, callId, sentAtMs, durationMs, status, body, verdict }: Outcome) {
  return {
    callId,
    kind: 'probe',
    target,
    page: null,
    reason: call.reason,
    expected: call.expected,
    sentAt: isoTime(sentAtMs),
    ms: durationMs,
    status,
    outcome: verdict.is,
    bytes: body?.length ?? 0,
    rows: 0,
  };
}

/** All of them: which ones the dialect will need is not known yet. */
function headersText({ headers = {} }: Outcome): string {
  return JSON.stringify(Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET.has(name))));
}

const SECRET = new Set(['set-cookie']);

function newsOf({ call, verdict }: Outcome): News {
  return {
    call,
    verdict: verdict.is,
    rows: [],
    query: null,
    record: null,
    missing: false,
    gone: false,
    quarantined: 0,
    failure: null,
  };
}

const NOTHING = { calls: 0, new: 0, changed: 0, gone: 0, quarantined: 0 };
