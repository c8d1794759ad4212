import type { Call, CallKind } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { BackfillKnowledge } from '../../knowledge.ts';
import { folded } from '../../names/folding.ts';
import type { Plan, PlanInput, Planner, PlannerSettings, Scope } from '../../planner.ts';
import { Pending } from '../pending.ts';
import { statisticsDue } from '../statistics.ts';
import { BackfillPlanner, restoredHunt, type Wanted } from './backfill_planner.ts';
import type { Finding } from './name_findings.ts';

/** A scope other than the whole registry. */
export type Watchlist = Exclude<Scope, { readonly of: 'whole' }>;

export interface WatchOptions {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
  readonly watchlist: Watchlist;
  readonly settings: Pick<PlannerSettings, 'startedAtMs' | 'maxAge' | 'kinds'>;
}

/**
 * Opens a planner for a watchlist. Names and queries are searched again when their listings exceed the maximum age for
 * summaries. Found companies' records are fetched when they are due. As in a backfill, several names can share a query.
 * For an ambiguous name, no record is fetched, because a person must choose the company.
 */
export function openWatchPlanner({ knowledge, dialect, watchlist, settings }: WatchOptions): Planner {
  const { kinds, maxAge, startedAtMs } = settings;
  const pending = new Pending(knowledge.failures());
  const wanted = wantedNow({ knowledge, dialect, watchlist, kinds });
  const backfill = new BackfillPlanner({ knowledge: withoutSize(knowledge, kinds), dialect, wanted });

  const statistics = ({ nowMs, left, most }: PlanInput): Call | null => {
    if (!kinds.has('stats') || most < 1 || !pending.isFree('stats', '', nowMs)) return null;
    return statisticsDue({ knowledge, nowMs, left, age: { startedAtMs, maxAgeMs: maxAge.statsMs } });
  };

  return {
    next: (ask): Plan => {
      const call = statistics(ask);
      if (call !== null) {
        pending.sent(call);
        return { calls: [call], wakeAtMs: null, drift: null };
      }
      return backfill.next(ask);
    },
    learn: (result) => {
      if (result.call.kind === 'stats') {
        pending.landed(result.call);
        if (result.failure === null) pending.recovered(result.call);
        else pending.wait(result.failure);
      }
      backfill.learn(result);
    },
    release: (call) => {
      if (call.kind === 'stats') pending.landed(call);
      backfill.release(call);
    },
  };
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
}: Omit<WatchOptions, 'settings'> & { readonly kinds: ReadonlySet<CallKind> }): Wanted {
  const [searches, fetches] = [kinds.has('search'), kinds.has('entity')];
  const due = (ids: readonly string[]) => (fetches ? ids.filter((id) => !knowledge.isFresh(id)) : []);
  const nothing = { entityIds: [], names: [], listings: [], withRecords: fetches };
  switch (watchlist.of) {
    case 'ids':
      return { ...nothing, entityIds: due(watchlist.ids) };
    case 'names':
      if (searches) return { ...nothing, names: watchlist.names };
      return { ...nothing, entityIds: due(foundIds(findingsOf(watchlist.names, knowledge, dialect))) };
    case 'queries': {
      const queries = watchlist.queries.map((text) => ({ by: 'name' as const, text: folded(text) }));
      if (searches) return { ...nothing, listings: queries.map((query) => ({ query, splits: false })) };
      const listed = queries.flatMap((query) => knowledge.listed(query).map(({ entityId }) => entityId));
      return { ...nothing, entityIds: due([...new Set(listed)]) };
    }
  }
}

function foundIds(findings: readonly Finding[]): string[] {
  return findings.flatMap((finding) => (finding.is === 'found' ? [finding.company.entityId] : []));
}

/** Prevents the planner from requesting an unknown registry count if statistics calls are not permitted. */
function withoutSize(knowledge: BackfillKnowledge, kinds: ReadonlySet<CallKind>): BackfillKnowledge {
  if (kinds.has('stats')) return knowledge;
  return { ...knowledge, latestStats: () => knowledge.latestStats() ?? { observedAtMs: 0, total: null } };
}
