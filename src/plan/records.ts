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

  constructor(knowledge: Knowledge, maxAgeMs: number, pending: Pending) {
    this.#knowledge = knowledge;
    this.#maxAgeMs = maxAgeMs;
    this.#pending = pending;
  }

  /** Three known ids in a row answered 404: a moved path must not be taken for a deleted country. */
  get drift(): string | null {
    if (this.#missingInARow.length < MISSING_IN_A_ROW_IS_DRIFT) return null;
    return `${this.#missingInARow.length} known ids in a row answered 404 (${this.#missingInARow.join(', ')}): has the path of records moved?`;
  }

  /** The best record calls now, at most `most`. */
  next(nowMs: number, most: number): EntityCall[] {
    if (this.drift !== null || most <= 0) return [];
    const calls: EntityCall[] = [];
    const control = this.#control();
    if (control !== null) calls.push(control);
    while (calls.length < most) {
      const due = this.#nextDue(nowMs, most - calls.length);
      if (due === null) break;
      calls.push({ kind: 'entity', entityId: due.entityId, reason: REASONS[due.why], expected: 1 });
    }
    return calls;
  }

  learn(news: News): void {
    const call = news.call;
    const settled = news.verdict === 'ok' || news.verdict === 'gone' || news.verdict === 'absent';
    if (!settled || news.rows.some((row) => row.isNew || row.changed)) {
      this.#nothingDueUntilMs = Number.NEGATIVE_INFINITY;
    }
    if (call.kind !== 'entity') return;
    if (call.entityId === this.#controlInFlight) this.#controlInFlight = null;
    if (news.missing) {
      this.#missingInARow.push(call.entityId);
      this.#mayNeedControl = true;
    }
    if (news.verdict === 'ok' || news.verdict === 'gone') this.#missingInARow = [];
  }

  release(call: Call): void {
    if (call.kind !== 'entity') return;
    if (call.entityId === this.#controlInFlight) this.#controlInFlight = null;
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

  #sampleIds(): string[] {
    const ids: string[] = [];
    for (const { entityId } of this.#knowledge.knownCompanies()) {
      ids.push(entityId);
      if (ids.length === 20) break;
    }
    return ids;
  }
}
