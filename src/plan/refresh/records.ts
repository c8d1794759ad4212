import type { Call, EntityCall } from '../../call.ts';
import type { DueRecord, LoadResult } from '../../knowledge.ts';
import type { PlanInput } from '../../planner.ts';
import type { Candidate, Source } from '../candidate.ts';
import type { Pending } from '../pending.ts';
import { ControlCalls, Witness } from './deletion_proof.ts';
import { DueRecords, type DueRecordsOptions } from './record_queue.ts';

const REASONS: Record<DueRecord['why'], string> = {
  never_fetched: 'record never fetched',
  flagged: 'summary changed since the record was fetched',
  stale: 'record is due again',
  missing: 'returned 404: check again',
  wanted: 'wanted by a backfill',
};

/** Proposes record calls: those that fetch due records, and those that prove a deletion. */
export class Records implements Source {
  readonly #pending: Pending;
  readonly #due: DueRecords;
  readonly #controls: ControlCalls;
  readonly #witness: Witness;

  constructor(options: DueRecordsOptions) {
    const { knowledge, pending } = options;
    this.#pending = pending;
    this.#due = new DueRecords(options);
    this.#controls = new ControlCalls(knowledge);
    this.#witness = new Witness(knowledge, pending);
  }

  /** A sentence that explains why record calls have stopped; null if they continue. */
  get drift(): string | null {
    return this.#witness.drift;
  }

  /** The value is Infinity if the call is needed to prove a deletion. */
  best({ nowMs }: PlanInput): Candidate | null {
    if (this.drift !== null) return null;
    if (this.#witness.isNeeded) return this.#bestWitness(nowMs, Number.POSITIVE_INFINITY);
    const control = this.#controls.next();
    if (control !== null)
      return {
        call: control,
        value: Number.POSITIVE_INFINITY,
        planned: () => this.#controls.planned(control),
      };
    const due = this.#due.peek(nowMs);
    if (due !== null)
      return {
        call: callFor(due),
        value: Math.max(due.expectedYield?.days ?? 1, Number.MIN_VALUE),
        planned: () => this.#due.take(),
      };
    return this.#isWitnessLast() ? this.#bestWitness(nowMs, Number.MIN_VALUE) : null;
  }

  learn(result: LoadResult): void {
    this.#due.learn(result);
    if (result.call.kind !== 'entity') return;
    this.#controls.learn(result.call, result);
    this.#witness.learn(result.call, result);
  }

  release(call: Call): void {
    if (call.kind !== 'entity') return;
    this.#controls.release(call);
    this.#witness.release(call);
    this.#due.release(call);
  }

  /** Reads the due records again, because more records may be due. */
  lookAgain(): void {
    this.#due.lookAgain();
  }

  /** Returns whether the run would otherwise end with an unexplained 404 for a known id. */
  #isWitnessLast(): boolean {
    return this.#witness.hasMissing && !this.#witness.isAsked && this.#pending.inFlightCount('entity') === 0;
  }

  #bestWitness(nowMs: number, value: number): Candidate | null {
    const call = this.#witness.next(nowMs);
    return call === null ? null : { call, value, planned: () => this.#witness.planned(call) };
  }
}

function callFor({ entityId, why, expectedYield }: DueRecord): EntityCall {
  const expected = Math.round((expectedYield?.repairs ?? 1) * 1000) / 1000;
  return { kind: 'entity', entityId, reason: REASONS[why], expected };
}
