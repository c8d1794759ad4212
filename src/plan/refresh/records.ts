import type { Call, EntityCall } from '../../call.ts';
import type { DueRecord, ExpectedYield, Knowledge, LoadResult, RatedRecord } from '../../knowledge.ts';
import { type AgeLimit, dueBeforeMs } from '../due.ts';
import type { Pending } from '../pending.ts';

// One look-up serves many batches: at thousands of calls a second, asking each time would cost more than planning.
// A flag that comes in makes it out of date: the fewer calls between two flags, the less is looked up at once.
const LEAST_AHEAD = 16;
const MOST_AHEAD = 1024;
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
  readonly #age: AgeLimit;
  readonly #pending: Pending;
  readonly #yieldOf: ((record: RatedRecord) => ExpectedYield) | undefined;
  #ahead: DueRecord[] = [];
  #lookAheadBy = MOST_AHEAD;
  /** The record taken last: it returns to its place if its call is not sent. */
  #lastTaken: DueRecord | null = null;
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

  constructor(options: {
    readonly knowledge: Knowledge;
    readonly age: AgeLimit;
    readonly pending: Pending;
    readonly worth?: (record: RatedRecord) => ExpectedYield;
  }) {
    this.#knowledge = options.knowledge;
    this.#yieldOf = options.worth;
    this.#age = options.age;
    this.#pending = options.pending;
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
    const calls: EntityCall[] = [];
    while (calls.length < most) {
      const call = this.take(nowMs);
      if (call === null) break;
      calls.push(call);
    }
    return calls.length === 0 && most > 0 ? this.lastWord(nowMs) : calls;
  }

  /** What the best call is worth, in days; 0: there is none. What a proof needs comes before everything. */
  bestYield(nowMs: number): number {
    if (this.drift !== null) return 0;
    if (this.#isSuspicious) return this.#hasAskedWitness ? 0 : Number.POSITIVE_INFINITY;
    if (this.#needsControl()) return Number.POSITIVE_INFINITY;
    const due = this.#peekDue(nowMs);
    return due === null ? 0 : Math.max(due.expectedYield?.days ?? 1, Number.MIN_VALUE);
  }

  /** The best call; null: nothing is due. */
  take(nowMs: number): EntityCall | null {
    if (this.drift !== null) return null;
    if (this.#isSuspicious) return this.#witness(nowMs)[0] ?? null;
    const control = this.#control();
    if (control !== null) return control;
    const due = this.#peekDue(nowMs);
    if (due === null) return null;
    this.#ahead.pop();
    this.#lastTaken = due;
    const expected = Math.round((due.expectedYield?.repairs ?? 1) * 1000) / 1000;
    const call: EntityCall = { kind: 'entity', entityId: due.entityId, reason: REASONS[due.why], expected };
    this.#pending.sent(call);
    return call;
  }

  /** A 404 was the last word of a run: does a company still answer? */
  lastWord(nowMs: number): EntityCall[] {
    if (this.drift !== null || this.#missingInARow.length === 0) return [];
    return this.#pending.inFlightCount('entity') === 0 ? this.#witness(nowMs) : [];
  }

  learn(result: LoadResult): void {
    const call = result.call;
    const settled = result.verdict === 'ok' || result.verdict === 'gone' || result.verdict === 'absent';
    if (!settled || result.rows.some((row) => row.isNew || row.changed)) this.lookAgain();
    if (this.#yieldOf !== undefined && result.rows.some((row) => row.changed)) {
      this.#ahead = [];
      this.#lookAheadBy = LEAST_AHEAD;
    }
    if (call.kind !== 'entity') return;
    if (call.entityId === this.#controlInFlight) this.#controlInFlight = null;
    if (call.entityId === this.#witnessInFlight) {
      this.#witnessInFlight = null;
      this.#hasAskedWitness = settled;
    }
    if (result.missing) {
      this.#missingInARow.push(call.entityId);
      this.#mayNeedControl = true;
    }
    if (result.verdict === 'ok') this.#lastAnswered = call.entityId;
    if (result.verdict === 'ok' || result.verdict === 'gone') {
      this.#missingInARow = [];
      this.#hasAskedWitness = false;
    }
  }

  release(call: Call): void {
    if (call.kind !== 'entity') return;
    if (call.entityId === this.#controlInFlight) {
      this.#controlInFlight = null;
      this.#controlsAsked--;
    }
    if (call.entityId === this.#witnessInFlight) {
      this.#witnessInFlight = null;
      this.#hasAskedWitness = false;
    }
    if (call.entityId === this.#lastTaken?.entityId) this.#ahead.push(this.#lastTaken);
    this.#lastTaken = null;
    this.#nothingDueUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** More may be due than the last look-up showed. */
  lookAgain(): void {
    this.#nothingDueUntilMs = Number.NEGATIVE_INFINITY;
  }

  #peekDue(nowMs: number): DueRecord | null {
    for (;;) {
      const due = this.#ahead.at(-1);
      if (due === undefined) {
        if (!this.#lookAhead(nowMs)) return null;
      } else if (this.#pending.isFree('entity', due.entityId, nowMs)) return due;
      else this.#ahead.pop();
    }
  }

  #lookAhead(nowMs: number): boolean {
    if (nowMs < this.#nothingDueUntilMs) return false;
    const due = this.#knowledge.recordsDue({
      nowMs,
      beforeMs: dueBeforeMs(this.#age, nowMs),
      startedAtMs: this.#age.startedAtMs,
      most: this.#lookAheadBy,
      except: this.#pending.blocked('entity', nowMs),
      ...(this.#yieldOf && { expectedYield: this.#yieldOf }),
    });
    this.#lookAheadBy = Math.min(2 * this.#lookAheadBy, MOST_AHEAD);
    if (due.length === 0) {
      this.#nothingDueUntilMs =
        this.#pending.earliestRetryMs(new Set(['entity']), nowMs) ?? Number.POSITIVE_INFINITY;
      return false;
    }
    this.#ahead = due.toReversed();
    return true;
  }

  #needsControl(): boolean {
    if (this.#controlInFlight !== null || !this.#mayNeedControl) return false;
    this.#mayNeedControl = this.#knowledge.controlNeeded();
    return this.#mayNeedControl;
  }

  /** One call for an id that cannot exist shows what this upstream answers for unknown ids. */
  #control(): EntityCall | null {
    if (!this.#needsControl()) return null;
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

/**
 * An id in the form of the known ones that almost surely names no company. Each attempt gives another:
 * the extremes of the form first, then texts that only look random.
 */
export function unknownIdLike(knownIds: readonly string[], attempt: number): string | null {
  const known = new Set(knownIds);
  const pattern = knownIds[attempt % Math.max(knownIds.length, 1)];
  if (pattern === undefined) return null;
  for (let variant = attempt; variant < attempt + 50; variant++) {
    const id = disguised(pattern, variant);
    if (id !== pattern && !known.has(id)) return id;
  }
  return null;
}

function disguised(pattern: string, variant: number): string {
  let seed = variant * 7919 + 104_729;
  return pattern.replace(/[0-9A-Za-z]/g, (character) => {
    if (variant === 0) return ofSameClass(character, Number.MAX_SAFE_INTEGER);
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return ofSameClass(character, seed >>> 8);
  });
}

const CLASSES = ['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** The character of the same class at this rank, the last one where the rank is beyond the class. */
function ofSameClass(character: string, rank: number): string {
  const characters = CLASSES.find((one) => one.includes(character)) ?? character;
  return characters.charAt(
    rank === Number.MAX_SAFE_INTEGER ? characters.length - 1 : rank % characters.length,
  );
}
