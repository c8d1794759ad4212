import type { Dialect } from '../dialect/dialect.ts';
import type { Mapping } from '../dialect/mapping.ts';
import { noChange } from '../load_result.ts';
import { type Attempt, type Outcome, wasSent } from '../outcome.ts';
import { answerTable } from '../warehouse/answer.ts';
import { removeProbe } from '../warehouse/answered_calls.ts';
import { Calls } from '../warehouse/call.ts';
import { addToRun } from '../warehouse/run.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { callRow, Loader } from './load.ts';

/** The probe's own notes about its attempts. */
interface ProbeNotes {
  /** Returns the request as text, for `_call.target`. */
  targetOf(attempt: Attempt): string;
  note(outcome: Outcome): void;
}

/** Stores the unchanged responses to a probe. They are not processed, because processing requires a dialect. */
export function openProbeLoader(options: {
  readonly warehouse: Warehouse;
  readonly runId: number;
  readonly probeLog: ProbeNotes;
}): Pick<Loader, 'store' | 'process'> {
  const { warehouse, runId, probeLog } = options;
  const calls = new Calls(warehouse.db);
  const responses = answerTable(warehouse.db);
  return {
    store: (attempts) =>
      warehouse.write(() => {
        for (const attempt of attempts) {
          const { callId, body } = attempt;
          calls.add({
            ...callRow(attempt),
            kind: 'probe',
            target: probeLog.targetOf(attempt),
            page: null,
            runId,
          });
          if (body !== null) responses.keep(callId, body, headersText(attempt));
        }
      }),
    process: (outcomes) =>
      warehouse.write(() =>
        outcomes.map((outcome) => {
          const { callId, verdict, failure = null } = outcome;
          calls.settle([{ callId, outcome: verdict.is, rows: 0, new: 0, changed: 0, note: failure }]);
          addToRun(warehouse.db, runId, { ...NOTHING, calls: wasSent(outcome) ? 1 : 0 });
          probeLog.note(outcome);
          return noChange(outcome);
        }),
      ),
  };
}

/**
 * Loads the responses to a probe as searches, records and statistics, each in one transaction. Each call keeps its id
 * but gets a new kind, so that the planner does not repeat it.
 */
export function adoptProbes(options: {
  readonly warehouse: Warehouse;
  readonly dialect: Dialect;
  readonly mapping: Mapping;
  readonly runId: number;
  /** The stored responses, classified with the new dialect. They keep the probe's call ids. */
  readonly outcomes: readonly Outcome[];
}): void {
  const { warehouse, dialect, mapping, runId, outcomes } = options;
  const loader = new Loader({ warehouse, dialect, mapping, runId });
  for (const outcome of outcomes)
    warehouse.write(() => {
      removeProbe(warehouse.db, outcome.callId);
      loader.load([outcome]);
      // Subtract the call, because it was already counted when the probe made it.
      addToRun(warehouse.db, runId, { ...NOTHING, calls: -1 });
    });
}

/** Returns all headers as JSON, because the dialect is still unknown and may need any of them. */
function headersText({ headers = {} }: Attempt): string {
  return JSON.stringify(Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET.has(name))));
}

const SECRET = new Set(['set-cookie']);

const NOTHING = { calls: 0, new: 0, changed: 0, gone: 0, quarantined: 0 };
