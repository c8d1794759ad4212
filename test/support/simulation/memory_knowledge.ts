import { type Call, queryKey, type SearchCall, type SearchQuery } from '../../../src/call.ts';
import { type EstimateState, FIRST_ESTIMATES } from '../../../src/change_rate/change_estimates.ts';
import { FIRST_CLASS } from '../../../src/change_rate/change_rate.ts';
import type {
  DueRecord,
  Failure,
  Knowledge,
  LoadResult,
  MadeSearch,
  QueryState,
  RatedRecord,
  RecordsDue,
} from '../../../src/knowledge.ts';
import { noChange } from '../../../src/load_result.ts';
import type { WordsInOrder } from '../../../src/names/ordered_texts.ts';
import { SortedTexts, type TextsInOrder } from '../../../src/names/ordered_texts.ts';
import { comparedText } from '../../../src/names/query_matching.ts';
import type { Page, Registry } from './registry.ts';

interface Known {
  readonly entityId: string;
  name: string | null;
  listedAtMs: number | null;
  fetchedAtMs: number | null;
  flagged: boolean;
}

/**
 * Takes the place of the warehouse for the planner, and keeps everything in memory. Loading a response changes it as it
 * would change a warehouse.
 */
export class MemoryMirror implements Knowledge {
  readonly companies = new Map<string, Known>();
  readonly queryStates = new Map<string, QueryState>();
  /** The pages received for each query's current listing. A page can arrive before earlier ones. */
  readonly #pages = new Map<string, Map<number, Page>>();
  /** Ordered strings, which are created when first used. */
  readonly #texts = new Map<SearchQuery['by'], SortedTexts>();
  stats: { observedAtMs: number; total: number | null } | null = null;
  readonly #counts: { readonly observedAtMs: number; readonly total: number | null }[] = [];
  statsCalls = 0;
  needsControl = false;
  /** Every search except repeated listings, most recent search last. */
  #searches: MadeSearch[] = [];
  /** The simulated time, which only the simulation sets. */
  nowMs: number;

  constructor(nowMs = 0) {
    this.nowMs = nowMs;
  }

  knownCount(): number {
    return this.companies.size;
  }

  existingCount(): number {
    return this.companies.size;
  }

  hasSeveralRows(): boolean {
    return false;
  }

  listedSince(atMs: number): number {
    return [...this.companies.values()].filter(({ listedAtMs }) => (listedAtMs ?? -1) >= atMs).length;
  }

  latestStats(): { readonly observedAtMs: number; readonly total: number | null } | null {
    return this.stats;
  }

  registryCountAt(atMs: number): number | null {
    const counted = this.#counts.filter(({ total }) => total !== null);
    return (counted.findLast(({ observedAtMs }) => observedAtMs <= atMs) ?? counted[0])?.total ?? null;
  }

  statsCallsMade(): number {
    return this.statsCalls;
  }

  latestSearches(): Iterable<MadeSearch> {
    return this.#searches.toReversed();
  }

  queries(): Iterable<QueryState> {
    return this.queryStates.values();
  }

  knownCompanies(): Iterable<{ readonly entityId: string; readonly name: string | null }> {
    return this.companies.values();
  }

  sampleIds(most: number): string[] {
    const ids = [...this.companies.keys()];
    const step = Math.max(1, Math.ceil(ids.length / most));
    return ids.filter((_, at) => at % step === 0);
  }

  textsInOrder(by: SearchQuery['by']): TextsInOrder {
    const held = this.#texts.get(by);
    if (held !== undefined) return held;
    const texts = new SortedTexts([...this.companies.values()].map((one) => comparedText(one, by)));
    this.#texts.set(by, texts);
    return texts;
  }

  wordsInOrder(): WordsInOrder | null {
    return null;
  }

  recordsDue(ask: RecordsDue): DueRecord[] {
    const due: DueRecord[] = [];
    const { expectedYield } = ask;
    for (const one of this.companies.values()) {
      if (due.length >= ask.most && expectedYield === undefined) break;
      if (ask.except.has(one.entityId)) continue;
      const why = whyDue(one, ask);
      const ageDays = (ask.nowMs - (one.fetchedAtMs ?? ask.nowMs)) / DAY_MS;
      const rated = { why: why ?? 'stale', rateClass: FIRST_CLASS, ageDays };
      if (why !== null)
        due.push({
          entityId: one.entityId,
          why,
          ...(expectedYield && { expectedYield: expectedYield(rated) }),
        });
    }
    return due.sort((a, b) => (b.expectedYield?.days ?? 0) - (a.expectedYield?.days ?? 0)).slice(0, ask.most);
  }

  changeEstimates(): EstimateState {
    return FIRST_ESTIMATES;
  }

  recordsOlderThan(): number {
    return 0;
  }

  rateClasses(): ReadonlyMap<number, number> {
    return new Map();
  }

  failures(): Iterable<Failure> {
    return [];
  }

  controlNeeded(): boolean {
    return this.needsControl;
  }

  /** Adds a known company. */
  add({ id, name }: { readonly id: string; readonly name: string | null }): void {
    const one: Known = { entityId: id, name, listedAtMs: null, fetchedAtMs: null, flagged: false };
    this.companies.set(id, one);
    for (const [by, texts] of this.#texts) texts.add(comparedText(one, by));
  }

  /** Loads a search page. */
  loadSearch(call: SearchCall, page: Page, nowMs: number): LoadResult {
    const rows = page.rows.map((row) => {
      const known = this.companies.get(row.id);
      if (known === undefined) this.add(row);
      const listedAtMs = known?.listedAtMs ?? null;
      Object.assign(this.companies.get(row.id) as Known, { listedAtMs: nowMs });
      const changed = known !== undefined && known.name !== row.name;
      if (known !== undefined && changed) Object.assign(known, { name: row.name, flagged: true });
      return { entityId: row.id, name: row.name, isNew: known === undefined, changed, listedAtMs };
    });
    const query = this.#listed(call, page, nowMs);
    const found = rows.filter(({ isNew }) => isNew).length;
    const callId = this.#searches.length + 1;
    if (!call.reason.startsWith('summaries are due'))
      this.#searches.push({ ...call, found, callId, sentAfter: callId - 1, isSinceCount: true });
    return { ...emptyResult(call), verdict: page.refused ? 'refused' : 'ok', rows, query };
  }

  loadStats(call: Call, total: number | null, nowMs: number): LoadResult {
    if (total !== this.stats?.total)
      this.#searches = this.#searches.map((search) => ({ ...search, isSinceCount: false }));
    this.stats = { observedAtMs: nowMs, total };
    this.#counts.push(this.stats);
    this.statsCalls++;
    return emptyResult(call);
  }

  loadRecord(call: Extract<Call, { kind: 'entity' }>, nowMs: number): LoadResult {
    if (!this.companies.has(call.entityId)) this.add({ id: call.entityId, name: null });
    const known = this.companies.get(call.entityId) as Known;
    const isNew = known.fetchedAtMs === null;
    Object.assign(known, { fetchedAtMs: nowMs, flagged: false });
    return { ...emptyResult(call), record: { isNew, changed: isNew } };
  }

  #listed(call: SearchCall, page: Page, nowMs: number): QueryState {
    const key = queryKey(call.query);
    const before = call.page.index === 0 ? undefined : this.queryStates.get(key);
    const received = call.page.index === 0 ? new Map<number, Page>() : (this.#pages.get(key) ?? new Map());
    this.#pages.set(key, received.set(call.page.index, page));
    let pages = 0;
    let rows = 0;
    for (let next = received.get(0); next !== undefined; next = received.get(pages)) {
      rows += next.rows.length;
      pages++;
    }
    const last = received.get(pages - 1);
    const status = page.refused ? 'refused' : last === undefined ? 'open' : statusOf(last, rows);
    const listedAtMs = before?.listedAtMs ?? nowMs;
    const state: QueryState = {
      query: call.query,
      total: page.total,
      pages,
      rows,
      next: null,
      status,
      listedAtMs,
    };
    this.queryStates.set(key, state);
    return state;
  }
}

/** Makes a call to the simulated registry and loads the response. */
export function answer(mirror: MemoryMirror, registry: Registry, call: Call, nowMs: number): LoadResult {
  switch (call.kind) {
    case 'stats':
      return mirror.loadStats(call, registry.size, nowMs);
    case 'entity':
      return mirror.loadRecord(call, nowMs);
    case 'search':
      return mirror.loadSearch(call, registry.search(call.query, call.page.index), nowMs);
  }
}

function statusOf(page: Page, rows: number): QueryState['status'] {
  if (page.more) return 'open';
  if (page.total !== null && !page.clamped) return rows < page.total ? 'capped' : 'complete';
  return page.cut ? 'capped' : 'complete';
}

function whyDue(
  { fetchedAtMs, flagged }: Known,
  { startedAtMs, beforeMs }: RecordsDue,
): RatedRecord['why'] | null {
  if (fetchedAtMs === null) return 'never_fetched';
  if (flagged) return fetchedAtMs < startedAtMs ? 'flagged' : null;
  return fetchedAtMs < beforeMs ? 'stale' : null;
}

function emptyResult(call: Call): LoadResult {
  return noChange({ call, verdict: { is: 'ok' } });
}

const DAY_MS = 86_400_000;
