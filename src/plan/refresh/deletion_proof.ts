import type { EntityCall } from '../../call.ts';
import type { Knowledge, LoadResult } from '../../knowledge.ts';
import { isSettled } from '../../load_result.ts';
import { seededRandom } from '../../random.ts';
import type { Pending } from '../pending.ts';

/**
 * Plans control calls: record calls for ids that almost surely do not exist. They show which 404 response the upstream
 * sends for an unknown id. To prove a deletion, other 404 responses are compared with that response.
 */
export class ControlCalls {
  readonly #knowledge: Knowledge;
  #sentCount = 0;
  #inFlight: string | null = null;
  #mayBeNeeded = true;

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
  }

  /** Returns the control call, or null if none is needed or no id is known. */
  next(): EntityCall | null {
    if (this.#inFlight !== null || !this.#mayBeNeeded) return null;
    this.#mayBeNeeded = this.#knowledge.controlNeeded();
    if (!this.#mayBeNeeded) return null;
    const entityId = unknownIdLike(this.#knowledge.sampleIds(SAMPLE_SIZE), this.#sentCount);
    if (entityId === null) return null;
    return { kind: 'entity', entityId, reason: 'control: response for an unknown id', expected: 0 };
  }

  planned({ entityId }: EntityCall): void {
    this.#sentCount++;
    this.#inFlight = entityId;
  }

  learn(call: EntityCall, result: LoadResult): void {
    if (call.entityId === this.#inFlight) this.#inFlight = null;
    if (result.missing) this.#mayBeNeeded = true;
  }

  release(call: EntityCall): void {
    if (call.entityId !== this.#inFlight) return;
    this.#inFlight = null;
    this.#sentCount--;
  }
}

const MISSING_IN_A_ROW = 3;

/**
 * Plans the witnesses: calls for other known companies after known ids returned 404. If a witness returns a record, record
 * calls still work, so the missing companies are deleted. If three known ids in a row and all witnesses return 404, the
 * record URL has probably changed. Witnesses became known at different times, because companies that became known
 * together are often deleted together.
 */
export class Witness {
  readonly #knowledge: Knowledge;
  readonly #pending: Pending;
  /** The known ids that returned 404 since a call last returned a record. */
  #missingIds: string[] = [];
  /** The id of the last company for which this run received a record; null if there is none. */
  #lastFoundId: string | null = null;
  #inFlight: string | null = null;
  /** The number of missing ids when the witness call was planned. It proves nothing about later ones. */
  #missingBefore = 0;
  /** The number of witnesses that returned a result since the first missing id, and when the first one was planned. */
  #askedCount = 0;
  #startMs = 0;

  constructor(knowledge: Knowledge, pending: Pending) {
    this.#knowledge = knowledge;
    this.#pending = pending;
  }

  /**
   * A sentence that explains the drift, if three known ids in a row and all witnesses returned 404; otherwise null.
   * Without the witnesses, the three ids could belong to deleted companies.
   */
  get drift(): string | null {
    if (!this.isNeeded || !this.isAsked || this.#inFlight !== null) return null;
    return `${this.#missingIds.length} known ids in a row returned 404 or another record (${this.#missingIds.join(', ')}). Check whether the path for records has changed.`;
  }

  get isNeeded(): boolean {
    return this.#missingIds.length >= MISSING_IN_A_ROW;
  }

  get hasMissing(): boolean {
    return this.#missingIds.length > 0;
  }

  /** Whether all witness calls have returned, or no other company can serve as witness. */
  get isAsked(): boolean {
    return this.#askedCount >= WITNESSES;
  }

  /** Returns the next witness call, or null if all have returned or one is in flight. */
  next(nowMs: number): EntityCall | null {
    if (this.isAsked || this.#inFlight !== null) return null;
    const sample = this.#knowledge.sampleIds(SAMPLE_SIZE);
    // The sample starts at another id each time, because a witness itself may be deleted.
    if (this.#askedCount === 0) this.#startMs = nowMs;
    const apart = (this.#askedCount * sample.length) / WITNESSES;
    const from = Math.floor(this.#startMs + apart) % Math.max(sample.length, 1);
    const candidates = [this.#lastFoundId, ...sample.slice(from), ...sample.slice(0, from)];
    const entityId = candidates.find(
      (id) => id !== null && !this.#missingIds.includes(id) && this.#pending.isFree('entity', id, nowMs),
    );
    if (entityId == null) {
      this.#askedCount = WITNESSES;
      return null;
    }
    return { kind: 'entity', entityId, reason: 'witness: do record calls still work?', expected: 0 };
  }

  planned({ entityId }: EntityCall): void {
    this.#inFlight = entityId;
    this.#missingBefore = this.#missingIds.length;
  }

  learn(call: EntityCall, result: LoadResult): void {
    const isWitness = call.entityId === this.#inFlight;
    if (isWitness) {
      this.#inFlight = null;
      if (isSettled(result.verdict)) this.#askedCount += 1;
    }
    if (result.missing) this.#missingIds.push(call.entityId);
    if (result.verdict === 'ok') this.#lastFoundId = call.entityId;
    if (result.verdict === 'ok' || result.verdict === 'gone') {
      this.#missingIds = isWitness ? this.#missingIds.slice(this.#missingBefore) : [];
      this.#askedCount = 0;
    }
  }

  release(call: EntityCall): void {
    if (call.entityId === this.#inFlight) this.#inFlight = null;
  }
}

const WITNESSES = 3;
const SAMPLE_SIZE = 20;

/**
 * Returns an id that looks like the known ids but almost surely belongs to no company; null if no id is known. Attempt
 * 0 replaces every character with the last character in its class (`9`, `z`, `Z`). Later attempts use pseudo-random
 * characters.
 */
export function unknownIdLike(knownIds: readonly string[], attempt: number): string | null {
  const known = new Set(knownIds);
  const pattern = knownIds[attempt % Math.max(knownIds.length, 1)];
  if (pattern === undefined) return null;
  for (let variant = attempt; variant < attempt + 50; variant++) {
    const id = variantOf(pattern, variant);
    if (id !== pattern && !known.has(id)) return id;
  }
  return null;
}

/** Replaces every digit and letter in the pattern with a pseudo-random character of the same class. */
function variantOf(pattern: string, variant: number): string {
  const random = seededRandom(variant);
  return pattern.replace(/[0-9A-Za-z]/g, (character) => {
    const characters = CLASSES.find((one) => one.includes(character)) ?? character;
    return characters.charAt(variant === 0 ? characters.length - 1 : random.below(characters.length));
  });
}

const CLASSES = ['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
