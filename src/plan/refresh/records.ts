import type { Call, EntityCall } from '../../call.ts';
import type { DueRecord, ExpectedYield, Knowledge, LoadResult, RatedRecord } from '../../knowledge.ts';
import type { PlanInput } from '../../planner.ts';
import type { Candidate, Source } from '../candidate.ts';
import type { AgeLimit } from '../due.ts';
import type { Pending } from '../pending.ts';
import { ControlCalls, Witness } from './deletion_proof.ts';
import { DueRecords } from './due_records.ts';

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

  constructor({
    knowledge,
    age,
    pending,
    yieldOf,
  }: {
    readonly knowledge: Knowledge;
    readonly age: AgeLimit;
    readonly pending: Pending;
    /**
     * Computes the expected yield of a fetch. Without this function, flagged records come first and outdated records
     * last.
     */
    readonly yieldOf?: (record: RatedRecord) => ExpectedYield;
  }) {
    this.#pending = pending;
    this.#due = new DueRecords({ knowledge, age, pending, yieldOf });
    this.#controls = new ControlCalls(knowledge);
    this.#witness = new Witness(knowledge, pending);
  }

  /** A sentence that explains why record calls have stopped; null if they continue. */
  get drift(): string | null {
    return this.#witness.drift;
  }

  best({ nowMs }: PlanInput): Candidate | null {
    const value = this.#bestYield(nowMs);
    return value === 0 ? null : { kind: 'entity', value };
  }

  /**
   * Returns the best call's value in days. It is 0 if nothing is due, and Infinity if the call is needed to prove a
   * deletion.
   */
  #bestYield(nowMs: number): number {
    if (this.drift !== null) return 0;
    if (this.#witness.isNeeded) return this.#witness.isSent ? 0 : Number.POSITIVE_INFINITY;
    if (this.#controls.isNeeded()) return Number.POSITIVE_INFINITY;
    const due = this.#due.peek(nowMs);
    if (due !== null) return Math.max(due.expectedYield?.days ?? 1, Number.MIN_VALUE);
    return this.#isWitnessLast() ? Number.MIN_VALUE : 0;
  }

  /** Takes the best call, or returns null if nothing is due. */
  take({ nowMs }: Pick<PlanInput, 'nowMs'>): EntityCall | null {
    if (this.drift !== null) return null;
    const call = this.#witness.isNeeded
      ? this.#witness.take(nowMs)
      : (this.#controls.take() ?? this.#takeDue(nowMs) ?? this.#takeLastWitness(nowMs));
    if (call !== null) this.#pending.sent(call);
    return call;
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
    return this.#witness.hasMissing && !this.#witness.isSent && this.#pending.inFlightCount('entity') === 0;
  }

  #takeLastWitness(nowMs: number): EntityCall | null {
    return this.#isWitnessLast() ? this.#witness.take(nowMs) : null;
  }

  #takeDue(nowMs: number): EntityCall | null {
    const due = this.#due.take(nowMs);
    if (due === null) return null;
    const expected = Math.round((due.expectedYield?.repairs ?? 1) * 1000) / 1000;
    return { kind: 'entity', entityId: due.entityId, reason: REASONS[due.why], expected };
  }
}
