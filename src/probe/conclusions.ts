import type { Pointer, ResponseRule } from '../dialect/dialect.ts';
import type { UpstreamAddress } from '../dialect/request.ts';
import { valueAt } from '../json/pointer.ts';
import { findAbsence } from './absence.ts';
import { type Addresses, findAddresses, joinsOf } from './addresses.ts';
import type { Exchange } from './evidence.ts';
import { type Finding, open } from './evidence.ts';
import { asksForAll, findFullListing } from './full_listing.ts';
import { wholeNumberOf } from './json_leaves.ts';
import { findQueryParam, type QueryEvidence, shortestText } from './query_parameter.ts';
import { unknownIdAnswer } from './record_paths.ts';
import { findResultList } from './result_list.ts';
import { concludeSearch, type SearchConclusions } from './search_conclusions.ts';
import { findRegistryTotal } from './statistics_total.ts';

export type { SearchConclusions } from './search_conclusions.ts';

/** What the user said, to be believed before any evidence. */
export interface Hints {
  readonly queryParam: string | null;
  /** Names of companies that are registered. */
  readonly examples: readonly string[];
}

export interface ProbeInput {
  readonly upstream: UpstreamAddress;
  /** Every question so far with its answer, in order. */
  readonly exchanges: readonly Exchange[];
  readonly hints: Hints;
}

/** Everything that the answers so far amount to. */
export interface Conclusions {
  /** Where the resources may stand, the documented places first. */
  readonly joins: readonly Addresses[];
  readonly addresses: Finding<Addresses | null>;
  /** Whose statistics to ask for next; null: no address is left to try. */
  readonly nextAddress: Addresses | null;
  readonly registryTotal: Finding<Pointer | null>;
  /** What stands there. */
  readonly registrySize: number | null;
  readonly query: QueryEvidence;
  readonly queryParam: Finding<string | null>;
  /** null while no search had rows. */
  readonly search: SearchConclusions | null;
  readonly absence: Finding<ResponseRule | null>;
  readonly minQueryText: number;
  /** Does a search without a text list everything? */
  readonly fullListing: Finding<boolean>;
}

export function conclude({ upstream, exchanges, hints }: ProbeInput): Conclusions {
  const joins = joinsOf(upstream);
  const { finding: addresses, next: nextAddress } = findAddresses(joins, exchanges);
  const telling = exchanges.filter(({ reading }) => reading !== 'turned_away');
  const searches = telling.filter(({ request }) => request.kind === 'search');
  const listing = findResultList(searches.filter(({ reading }) => reading === 'answered'));
  const query = { searches, listing, hint: hints.queryParam, examples: hints.examples };
  const queryParam = findQueryParam(query);
  const entities = telling.filter(({ request }) => request.kind === 'entity');
  const template = templateOf(upstream, addresses.value);
  const search =
    listing === null || queryParam.value === null || listing.ids.length === 0
      ? null
      : concludeSearch({
          listing,
          searches,
          entities,
          queryParam: queryParam.value,
          template,
        });
  const registryTotal = registryTotalOf(telling, search);
  const registrySize = registrySizeOf(telling, registryTotal.value);
  return {
    joins,
    addresses,
    nextAddress,
    registryTotal,
    registrySize,
    query,
    queryParam,
    search,
    absence: findAbsence(unknownIdAnswer(entities, search?.listing ?? null, template)),
    minQueryText: Math.max(shortestText(searches), search?.minQueryLength.value ?? 1),
    fullListing: findFullListing(search?.answered ?? [], searches, registrySize),
  };
}

function registryTotalOf(
  exchanges: readonly Exchange[],
  search: SearchConclusions | null,
): Finding<Pointer | null> {
  const stats = statsAnswer(exchanges);
  if (stats?.json === undefined) return open(null, 'the statistics were not found');
  const everything = search?.answered.find((one) => asksForAll(one.search))?.total ?? null;
  return findRegistryTotal(stats.json, everything);
}

function registrySizeOf(exchanges: readonly Exchange[], total: Pointer | null): number | null {
  const stats = statsAnswer(exchanges);
  return total === null || stats === undefined ? null : wholeNumberOf(valueAt(stats.json, total));
}

function statsAnswer(exchanges: readonly Exchange[]): Exchange | undefined {
  return exchanges.findLast(({ request, reading }) => request.kind === 'stats' && reading === 'answered');
}

function templateOf({ base_url }: UpstreamAddress, addresses: Addresses | null): string {
  return `${new URL(base_url).origin}${addresses?.entity ?? '/{id}'}`;
}
