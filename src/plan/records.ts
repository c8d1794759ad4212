import type { Call, EntityCall } from '../call.ts';
import { unknownIdLike } from './control.ts';
import type { DueRecord, Knowledge, News } from './knowledge.ts';
import type { Pending } from './pending.ts';

// One look-up serves many batches: at thousands of calls a second, asking each time would cost more than planning.
const LOOK_AHEAD = 1000;
// Records grow old while nothing else happens: look again now and then.
const LOOK_AGAIN_MS = 60_000;
const MISSING_IN_A_ROW_IS_DRIFT = 3;

const REASONS: Record<DueRecord['why'], string> = {
  never_fetched: 'record never fetched',
  flagged: 'summary changed since the record was fetched',
  stale: 'record is due again',
  missing: 'answered 404: is it still so?',
  wanted: 'wanted by a backfill',
};

/** Which records to fetch: never fetched, flagged, stale; and the control call that a deletion's proof needs. */
export class Records {
  readonly #knowledge: Knowledge;
  readonly #maxAgeMs: number;
  readonly #pending: Pending;
  #ahead: DueRecord[] = [];
  #nothingDueUntilMs = Number.NEGATIVE_INFINITY;
  #missingInARow: string[] = [];
  #controlsAsked = 0;
  #controlInFlight: string | null = null;
  #mayNeedControl = true;
  /** A company that answered in this run. */
  #lastAnswered: string | null = null;
  #witnessInFlight: string | null = null;
  /** Since the first of `#missingInARow`. */
  #hasAskedWitness = false;

  constructor(knowledge: Knowledge, maxAgeMs: number, pending: Pending) {
    this.#knowledge = knowledge;
    this.#maxAgeMs = maxAgeMs;
    this.#pending = pending;
  }

  /**
   * Three known ids in a row answered 404, and so did a witness: a moved path must not be taken for a deleted
   * country, nor three neighbours that were struck off together for a moved path.
   */
  get drift(): string | null {
    if (!this.#isSuspicious || !this.#hasAskedWitness || this.#witnessInFlight !== null) return null;
    return `${this.#missingInARow.length} known ids in a row answered 404 (${this.#missingInARow.join(', ')}): has the path of records moved?`;
  }

  /** The best record calls now, at most `most`. */
  next(nowMs: number, most: number): EntityCall[] {
    if (this.drift !== null || most <= 0) return [];
    if (this.#isSuspicious) return this.#witness(nowMs);
    const calls: EntityCall[] = [];
    const control = this.#control();
    if (control !== null) calls.push(control);
    while (calls.length < most) {
      const due = this.#nextDue(nowMs, most - calls.length);
      if (due === null) break;
      calls.push({ kind: 'entity', entityId: due.entityId, reason: REASONS[due.why], expected: 1 });
    }
    const isLastWord = calls.length === 0 && this.#missingInARow.length > 0;
    return isLastWord && this.#pending.inFlightCount('entity') === 0 ? this.#witness(nowMs) : calls;
  }

  learn(news: News): void {
    const call = news.call;
    const settled = news.verdict === 'ok' || news.verdict === 'gone' || news.verdict === 'absent';
    if (!settled || news.rows.some((row) => row.isNew || row.changed)) {
      this.#nothingDueUntilMs = Number.NEGATIVE_INFINITY;
    }
    if (call.kind !== 'entity') return;
    if (call.entityId === this.#controlInFlight) this.#controlInFlight = null;
    if (call.entityId === this.#witnessInFlight) {
      this.#witnessInFlight = null;
      this.#hasAskedWitness = settled;
    }
    if (news.missing) {
      this.#missingInARow.push(call.entityId);
      this.#mayNeedControl = true;
    }
    if (news.verdict === 'ok') this.#lastAnswered = call.entityId;
    if (news.verdict === 'ok' || news.verdict === 'gone') {
      this.#missingInARow = [];
      this.#hasAskedWitness = false;
    }
  }

  release(call: Call): void {
    if (call.kind !== 'entity') return;
    if (call.entityId === this.#controlInFlight) this.#controlInFlight = null;
    if (call.entityId === this.#witnessInFlight) {
      this.#witnessInFlight = null;
      this.#hasAskedWitness = false;
    }
    this.#nothingDueUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** More may be due than the last look-up showed. */
  lookAgain(): void {
    this.#nothingDueUntilMs = Number.NEGATIVE_INFINITY;
  }

  #nextDue(nowMs: number, wanted: number): DueRecord | null {
    for (;;) {
      const due = this.#ahead.pop();
      if (due === undefined) {
        if (!this.#lookAhead(nowMs, wanted)) return null;
      } else if (this.#pending.isFree('entity', due.entityId, nowMs)) {
        this.#pending.sent({ kind: 'entity', entityId: due.entityId, reason: '', expected: 0 });
        return due;
      }
    }
  }

  #lookAhead(nowMs: number, wanted: number): boolean {
    if (nowMs < this.#nothingDueUntilMs) return false;
    const most = Math.max(wanted, LOOK_AHEAD);
    const except = this.#pending.blocked('entity', nowMs);
    const due = this.#knowledge.recordsDue({ nowMs, maxAgeMs: this.#maxAgeMs, most, except });
    if (due.length === 0) {
      this.#nothingDueUntilMs = Math.min(
        nowMs + LOOK_AGAIN_MS,
        this.#pending.earliestRetryMs(new Set(['entity']), nowMs) ?? Number.POSITIVE_INFINITY,
      );
      return false;
    }
    this.#ahead = due.toReversed();
    return true;
  }

  /** One call for an id that cannot exist shows what this upstream answers for unknown ids. */
  #control(): EntityCall | null {
    if (this.#controlInFlight !== null || !this.#mayNeedControl) return null;
    this.#mayNeedControl = this.#knowledge.controlNeeded();
    if (!this.#mayNeedControl) return null;
    const entityId = unknownIdLike(this.#sampleIds(), this.#controlsAsked);
    if (entityId === null) return null;
    this.#controlsAsked++;
    this.#controlInFlight = entityId;
    const reason = 'control: what does an unknown id answer?';
    const call: EntityCall = { kind: 'entity', entityId, reason, expected: 0 };
    this.#pending.sent(call);
    return call;
  }

  get #isSuspicious(): boolean {
    return this.#missingInARow.length >= MISSING_IN_A_ROW_IS_DRIFT;
  }

  /** One call for a company that should answer: it proves the deletions before it, or that the path has moved. */
  #witness(nowMs: number): EntityCall[] {
    if (this.#hasAskedWitness) return [];
    this.#hasAskedWitness = true;
    const sample = this.#sampleIds();
    // Another one each time: the witness may have been deleted itself.
    const from = Math.floor(nowMs) % Math.max(sample.length, 1);
    const candidates = [this.#lastAnswered, ...sample.slice(from), ...sample.slice(0, from)];
    const entityId = candidates.find(
      (id) => id !== null && !this.#missingInARow.includes(id) && this.#pending.isFree('entity', id, nowMs),
    );
    if (entityId == null) return [];
    this.#witnessInFlight = entityId;
    const reason = 'witness: do known companies still answer?';
    const call: EntityCall = { kind: 'entity', entityId, reason, expected: 0 };
    this.#pending.sent(call);
    return [call];
  }

  #sampleIds(): string[] {
    const ids: string[] = [];
    for (const { entityId } of this.#knowledge.knownCompanies()) {
      ids.push(entityId);
      if (ids.length === 20) break;
    }
    return ids;
  }
}
