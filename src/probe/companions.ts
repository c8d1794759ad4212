import type { ErrorHints } from './errors/error_hints.ts';
import type { Exchange, Param } from './evidence.ts';
import { roleOfParam } from './param_roles.ts';

/**
 * Companions are parameters that every search needs in addition to the query, such as a country. Error messages name
 * them. Every search is sent with the companions, which are removed before the findings evaluate the search.
 */

/** Returns the companions, each with a value that the API accepts, or with `all` if no accepted value is known. */
export function companionsOf({ required, values }: ErrorHints): Param[] {
  const [query] = byLikelihood(required);
  return required
    .filter((name) => name !== query && (COMPANION_ROLES.has(roleOfParam(name)) || values.has(name)))
    .map((name): Param => [name, valueFrom(name, values.get(name) ?? [])]);
}

/** Returns the names of parameters that may take the query, most likely first. */
export function byLikelihood(names: readonly string[]): string[] {
  const withRole = (wanted: string | null) => names.filter((name) => roleOfParam(name) === wanted);
  return [...withRole('query'), ...withRole(null)];
}

/** A required parameter whose name suggests no role is a companion, because another one takes the query. */
const COMPANION_ROLES: ReadonlySet<string | null> = new Set(['filter', null]);

function valueFrom(name: string, values: readonly string[]): string {
  const general = values.find((value) => /^(all|any|alle|tous|todos|tutti|\*)$/i.test(value)) ?? values[0];
  return general ?? (/lang|locale/i.test(name) ? 'en' : 'all');
}

/** Adds the companions that the parameters do not include. */
export function withCompanions(params: readonly Param[], companions: readonly Param[]): Param[] {
  const sent = new Set(params.map(([name]) => name));
  return [...params, ...companions.filter(([name]) => !sent.has(name))];
}

/**
 * Returns the exchanges with the companions removed from the requests. A request's first parameter with another value
 * than the companion's was sent as the query and is kept. An unsuccessful search that lacked a companion is omitted,
 * because its response reveals nothing about the other parameters.
 */
export function withoutCompanions(exchanges: readonly Exchange[], companions: readonly Param[]): Exchange[] {
  if (companions.length === 0) return [...exchanges];
  const values = new Map(companions);
  return exchanges.flatMap((exchange): Exchange[] => {
    const { request, reading } = exchange;
    if (request.kind !== 'search') return [exchange];
    const sent = new Map(request.params);
    const query = request.params[0]?.[0];
    const isComplete = companions.every(([name, value]) => sent.get(name) === value || name === query);
    if (!isComplete && reading !== 'ok') return [];
    const params = request.params.filter(
      ([name, value]) => !values.has(name) || (name === query && values.get(name) !== value),
    );
    return [{ ...exchange, request: { ...request, params } }];
  });
}
