import { endpointsOf, type UpstreamAddress } from '../../dialect/request.ts';
import type { Addresses, Conclusions, ProbeInput } from '../conclusions.ts';
import { type Exchange, type Finding, likely, open, type ProbeRequest, sure } from '../evidence.ts';

/**
 * Returns the possible combinations of the base URL and the paths. The documented combination comes first. If all paths
 * are configured, it is the only one.
 */
export function joinsOf(upstream: UpstreamAddress): Addresses[] {
  const standard = pathsOf(upstream);
  const configured = upstream.paths ?? {};
  const prefix = new URL(upstream.base_url).pathname.replace(/\/+$/, '');
  const at = (root: string): Addresses => ({
    search: configured.search ?? `${root}/search`,
    entity: configured.entity ?? `${root}/entity/{id}`,
    stats: configured.stats ?? `${root}/registry/stats`,
  });
  const joins = [standard, at(`${prefix}/api`), at(prefix), at('/api')];
  return [...new Map(joins.map((join) => [JSON.stringify(join), join])).values()];
}

function pathsOf(upstream: UpstreamAddress): Addresses {
  const { search, entity, stats } = endpointsOf(upstream);
  return {
    search: search.pathname,
    entity: entity.slice(new URL(upstream.base_url).origin.length),
    stats: stats.pathname + stats.search,
  };
}

/**
 * Finds the combination of base URL and paths that the upstream uses. `next` is the combination whose statistics to
 * request next, or null if none is left. If a search has found the combination, only its own statistics are requested.
 */
export function findAddresses(
  joins: readonly Addresses[],
  exchanges: readonly Exchange[],
): { readonly finding: Finding<Addresses | null>; readonly next: Addresses | null } {
  const at = (path: string) => exchanges.filter(({ request }) => request.path === path);
  const isUntried = (path: string) => at(path).every(({ reading }) => reading === 'rejected');
  const withStats = joins.find(({ stats }) => at(stats).some(isApi));
  if (withStats !== undefined)
    return { finding: sure(withStats, `${withStats.stats} returns JSON`), next: null };
  const withSearch = joins.find(({ search }) => at(search).some(isSearch));
  if (withSearch !== undefined) {
    const { search, stats } = withSearch;
    const because = isUntried(stats) ? '' : `, but ${stats} returns no statistics`;
    return {
      finding: likely(withSearch, `${search} responds to searches${because}`),
      next: isUntried(stats) ? withSearch : null,
    };
  }
  // An address where a search found nothing can still be right, but the others are more likely.
  const byLikelihood = joins.toSorted((a, b) => Number(isUntried(b.search)) - Number(isUntried(a.search)));
  const next = byLikelihood.find(({ stats }) => isUntried(stats)) ?? null;
  const because = next === null ? 'no address returns JSON' : 'no address was found yet';
  return { finding: open(null, because), next };
}

function isApi({ reading, json }: Exchange): boolean {
  return reading === 'ok' || (reading === 'refused' && json !== undefined);
}

/** Returns whether a response comes from the search itself. Some APIs refuse a request without any explanation. */
function isSearch({ reading }: Exchange): boolean {
  return reading === 'ok' || reading === 'refused';
}

/** Drafts a request for the statistics at the next paths to try. */
export function probeAddress({ nextAddress }: Conclusions): ProbeRequest | null {
  if (nextAddress === null) return null;
  const why = 'which paths does the API use, and how many companies are there?';
  return { kind: 'stats', path: nextAddress.stats, params: [], why };
}

/**
 * Returns the next paths to try for a search, or null if there are none. After a response other than 404, the other
 * paths are tried only if no statistics were found anywhere.
 */
export function untriedSearch({ upstream, exchanges }: ProbeInput): Addresses | null {
  const answered = exchanges.filter(({ reading }) => reading !== 'rejected');
  const isTried = (path: string) => answered.some(({ request }) => request.path === path);
  const joins = joinsOf(upstream);
  const areAllAbsent = answered.every(({ reading }) => reading === 'absent');
  if (!areAllAbsent && !joins.every(({ stats }) => isTried(stats))) return null;
  return joins.find(({ search }) => !isTried(search)) ?? null;
}
