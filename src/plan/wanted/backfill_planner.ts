import type { Call, CallKind, SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { BackfillKnowledge, DueRecord, ListedCompany, LoadResult, RecordsDue } from '../../knowledge.ts';
import { isSettled } from '../../load_result.ts';
import { windowOf } from '../../names/query_matching.ts';
import type { Plan, PlanInput, Planner } from '../../planner.ts';
import { Pending } from '../pending.ts';
import { Records } from '../refresh/records.ts';
import { statisticsDue } from '../statistics.ts';
import type { Finding } from './name_findings.ts';
import { NameHunt } from './name_hunt.ts';
import type { NameQueryRules } from './name_queries.ts';
import { ScopedListing, type WantedListing } from './scoped_listing.ts';

/** The items in a backfill or watchlist. */
export interface Wanted {
  readonly entityIds: readonly string[];
  readonly names: readonly string[];
  readonly listings: readonly WantedListing[];
  /** Whether to fetch the records of companies that a search finds. */
  readonly withRecords: boolean;
}

const SEARCHES: ReadonlySet<CallKind> = new Set<CallKind>(['search', 'entity']);

/**
 * Plans only the calls for the wanted items: records by id, searches for names, and listings of queries and prefixes.
 */
export class BackfillPlanner implements Planner {
  readonly #knowledge: BackfillKnowledge;
  readonly #wanted: Wanted;
  readonly #pending: Pending;
  readonly #records: Records;
  readonly #hunt: NameHunt;
  readonly #listings: readonly ScopedListing[];
  /** The ids of the wanted records that have not been fetched yet, in order. */
  readonly #queue: Set<string>;
  readonly #openNames: Set<number>;
  /** Whether the planner needs the registry count to decide if several names can share a search. */
  readonly #needsStatistics: boolean;

  constructor(options: { knowledge: BackfillKnowledge; dialect: Dialect; wanted: Wanted }) {
    const { knowledge, dialect, wanted } = options;
    const pending = new Pending(knowledge.failures());
    const { semantics } = searchRules(dialect);
    this.#knowledge = knowledge;
    this.#wanted = wanted;
    this.#pending = pending;
    this.#queue = new Set(wanted.entityIds);
    this.#records = new Records({
      ...{ knowledge: { ...knowledge, recordsDue: (ask) => this.#due(ask) }, age: ANY_AGE, pending },
    });
    this.#hunt = restoredHunt(knowledge, dialect, wanted.names, pending);
    this.#listings = wanted.listings.map((one) => new ScopedListing(one, { knowledge, dialect, pending }));
    this.#openNames = new Set(wanted.names.keys());
    this.#needsStatistics = wanted.names.length > 1 && semantics !== null && dialect.stats.total !== null;
    this.#restoreListings();
    this.#wantFound(wanted.names.keys());
  }

  next({ nowMs, left, most, blocked }: PlanInput): Plan {
    const maxCalls = Math.min(most, left.calls);
    const calls: Call[] = [];
    if (
      this.#needsStatistics &&
      this.#knowledge.latestStats() === null &&
      this.#pending.isFree('stats', '', nowMs)
    ) {
      const call = statisticsDue({ knowledge: this.#knowledge, nowMs, left, age: ANY_AGE });
      if (call !== null && maxCalls > 0) {
        this.#pending.sent(call);
        return { calls: [call], wakeAtMs: null, drift: null };
      }
    }
    if (!blocked?.has('search')) {
      calls.push(...this.#hunt.next(nowMs, maxCalls));
      for (const listing of this.#listings) calls.push(...listing.next(nowMs, maxCalls - calls.length));
    }
    if (!blocked?.has('entity')) calls.push(...this.#records.next(nowMs, maxCalls - calls.length));
    const wakeAtMs = calls.length > 0 ? null : this.#pending.earliestRetryMs(SEARCHES, nowMs);
    return { calls, wakeAtMs, drift: this.#records.drift };
  }

  learn(result: LoadResult): void {
    const { call, failure } = result;
    this.#pending.landed(call);
    if (failure === null) this.#pending.recovered(call);
    else this.#pending.wait(failure);
    this.#records.learn(result);
    if (call.kind === 'entity') {
      if (isSettled(result.verdict)) this.#queue.delete(call.entityId);
    } else if (call.kind === 'search') this.#learnSearch(call.query, result);
    else this.#learnSize();
  }

  release(call: Call): void {
    this.#pending.landed(call);
    this.#records.release(call);
    if (call.kind === 'search')
      for (const listing of this.#including(call.query)) listing.reconsider(call.query);
  }

  /** Returns what was found for the wanted name with this index. */
  finding(at: number): Finding {
    return this.#hunt.finding(at);
  }

  /** Returns the state of the wanted listing with this index. */
  listing(at: number): { readonly isDone: boolean; readonly found: number; readonly total: number | null } {
    return this.#listings[at] ?? { isDone: true, found: 0, total: null };
  }

  #learnSize(): void {
    const total = this.#knowledge.latestStats()?.total ?? null;
    if (total !== null) this.#hunt.setRegistryTotal(total);
  }

  #learnSearch(query: SearchQuery, result: LoadResult): void {
    for (const { entityId, name, isNew, changed } of result.rows)
      if (name !== null && (isNew || changed)) this.#hunt.see(entityId, name);
    if (result.verdict === 'refused' || (result.failure?.tries ?? 0) >= MAX_TRIES) {
      if (query.by === 'name') this.#hunt.giveUp(query.text);
      for (const listing of this.#including(query)) listing.giveUp(query);
    } else if (result.query !== null) {
      if (query.by === 'name') this.#hunt.learn(result.query, namesOf(result.rows));
      for (const listing of this.#including(query)) {
        listing.learn(result.query, result.rows);
        for (const { entityId } of result.rows) this.#wantRecord(entityId);
      }
    } else for (const listing of this.#including(query)) listing.reconsider(query);
    if (query.by === 'name') this.#wantFound(this.#hunt.namesFoundBy(query.text));
  }

  #wantFound(names: Iterable<number>): void {
    for (const at of names) {
      if (!this.#openNames.has(at)) continue;
      const finding = this.#hunt.finding(at);
      if (finding.is === 'open') continue;
      this.#openNames.delete(at);
      if (finding.is === 'found') this.#wantRecord(finding.company.entityId);
    }
  }

  #wantRecord(entityId: string): void {
    if (!this.#wanted.withRecords || this.#knowledge.isFresh(entityId)) return;
    this.#queue.add(entityId);
    this.#records.lookAgain();
  }

  #due({ most, except }: RecordsDue): DueRecord[] {
    const due: DueRecord[] = [];
    for (const entityId of this.#queue) {
      if (due.length >= most) break;
      if (!except.has(entityId)) due.push({ entityId, why: 'wanted' });
    }
    return due;
  }

  #including(query: SearchQuery): ScopedListing[] {
    return this.#listings.filter((listing) => listing.includes(query));
  }

  /** Restores the listings from stored responses. */
  #restoreListings(): void {
    if (this.#listings.length === 0) return;
    const states = [...this.#knowledge.freshQueries()];
    for (const listing of this.#listings) {
      const own = states.filter(({ query }) => listing.includes(query));
      listing.restore(own, (query) => {
        const rows = this.#knowledge.listed(query);
        for (const { entityId } of rows) this.#wantRecord(entityId);
        return rows;
      });
    }
  }
}

/** Opens a name hunt, and adds all known companies and stored responses to it. */
export function restoredHunt(
  knowledge: BackfillKnowledge,
  dialect: Dialect,
  names: readonly string[],
  pending: Pending,
): NameHunt {
  const hunt = new NameHunt(names, searchRules(dialect), pending);
  if (names.length === 0) return hunt;
  for (const { entityId, name } of knowledge.knownCompanies()) if (name !== null) hunt.see(entityId, name);
  for (const state of knowledge.freshQueries()) {
    const { by, text } = state.query;
    if (by !== 'name') continue;
    const needsOrder = hunt.isWholeName(text) && state.status !== 'complete';
    hunt.restore(state, needsOrder ? namesOf(knowledge.listed(state.query)) : []);
  }
  hunt.start();
  const total = knowledge.latestStats()?.total ?? null;
  if (total !== null) hunt.setRegistryTotal(total);
  return hunt;
}

/** Returns the known rules for name searches. `semantics` is null if the query rule is unknown. */
export function searchRules(dialect: Dialect): NameQueryRules {
  const { search } = dialect;
  return {
    semantics: search.matches === 'unknown' ? null : search.matches,
    minLength: search.min_length,
    pageSize: search.paging.size,
    window: windowOf(dialect),
  };
}

function namesOf(rows: readonly Pick<ListedCompany, 'name'>[]): string[] {
  return rows.map(({ name }) => name ?? '');
}

const ANY_AGE = { startedAtMs: Number.POSITIVE_INFINITY, maxAgeMs: Number.POSITIVE_INFINITY };
const MAX_TRIES = 3;
