import type { Call, SearchCall } from '../../call.ts';
import type { Knowledge, LoadResult } from '../../knowledge.ts';
import type { PlanInput, PlannerSettings } from '../../planner.ts';
import type { Candidate, Source } from '../candidate.ts';
import type { Pending } from '../pending.ts';
import { CallValuation } from './call_valuation.ts';
import { Records } from './records.ts';
import { Sweeps } from './sweeps.ts';

interface Parts {
  readonly knowledge: Knowledge;
  readonly valuation: CallValuation;
  readonly sweeps: Sweeps;
}

/** Opens the two sources that keep known companies up to date, and the valuation that compares their calls. */
export function openRefresh(options: {
  readonly knowledge: Knowledge;
  readonly settings: Pick<PlannerSettings, 'startedAtMs' | 'maxAge' | 'focus' | 'kinds'>;
  readonly pending: Pending;
}): {
  readonly valuation: CallValuation;
  readonly records: RecordCalls;
  readonly listings: RepeatedListings;
} {
  const { knowledge, settings, pending } = options;
  const { startedAtMs, maxAge } = settings;
  const valuation = new CallValuation(knowledge, settings.focus);
  const sweeps = new Sweeps({
    ...{ states: settings.kinds.has('search') ? knowledge.queries() : [], pending },
    age: { startedAtMs, maxAgeMs: maxAge.summariesMs },
  });
  const records = new Records({
    ...{ knowledge, pending, age: { startedAtMs, maxAgeMs: maxAge.recordsMs } },
    yieldOf: (record) => valuation.record(record),
  });
  const parts = { knowledge, valuation, sweeps };
  return { valuation, records: new RecordCalls(records, parts), listings: new RepeatedListings(parts) };
}

/** Proposes the best record call. */
export class RecordCalls implements Source {
  readonly #records: Records;
  readonly #parts: Parts;

  constructor(records: Records, parts: Parts) {
    this.#records = records;
    this.#parts = parts;
  }

  get drift(): string | null {
    return this.#records.drift;
  }

  best({ nowMs }: PlanInput): Candidate | null {
    const value = this.#records.bestYield(nowMs);
    return value === 0 ? null : { kind: 'entity', value };
  }

  take({ nowMs }: PlanInput): Call | null {
    setOpenDays(this.#parts, nowMs);
    return this.#records.take(nowMs);
  }

  learn(result: LoadResult): void {
    this.#records.learn(result);
    this.#parts.valuation.countResult();
  }

  release(call: Call): void {
    this.#records.release(call);
  }
}

/**
 * Proposes the best repeated listing. A listing also finds the companies that have joined the registry since it was
 * read. A due listing always has a small value, even if listings show no changes.
 */
export class RepeatedListings implements Source {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  best({ nowMs }: PlanInput): Candidate | null {
    const { sweeps, valuation } = this.#parts;
    const offer = sweeps.offer(nowMs, this.#listingYield);
    if (offer === null) return null;
    const joining = valuation.companies(offer.rows * this.#joinedShare(nowMs));
    const value = offer.rows * valuation.listing(offer.sinceDays) + joining;
    return { kind: 'search', value: Math.max(value, MIN_YIELD) };
  }

  take({ nowMs }: PlanInput): Call | null {
    const { sweeps, valuation } = this.#parts;
    setOpenDays(this.#parts, nowMs);
    const offer = sweeps.offer(nowMs, this.#listingYield);
    if (offer === null) return null;
    const expected = offer.rows * (valuation.flags(offer.sinceDays) + this.#joinedShare(nowMs));
    return sweeps.take(nowMs, this.#listingYield, Math.round(expected * 1000) / 1000);
  }

  /** Returns how many companies have joined the registry since the oldest due listing was read; 0 if none is due. */
  joined(nowMs: number): number {
    const { knowledge, sweeps } = this.#parts;
    const sinceMs = sweeps.oldestDueMs(nowMs);
    const before = sinceMs === null ? null : knowledge.registryCountAt(sinceMs);
    return before === null ? 0 : Math.max(0, (knowledge.latestStats()?.total ?? 0) - before);
  }

  #joinedShare(nowMs: number): number {
    return this.joined(nowMs) / Math.max(1, this.#parts.knowledge.knownCount());
  }

  /** Returns whether the call requests a page of a repeated listing. */
  isSweep({ query }: SearchCall): boolean {
    return this.#parts.sweeps.isSweeping(query);
  }

  learn(result: LoadResult): void {
    this.#parts.sweeps.learn(result);
  }

  release(): void {}

  readonly #listingYield = (sinceDays: number) => this.#parts.valuation.listing(sinceDays);
}

/** Sets the listings' mean age to half the age of the oldest listing. */
function setOpenDays({ valuation, sweeps }: Parts, nowMs: number): void {
  valuation.openDays = (sweeps.oldestDays(nowMs) ?? Number.POSITIVE_INFINITY) / 2;
}

const MIN_YIELD = 1e-9;
