import { endpointsOf, idInPath, type UpstreamAddress } from '../dialect/request.ts';
import { isMarkup } from '../dialect/response_body.ts';
import { placeholdersIn } from '../dialect/template.ts';
import { constantParts, withoutConstants } from '../dialect/url_template.ts';
import { type Finding, likely, open, type Param, type ProbeExchange, sure } from './exchange.ts';
import { type ParamRole, roleOfParam, saysNothingFound } from './words.ts';

/** Hypotheses and evidence about the paths of the three resources. */

/** Paths on the upstream's host. The search's fixed parameters are separate, as `constants`. */
export interface Addresses {
  /** May contain parameters in braces. */
  readonly search: string;
  /** Contains `{id}`. */
  readonly entity: string;
  /** Null if the API has none. */
  readonly stats: string | null;
  readonly constants: readonly Param[];
}

/**
 * Returns the possible combinations of the base URL and the paths. The documented combination comes first. If all paths
 * are configured, it is the only one.
 */
export function joinsOf(upstream: UpstreamAddress): Addresses[] {
  const configured = upstream.paths ?? {};
  const base = new URL(upstream.base_url);
  const prefix = base.pathname.replace(/\/+$/, '');
  const { search, entity, stats } = endpointsOf(upstream);
  const constants: Param[] = [...new URLSearchParams(constantParts(search).join('&'))];
  const own = withoutConstants(search).slice(base.origin.length);
  const standard = {
    search: own,
    entity: entity.slice(base.origin.length),
    stats: stats === null ? null : stats.pathname + stats.search,
    constants,
  };
  const at = (root: string): Addresses => ({
    search: configured.search === undefined ? `${root}/search` : own,
    entity: configured.entity ?? `${root}/entity/{id}`,
    stats: stats === null ? null : (configured.stats ?? `${root}/registry/stats`),
    constants,
  });
  const joins = [standard, at(`${prefix}/api`), at(prefix), at('/api')];
  return [...new Map(joins.map((join) => [JSON.stringify(join), join])).values()];
}

/**
 * Returns the other parameters in the part of the search's path that has the query, with values for the first page. If one
 * of them has no value, the part is omitted, and the query with it.
 */
export function besideQuery(search: string): Param[] {
  const isQuery = (name: string) => roleOfParam(name) === 'query';
  const names =
    search
      .split(/[?&]/)
      .map(placeholdersIn)
      .find((some) => some.some(isQuery)) ?? [];
  return names.flatMap((name): Param[] => {
    const first = FIRST_PAGE.get(roleOfParam(name) ?? 'filter');
    return first === undefined ? [] : [[name, first]];
  });
}

const FIRST_PAGE: ReadonlyMap<ParamRole, string> = new Map([
  ['page', '1'],
  ['offset', '0'],
  ['size', '20'],
]);

/** Returns the parameters with fixed values in the configured paths of the record and the statistics. */
export function configuredParams({ paths }: UpstreamAddress): Param[] {
  const fixed = [paths?.search, paths?.entity, paths?.stats].flatMap((path): Param[] => {
    const query = path?.split('?')[1];
    return query === undefined
      ? []
      : [...new URLSearchParams(query)].filter(([, value]) => placeholdersIn(value).length === 0);
  });
  return [...new Map(fixed).entries()];
}

/**
 * Returns the combinations with the paths to which the API redirects, such as one with a slash at the end. Only paths at
 * the same origin count, because the key is sent to no other.
 */
export function redirectedJoins(
  joins: readonly Addresses[],
  exchanges: readonly ProbeExchange[],
  { base_url }: UpstreamAddress,
): Addresses[] {
  const moves = exchanges.flatMap(({ request: { kind, path }, status, headers: { location } }) => {
    const from = new URL(path, base_url);
    const isRedirect = status !== null && status >= 300 && status < 400;
    const to = isRedirect && location !== undefined ? URL.parse(location, from.href) : null;
    return to === null || to.origin !== from.origin || to.pathname === from.pathname
      ? []
      : [{ kind, path, to: to.pathname + from.search }];
  });
  if (moves.length === 0) return [...joins];
  const movedTo = (kind: 'search' | 'stats', path: string) =>
    moves.find((move) => move.kind === kind && move.path === path)?.to ?? path;
  return joins.map((join) => {
    const { search, entity, stats } = join;
    const [moved] = moves.flatMap(({ kind, path, to }) => {
      const id = encodeURIComponent((kind === 'entity' ? idInPath(entity, path) : null) ?? '');
      return id === '' || !to.includes(id) ? [] : [to.replace(id, '{id}')];
    });
    return {
      ...join,
      search: movedTo('search', search),
      entity: moved ?? entity,
      stats: stats === null ? null : movedTo('stats', stats),
    };
  });
}

/**
 * Judges the combinations. For: the statistics are JSON, or the search responds. `next` is the combination whose
 * statistics to request next, or null if none is left. If the user set the search's path only, the API probably has no
 * statistics, because their path would be known too.
 */
export function findAddresses(
  joins: readonly Addresses[],
  exchanges: readonly ProbeExchange[],
  configured: UpstreamAddress['paths'] = {},
): { readonly finding: Finding<Addresses | null>; readonly next: Addresses | null } {
  const at = (path: string | null) => exchanges.filter(({ request }) => request.path === path);
  const isUntried = (path: string | null) =>
    path !== null && at(path).every(({ reading }) => reading === 'rejected');
  const isApi = ({ reading, json }: ProbeExchange) =>
    reading === 'ok' || (reading === 'refused' && json !== undefined);
  const withStats = joins.find(({ stats }) =>
    at(stats).some((one) => one.request.kind === 'stats' && isApi(one)),
  );
  if (withStats !== undefined)
    return { finding: sure(withStats, `its statistics, ${withStats.stats}, return JSON`), next: null };
  const isConfigured = configured?.search !== undefined;
  // Some APIs refuse a request without any explanation. At a path that the user set, an empty body means no matches, and a
  // text or a server error is how the API refuses a search.
  const isRefusal = ({ reading, status, text }: ProbeExchange) =>
    reading === 'broken' && (status === 500 || (status === 200 && !isMarkup(text)));
  const isSearch = (one: ProbeExchange) => {
    const { reading, status, text } = one;
    return (
      reading === 'ok' ||
      reading === 'refused' ||
      (isConfigured && isRefusal(one)) ||
      (reading === 'absent' &&
        (saysNothingFound(text) || (isConfigured ? (status ?? 500) < 300 : text !== '' && status === 200)))
    );
  };
  const withSearch = joins.find(
    ({ search, stats }) =>
      at(search).some(isSearch) ||
      // The statistics show first how the API answers at a path that it does not have.
      (isConfigured && !isUntried(stats) && mayHaveFoundNothing(at(search), exchanges)),
  );
  if (withSearch !== undefined) {
    const { search, stats } = withSearch;
    const isTried = stats !== null && !isUntried(stats);
    const isOpen = configured?.stats === undefined;
    const isUnlikely = isOpen && configured?.search !== undefined;
    const hasNone = isTried ? at(stats).every(({ reading }) => reading === 'absent') : isUnlikely;
    const because = isTried ? `, but ${stats} returns no statistics` : '';
    return {
      finding: likely(
        hasNone && isOpen ? { ...withSearch, stats: null } : withSearch,
        `${search} responds to searches${because}`,
      ),
      next: isTried || stats === null || isUnlikely ? null : withSearch,
    };
  }
  // An address where a search found nothing can still be right, but the others are more likely.
  const byLikelihood = joins.toSorted((a, b) => Number(isUntried(b.search)) - Number(isUntried(a.search)));
  const next = byLikelihood.find(({ stats }) => isUntried(stats)) ?? null;
  return {
    finding: open(null, next === null ? 'no address returns JSON' : 'no address was found yet'),
    next,
  };
}

/**
 * Returns whether the first searches may have found nothing, because they returned 404 with a text that no other path has
 * returned.
 */
function mayHaveFoundNothing(
  searches: readonly ProbeExchange[],
  exchanges: readonly ProbeExchange[],
): boolean {
  const textOf = ({ text, request }: ProbeExchange) => text.replaceAll(request.path, '');
  const elsewhere = new Set(
    exchanges
      .filter(({ request, reading }) => reading === 'absent' && request.path !== searches[0]?.request.path)
      .map(textOf),
  );
  const isText = (one: ProbeExchange) =>
    one.reading === 'absent' && one.text.trim() !== '' && !elsewhere.has(textOf(one));
  const most = searches.some(({ text }) => isMarkup(text)) ? MAX_PAGES_ABSENT : MAX_ABSENT;
  return searches.length > 0 && searches.length < most && searches.every(isText);
}

const MAX_ABSENT = 5;
/** A page for people is rather the response at a wrong path, but some servers add one to every 404. */
const MAX_PAGES_ABSENT = 3;

/** Returns the next paths to try for a search, or null if there are none. */
export function untriedSearch(
  joins: readonly Addresses[],
  exchanges: readonly ProbeExchange[],
): Addresses | null {
  const answered = exchanges.filter(({ reading }) => reading !== 'rejected');
  const isTried = (path: string | null) =>
    path === null || answered.some(({ request }) => request.path === path);
  const areAllAbsent = answered.every(({ reading }) => reading === 'absent');
  if (!areAllAbsent && !joins.every(({ stats }) => isTried(stats))) return null;
  return joins.find(({ search }) => !isTried(search)) ?? null;
}
