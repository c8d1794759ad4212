import type { Dialect } from '../../dialect/dialect.ts';
import type { BackfillKnowledge } from '../../knowledge.ts';
import { folded } from '../../names/folding.ts';
import type { PlannerSettings, Scope } from '../../planner.ts';
import type { Guard } from '../candidate.ts';
import { Pending } from '../pending.ts';
import { WantedNames } from './wanted_names.ts';
import { type Wanted, WantedPlanner } from './wanted_planner.ts';

/** A scope other than the whole registry. */
export type Watchlist = Exclude<Scope, { readonly of: 'whole' }>;

/**
 * Opens a planner for a watchlist. Names and queries are searched again when their listings exceed the maximum age for
 * summaries. Found companies' records are fetched when they are due. As in a backfill, several names can share a query.
 * For an ambiguous name, no record is fetched, because a person must choose the company.
 */
export function openWatchPlanner(options: {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
  readonly watchlist: Watchlist;
  readonly settings: Pick<PlannerSettings, 'startedAtMs' | 'maxAge'>;
  readonly guards: readonly Guard[];
}): WantedPlanner {
  const { knowledge, dialect, watchlist, settings, guards } = options;
  const { startedAtMs, maxAge } = settings;
  return new WantedPlanner({
    ...{ knowledge, dialect, guards, wanted: wantedNow(watchlist, knowledge) },
    statistics: maxAge.statsMs === null ? null : { startedAtMs, maxAgeMs: maxAge.statsMs },
  });
}

/** Opens the search for names without sending anything. */
export function openNames(
  names: readonly string[],
  knowledge: BackfillKnowledge,
  dialect: Dialect,
): WantedNames {
  const states = [...knowledge.freshQueries()];
  return new WantedNames(names, { knowledge, dialect, states, pending: new Pending([]), onFound: () => {} });
}

/** Returns the items on a watchlist, without fresh records. */
export function wantedNow(watchlist: Watchlist, knowledge: Pick<BackfillKnowledge, 'isFresh'>): Wanted {
  const nothing = { entityIds: [], names: [], listings: [], withRecords: true };
  switch (watchlist.of) {
    case 'ids':
      return { ...nothing, entityIds: watchlist.ids.filter((id) => !knowledge.isFresh(id)) };
    case 'names':
      return { ...nothing, names: watchlist.names };
    case 'queries': {
      const queries = watchlist.queries.map((text) => ({ by: 'name' as const, text: folded(text) }));
      return { ...nothing, listings: queries.map((query) => ({ query, splits: false })) };
    }
  }
}
