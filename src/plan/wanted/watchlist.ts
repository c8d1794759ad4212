import type { CallKind } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { BackfillKnowledge } from '../../knowledge.ts';
import { folded } from '../../names/folding.ts';
import type { PlannerSettings, Scope } from '../../planner.ts';
import type { Guard } from '../candidate.ts';
import { Pending } from '../pending.ts';
import type { Finding } from './name_findings.ts';
import { restoredHunt, type Wanted, WantedPlanner } from './wanted_planner.ts';

/** A scope other than the whole registry. */
export type Watchlist = Exclude<Scope, { readonly of: 'whole' }>;

interface WatchOptions {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
  readonly watchlist: Watchlist;
}

/**
 * Opens a planner for a watchlist. Names and queries are searched again when their listings exceed the maximum age for
 * summaries. Found companies' records are fetched when they are due. As in a backfill, several names can share a query.
 * For an ambiguous name, no record is fetched, because a person must choose the company.
 */
export function openWatchPlanner({
  settings: { kinds, maxAge, startedAtMs },
  guards,
  ...watch
}: WatchOptions & {
  readonly settings: Pick<PlannerSettings, 'startedAtMs' | 'maxAge' | 'kinds'>;
  readonly guards: readonly Guard[];
}): WantedPlanner {
  const { statsMs } = maxAge;
  const statistics = kinds.has('stats') && statsMs !== null ? { startedAtMs, maxAgeMs: statsMs } : null;
  return new WantedPlanner({ ...watch, wanted: wantedNow({ ...watch, kinds }), statistics, guards });
}

/** Returns what has already been found for each name on a watchlist, without making a call. */
export function findingsOf(
  names: readonly string[],
  knowledge: BackfillKnowledge,
  dialect: Dialect,
): readonly Finding[] {
  const hunt = restoredHunt(knowledge, dialect, names, new Pending([]));
  return names.map((_, at) => hunt.finding(at));
}

/** Returns the items on a watchlist that the permitted kinds of call can fetch or find. */
export function wantedNow({
  knowledge,
  dialect,
  watchlist,
  kinds,
}: WatchOptions & { readonly kinds: ReadonlySet<CallKind> }): Wanted {
  const [searches, fetches] = [kinds.has('search'), kinds.has('entity')];
  const due = (ids: readonly string[]) => (fetches ? ids.filter((id) => !knowledge.isFresh(id)) : []);
  const nothing = { entityIds: [], names: [], listings: [], withRecords: fetches };
  switch (watchlist.of) {
    case 'ids':
      return { ...nothing, entityIds: due(watchlist.ids) };
    case 'names': {
      if (searches) return { ...nothing, names: watchlist.names };
      const found = findingsOf(watchlist.names, knowledge, dialect);
      const ids = found.flatMap((finding) => (finding.is === 'found' ? [finding.company.entityId] : []));
      return { ...nothing, entityIds: due(ids) };
    }
    case 'queries': {
      const queries = watchlist.queries.map((text) => ({ by: 'name' as const, text: folded(text) }));
      if (searches) return { ...nothing, listings: queries.map((query) => ({ query, splits: false })) };
      const listed = queries.flatMap((query) => knowledge.listed(query).map(({ entityId }) => entityId));
      return { ...nothing, entityIds: due([...new Set(listed)]) };
    }
  }
}
