import type { EntityCall } from '../../call.ts';
import type { DueRecord, ExpectedYield, Knowledge, LoadResult, RatedRecord } from '../../knowledge.ts';
import { isSettled } from '../../load_result.ts';
import { type AgeLimit, dueBeforeMs } from '../due.ts';
import type { Pending } from '../pending.ts';

/** Due records are read in batches, because one lookup per call would be slow. A new flag makes a batch outdated. */
const BATCH = 64;

export interface DueRecordsOptions {
  readonly knowledge: Knowledge;
  readonly age: AgeLimit;
  readonly pending: Pending;
  /** Computes the expected yield of a fetch. Without this function, flagged records come first and outdated records last. */
  readonly yieldOf?: ((record: RatedRecord) => ExpectedYield) | undefined;
}

/** A queue of due records, most valuable first. It is read from the warehouse in batches. */
export class DueRecords {
  readonly #knowledge: Knowledge;
  readonly #age: AgeLimit;
  readonly #pending: Pending;
  readonly #yieldOf: ((record: RatedRecord) => ExpectedYield) | undefined;
  /** The current batch, with the most valuable record last. */
  #ahead: DueRecord[] = [];
  /** The record that was taken last, which returns to the queue if its call is not sent. */
  #lastTaken: DueRecord | null = null;
  #nothingDueUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ knowledge, age, pending, yieldOf }: DueRecordsOptions) {
    this.#knowledge = knowledge;
    this.#age = age;
    this.#pending = pending;
    this.#yieldOf = yieldOf;
  }

  /** Returns the most valuable due record that may be fetched now, or null if there is none. */
  peek(nowMs: number): DueRecord | null {
    for (;;) {
      const due = this.#ahead.at(-1);
      if (due === undefined) {
        if (!this.#refill(nowMs)) return null;
      } else if (this.#pending.isFree('entity', due.entityId, nowMs)) return due;
      else this.#ahead.pop();
    }
  }

  /** Removes the record that `peek` returned. */
  take(): void {
    this.#lastTaken = this.#ahead.pop() ?? null;
  }

  learn(result: LoadResult): void {
    if (!isSettled(result.verdict) || result.rows.some((row) => row.isNew || row.changed)) this.lookAgain();
    if (this.#yieldOf !== undefined && result.rows.some((row) => row.changed)) this.#ahead = [];
  }

  release(call: EntityCall): void {
    if (call.entityId === this.#lastTaken?.entityId) this.#ahead.push(this.#lastTaken);
    this.#lastTaken = null;
    this.lookAgain();
  }

  /** Makes the next lookup read the warehouse again, because more records may be due. */
  lookAgain(): void {
    this.#nothingDueUntilMs = Number.NEGATIVE_INFINITY;
  }

  #refill(nowMs: number): boolean {
    if (nowMs < this.#nothingDueUntilMs) return false;
    const due = this.#knowledge.recordsDue({
      nowMs,
      beforeMs: dueBeforeMs(this.#age, nowMs),
      startedAtMs: this.#age.startedAtMs,
      most: BATCH,
      except: this.#pending.blocked('entity', nowMs),
      ...(this.#yieldOf && { expectedYield: this.#yieldOf }),
    });
    if (due.length === 0) {
      this.#nothingDueUntilMs =
        this.#pending.earliestRetryMs(new Set(['entity']), nowMs) ?? Number.POSITIVE_INFINITY;
      return false;
    }
    this.#ahead = due.toReversed();
    return true;
  }
}
