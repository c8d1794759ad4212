import type { UpstreamAddress } from '../dialect/request.ts';
import { endpointsOf } from '../dialect/request.ts';
import type { Exchange } from './evidence.ts';
import { type Finding, likely, open, sure } from './evidence.ts';

/** Where the three resources may stand on the host. */
export interface Addresses {
  readonly search: string;
  /** With `{id}`. */
  readonly entity: string;
  readonly stats: string;
}

/** The ways to join the base address and the paths, the documented one first; given paths leave one way. */
export function joinsOf(upstream: UpstreamAddress): Addresses[] {
  const standard = pathsOf(upstream);
  const given = upstream.paths ?? {};
  const prefix = new URL(upstream.base_url).pathname.replace(/\/+$/, '');
  const at = (root: string): Addresses => ({
    search: given.search ?? `${root}/search`,
    entity: given.entity ?? `${root}/entity/{id}`,
    stats: given.stats ?? `${root}/registry/stats`,
  });
  const joins = [standard, at(`${prefix}/api`), at(prefix), at('/api')];
  return [...new Map(joins.map((join) => [JSON.stringify(join), join])).values()];
}

function pathsOf(upstream: UpstreamAddress): Addresses {
  const { search, entity, stats } = endpointsOf(upstream);
  return {
    search: search.pathname,
    entity: entity.slice(new URL(upstream.base_url).origin.length),
    stats: stats.pathname,
  };
}

/** Which join the answers speak for, and the join to ask for its statistics next (null: none is left). */
export function findAddresses(
  joins: readonly Addresses[],
  exchanges: readonly Exchange[],
): { readonly finding: Finding<Addresses | null>; readonly next: Addresses | null } {
  const at = (path: string) => exchanges.filter(({ request }) => request.path === path);
  const speaking = joins.find(({ stats }) => at(stats).some(isApi));
  if (speaking !== undefined) return { finding: sure(speaking, `${speaking.stats} answers`), next: null };
  const unasked = joins.find(({ stats }) => at(stats).every(({ reading }) => reading === 'turned_away'));
  if (unasked !== undefined)
    return { finding: open(null, 'the statistics were not found yet'), next: unasked };
  const searching = joins.find(({ search }) => at(search).some(isApi));
  if (searching !== undefined)
    return {
      finding: likely(searching, `${searching.search} answers, though ${searching.stats} does not`),
      next: null,
    };
  return { finding: open(null, 'no address answers as an API'), next: null };
}

function isApi({ reading, json }: Exchange): boolean {
  return reading === 'answered' || (reading === 'refused' && json !== undefined);
}
