import type { CallKind } from '../../../../src/call.ts';
import { FIRST_CLASS } from '../../../../src/change_rate/change_rate.ts';
import { DAY_MS } from '../../../../src/durations.ts';
import type { DueRecord, RecordsDue } from '../../../../src/knowledge.ts';
import { noChange } from '../../../../src/load_result.ts';
import { openSyncPlanner } from '../../../../src/plan/sync_planner.ts';
import { ChangingRegistry } from './changing_registry.ts';
import { RefreshedMirror } from './refreshed_mirror.ts';
import { dialectOf, START_MS } from './simulate.ts';

export interface YearCase {
  /** The number of companies at the start of the year. */
  readonly companies: number;
  readonly shape: number;
  readonly meanDays: number;
  /** The total number of calls for the year. */
  readonly total: number;
  /** The share of companies that join during the year, evenly. */
  readonly growth: number;
  /** The age in days at which a record is due again. */
  readonly maxAgeDays: number;
  readonly callsPerDay: number;
}

/**
 * How the total is spent: `paced` at a price, `fast` as soon as a record is due, or in `equal` shares per day.
 */
export type Spending = 'paced' | 'fast' | 'equal';

export interface YearResult {
  /** The mean share of the registry's records that were right, over the year. */
  readonly right: number;
  readonly calls: number;
  /** The number of calls in the last week. */
  readonly lastWeek: number;
}

/** Simulates a contract year. It begins with an empty mirror, and one run a day fetches records. */
export function simulateYear(one: YearCase, spending: Spending, seed: number): YearResult {
  const all = Math.ceil(one.companies * (1 + one.growth));
  const registry = new ChangingRegistry({ ...one, companies: all, shown: 0 }, seed);
  registry.forget();
  const mirror = new YearMirror(all);
  const joinDays = Array.from({ length: all }, (_, at) =>
    at < one.companies ? 0 : Math.floor(((at - one.companies) / (all - one.companies)) * YEAR_DAYS),
  );
  let [left, lastWeek, joined] = [one.total, 0, 0];
  for (let day = 0; day < YEAR_DAYS; day++) {
    mirror.nowMs = START_MS + day * DAY_MS;
    while (joined < all && (joinDays[joined] as number) <= day) mirror.join(joined++);
    const share = spending === 'equal' ? Math.ceil(left / (YEAR_DAYS - day)) : Number.POSITIVE_INFINITY;
    const most = Math.min(left, one.callsPerDay, share);
    const pace = spending === 'paced' ? { callsLeft: left, daysLeft: YEAR_DAYS - day } : null;
    const made = runDay({ one, registry, mirror, day, most, pace });
    left -= made;
    if (day >= YEAR_DAYS - 7) lastWeek += made;
  }
  const companyDays = joinDays.reduce((sum, day) => sum + YEAR_DAYS - day, 0);
  const right = (registry.currentShare(YEAR_DAYS) * all * YEAR_DAYS) / companyDays;
  return { right, calls: one.total - left, lastWeek };
}

function runDay({
  one,
  registry,
  mirror,
  day,
  most,
  pace,
}: {
  readonly one: YearCase;
  readonly registry: ChangingRegistry;
  readonly mirror: YearMirror;
  readonly day: number;
  readonly most: number;
  readonly pace: { readonly callsLeft: number; readonly daysLeft: number } | null;
}): number {
  const nowMs = START_MS + day * DAY_MS;
  const planner = openSyncPlanner({
    knowledge: mirror,
    dialect: dialectOf(PAGE_SIZE),
    settings: {
      ...{ startedAtMs: nowMs, focus: 'freshness', scope: { of: 'whole' }, pace },
      maxAge: { statsMs: DAY_MS, summariesMs: DAY_MS, recordsMs: one.maxAgeDays * DAY_MS },
      kinds: new Set<CallKind>(['entity']),
    },
  });
  for (let made = 0; ; ) {
    const batch = Math.min(BATCH, most - made);
    const left = { calls: batch, lifetimeLimit: null };
    const { calls } = planner.next({ nowMs, left, most: batch });
    if (calls.length === 0) return made;
    made += calls.length;
    for (const call of calls) {
      if (call.kind !== 'entity') continue;
      const at = Number(call.entityId);
      const isNew = mirror.isUnfetched(at);
      if (isNew) registry.begin(at, day);
      const changed = isNew ? false : registry.fetch(at, day);
      mirror.fetched(at, nowMs, changed);
      planner.learn({ ...noChange({ call, verdict: { is: 'ok' } }), record: { isNew, changed } });
    }
  }
}

/** A mirror that knows every company in the registry, and fetches their records during the year. */
class YearMirror extends RefreshedMirror {
  readonly #companies: number;
  readonly #unfetched = new Set<number>();
  /** The number of companies in the registry, by time. */
  readonly #counts = new Map<number, number>();
  #joined = 0;
  nowMs = START_MS;

  constructor(companies: number) {
    super(companies, PAGE_SIZE, 100);
    this.#companies = companies;
  }

  join(at: number): void {
    this.#joined++;
    this.#counts.set(this.nowMs, this.#joined);
    this.#unfetched.add(at);
  }

  isUnfetched(at: number): boolean {
    return this.#unfetched.has(at);
  }

  override fetched(at: number, atMs: number, changed: boolean): void {
    if (this.#unfetched.delete(at)) this.begin(at, atMs);
    else super.fetched(at, atMs, changed);
  }

  override knownCount(): number {
    return this.#joined;
  }

  override latestStats() {
    return { observedAtMs: this.nowMs, total: this.#joined };
  }

  override rateClasses(): ReadonlyMap<number, number> {
    const counts = new Map(super.rateClasses());
    counts.set(FIRST_CLASS, (counts.get(FIRST_CLASS) ?? 0) - this.#withoutRecord());
    return counts;
  }

  override recordsOlderThan(ages: ReadonlyMap<number, number>, nowMs: number): number {
    const age = ages.get(FIRST_CLASS) ?? Number.POSITIVE_INFINITY;
    // A company without a record has the time 0.
    return super.recordsOlderThan(ages, nowMs) - (Number.isFinite(age) ? this.#withoutRecord() : 0);
  }

  override recordsDue(ask: RecordsDue): DueRecord[] {
    const due = super.recordsDue(ask);
    if (this.#unfetched.size === 0) return due;
    const expectedYield = ask.expectedYield?.({ why: 'never_fetched', rateClass: FIRST_CLASS, ageDays: 0 });
    for (const at of this.#unfetched) {
      const entityId = this.idOf(at);
      if (ask.except.has(entityId)) continue;
      due.push({ entityId, why: 'never_fetched', ...(expectedYield && { expectedYield }) });
      if (due.length >= 2 * ask.most) break;
    }
    return due
      .sort((one, other) => (other.expectedYield?.days ?? 0) - (one.expectedYield?.days ?? 0))
      .slice(0, ask.most);
  }

  override registryCountAt(atMs: number): number | null {
    let count: number | null = null;
    for (const [fromMs, joined] of this.#counts) if (fromMs <= atMs) count = joined;
    return count;
  }

  override queries() {
    return [];
  }

  /** The number of companies that have not joined yet or have no record yet. */
  #withoutRecord(): number {
    return this.#companies - this.#joined + this.#unfetched.size;
  }
}

const YEAR_DAYS = 365;
const PAGE_SIZE = 100;
const BATCH = 64;
