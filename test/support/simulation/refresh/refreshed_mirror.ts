import type { SearchQuery } from '../../../../src/call.ts';
import {
  type EstimateState,
  Estimates,
  FIRST_ESTIMATES,
  type Watched,
} from '../../../../src/change_rate/change_estimates.ts';
import { FASTEST_CLASS, FIRST_CLASS, SLOWEST_CLASS } from '../../../../src/change_rate/change_rate.ts';
import type {
  DueRecord,
  ExpectedYield,
  Failure,
  Knowledge,
  KnownCompany,
  MadeSearch,
  QueryState,
  RatedRecord,
  RecordsDue,
} from '../../../../src/knowledge.ts';
import { SortedTexts, type TextsInOrder } from '../../../../src/names/ordered_texts.ts';
import { AgeHeap } from './class_queues.ts';

/** Takes the place of a warehouse in which all companies are known and fetched, and keeps everything in memory. */
export class RefreshedMirror implements Knowledge {
  readonly #estimates = new Estimates(FIRST_ESTIMATES);
  readonly #ids: readonly string[];
  readonly #fetchedAtMs: Float64Array;
  readonly #listedAtMs: Float64Array;
  readonly #isFlagged: Uint8Array;
  readonly #classes: Int8Array;
  readonly #changes: Int32Array;
  readonly #changingDays: Float64Array;
  readonly #steadyDays: Float64Array;
  readonly #heaps: readonly AgeHeap[];
  readonly #flagged: readonly Set<number>[];
  readonly #queries: readonly QueryState[];

  constructor(companies: number, pageSize: number, companiesPerQuery: number) {
    const digits = String(companies - 1).length;
    this.#ids = Array.from({ length: companies }, (_, at) => String(at).padStart(digits, '0'));
    this.#fetchedAtMs = new Float64Array(companies);
    this.#listedAtMs = new Float64Array(companies);
    this.#isFlagged = new Uint8Array(companies);
    this.#classes = new Int8Array(companies).fill(FIRST_CLASS);
    this.#changes = new Int32Array(companies);
    this.#changingDays = new Float64Array(companies);
    this.#steadyDays = new Float64Array(companies);
    const classes = FASTEST_CLASS - SLOWEST_CLASS + 1;
    this.#heaps = Array.from({ length: classes }, () => new AgeHeap());
    this.#flagged = Array.from({ length: classes }, () => new Set<number>());
    this.#queries = this.#listings(companiesPerQuery, pageSize, digits);
  }

  get estimates(): EstimateState {
    return this.#estimates.state;
  }

  /** Records a company's first fetch and first listing. */
  begin(at: number, atMs: number): void {
    this.#fetchedAtMs[at] = atMs;
    this.#listedAtMs[at] = atMs;
    this.#heapOf(FIRST_CLASS).push(at, atMs);
  }

  fetched(at: number, atMs: number, changed: boolean): void {
    const { evidence, rateClass } = this.#estimates.fetched(this.#watched(at), atMs, changed);
    this.#unflag(at);
    this.#setEvidence(at, evidence);
    this.#fetchedAtMs[at] = atMs;
    this.#classes[at] = rateClass;
    this.#heapOf(rateClass).push(at, atMs);
    if (this.#estimates.isFitDue) this.#fit();
  }

  /** Records a repeated listing, and returns the time of the previous one. */
  listed(at: number, atMs: number, changed: boolean): number {
    const { evidence, rateClass } = this.#estimates.listed(this.#watched(at), atMs, changed);
    const before = this.#listedAtMs[at] as number;
    this.#listedAtMs[at] = atMs;
    const isMoved = this.#classes[at] !== rateClass;
    if (changed) this.#setEvidence(at, evidence);
    if (changed || (isMoved && this.#isFlagged[at] === 1)) {
      this.#unflag(at);
      this.#classes[at] = rateClass;
      this.#isFlagged[at] = 1;
      this.#flaggedOf(rateClass).add(at);
    } else if (isMoved) {
      this.#classes[at] = rateClass;
      this.#heapOf(rateClass).push(at, this.#fetchedAtMs[at] as number);
    }
    return before;
  }

  recordsDue(ask: RecordsDue): DueRecord[] {
    const yieldOf =
      ask.expectedYield ?? ((record: RatedRecord): ExpectedYield => ({ days: record.ageDays, repairs: 1 }));
    const found = this.#dueFlagged(ask, yieldOf);
    const popped: number[] = [];
    for (;;) {
      const best = this.#bestStale(
        ask,
        yieldOf,
        found.length >= ask.most ? (found[ask.most - 1]?.expectedYield?.days ?? 0) : 0,
      );
      if (best === null || popped.length >= ask.most) break;
      this.#heapOf(best.rateClass).pop();
      popped.push(best.company);
      const entityId = this.#ids[best.company] as string;
      if (!ask.except.has(entityId))
        found.push({ entityId, why: 'stale', expectedYield: best.expectedYield });
    }
    for (const at of popped)
      this.#heapOf(this.#classes[at] as number).push(at, this.#fetchedAtMs[at] as number);
    return found
      .sort((a, b) => (b.expectedYield?.days ?? 0) - (a.expectedYield?.days ?? 0))
      .slice(0, ask.most);
  }

  changeEstimates(): EstimateState {
    return this.#estimates.state;
  }

  rateClasses(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (let at = 0; at < this.#classes.length; at++) {
      const rateClass = this.#classes[at] as number;
      if (this.#isFlagged[at] === 0) counts.set(rateClass, (counts.get(rateClass) ?? 0) + 1);
    }
    return counts;
  }

  recordsOlderThan(ages: ReadonlyMap<number, number>, nowMs: number): number {
    let count = 0;
    for (let at = 0; at < this.#classes.length; at++) {
      if (this.#isFlagged[at] === 1) continue;
      const age = ages.get(this.#classes[at] as number) ?? Number.POSITIVE_INFINITY;
      if ((nowMs - (this.#fetchedAtMs[at] as number)) / DAY_MS >= age) count++;
    }
    return count;
  }

  knownCount(): number {
    return this.#ids.length;
  }

  existingCount(): number {
    return this.#ids.length;
  }

  hasSeveralRows(): boolean {
    return false;
  }

  listedSince(): number {
    return this.#ids.length;
  }

  latestStats() {
    return { observedAtMs: 0, total: this.#ids.length };
  }

  latestSearches(): Iterable<MadeSearch> {
    return [];
  }

  registryCountAt(_atMs: number): number | null {
    return null;
  }

  statsCallsMade(): number {
    return 1;
  }

  queries(): Iterable<QueryState> {
    return this.#queries;
  }

  /** Names are not used, because every query searches for ids. */
  knownCompanies(): Iterable<KnownCompany> {
    return this.#ids.map((entityId) => ({ entityId, name: null }));
  }

  sampleIds(most: number): string[] {
    return this.#ids.slice(0, most);
  }

  wordsInOrder(): null {
    return null;
  }

  textsInOrder(by: SearchQuery['by']): TextsInOrder {
    return new SortedTexts(by === 'name' ? [] : this.#ids);
  }

  failures(): Iterable<Failure> {
    return [];
  }

  controlNeeded(): boolean {
    return false;
  }

  /** Returns the companies that match a query, in the registry's order. */
  members({ text }: SearchQuery): number[] {
    const width = (this.#ids[0] as string).length - text.length;
    const from = Number(text === '' ? 0 : text) * 10 ** width;
    const until = Math.min(from + 10 ** width, this.#ids.length);
    return Array.from({ length: Math.max(until - from, 0) }, (_, at) => from + at);
  }

  idOf(at: number): string {
    return this.#ids[at] as string;
  }

  #dueFlagged(ask: RecordsDue, yieldOf: (record: RatedRecord) => ExpectedYield): DueRecord[] {
    const found: DueRecord[] = [];
    for (let rateClass = SLOWEST_CLASS; rateClass <= FASTEST_CLASS && found.length < ask.most; rateClass++) {
      const waiting = this.#flaggedOf(rateClass);
      if (waiting.size === 0) continue;
      const days = yieldOf({ why: 'flagged', rateClass, ageDays: 0 });
      for (const at of waiting) {
        const entityId = this.#ids[at] as string;
        if (ask.except.has(entityId)) continue;
        found.push({ entityId, why: 'flagged', expectedYield: days });
        if (found.length >= ask.most) break;
      }
    }
    return found;
  }

  #bestStale(ask: RecordsDue, yieldOf: (record: RatedRecord) => ExpectedYield, above: number) {
    let best: { company: number; rateClass: number; expectedYield: ExpectedYield } | null = null;
    for (let rateClass = SLOWEST_CLASS; rateClass <= FASTEST_CLASS; rateClass++) {
      const company = this.#oldest(rateClass);
      if (company === null) continue;
      const ageDays = (ask.nowMs - (this.#fetchedAtMs[company] as number)) / DAY_MS;
      if ((this.#fetchedAtMs[company] as number) >= ask.beforeMs) continue;
      const found = yieldOf({ why: 'stale', rateClass, ageDays });
      if (found.days > Math.max(best?.expectedYield.days ?? 0, above))
        best = { company, rateClass, expectedYield: found };
    }
    return best;
  }

  #oldest(rateClass: number): number | null {
    const heap = this.#heapOf(rateClass);
    for (;;) {
      const head = heap.peek();
      if (head === null) return null;
      const { company, time } = head;
      const isCurrent = this.#classes[company] === rateClass && this.#fetchedAtMs[company] === time;
      if (isCurrent && this.#isFlagged[company] === 0) return company;
      heap.pop();
    }
  }

  #unflag(at: number): void {
    if (this.#isFlagged[at] === 1) this.#flaggedOf(this.#classes[at] as number).delete(at);
    this.#isFlagged[at] = 0;
  }

  #setEvidence(at: number, { changes, changingDays, steadyDays }: Watched['evidence']): void {
    this.#changes[at] = changes;
    this.#changingDays[at] = changingDays;
    this.#steadyDays[at] = steadyDays;
  }

  #fit(): void {
    const step = Math.max(this.#ids.length / SAMPLE, 1);
    const offset = this.#estimates.state.lessons % Math.ceil(step);
    const sample = Array.from({ length: SAMPLE }, (_, at) => Math.floor(offset + at * step));
    this.#estimates.fit(sample.filter((at) => at < this.#ids.length).map((at) => this.#watched(at)));
  }

  #watched(at: number): Watched {
    return {
      evidence: {
        changes: this.#changes[at] as number,
        changingDays: this.#changingDays[at] as number,
        steadyDays: this.#steadyDays[at] as number,
      },
      rateClass: this.#classes[at] as number,
      fetchedAtMs: this.#fetchedAtMs[at] as number,
      listedAtMs: this.#listedAtMs[at] as number,
      isFlagged: this.#isFlagged[at] === 1,
    };
  }

  #heapOf(rateClass: number): AgeHeap {
    return this.#heaps[rateClass - SLOWEST_CLASS] as AgeHeap;
  }

  #flaggedOf(rateClass: number): Set<number> {
    return this.#flagged[rateClass - SLOWEST_CLASS] as Set<number>;
  }

  #listings(perQuery: number, pageSize: number, digits: number): QueryState[] {
    const width = Math.round(Math.log10(perQuery));
    return Array.from({ length: Math.ceil(this.#ids.length / perQuery) }, (_, at) => ({
      query: { by: 'identifier', text: String(at).padStart(digits - width, '0') },
      total: perQuery,
      pages: Math.ceil(perQuery / pageSize),
      rows: perQuery,
      next: null,
      status: 'complete',
      listedAtMs: 0,
    }));
  }
}

const SAMPLE = 1500;
const DAY_MS = 86_400_000;
