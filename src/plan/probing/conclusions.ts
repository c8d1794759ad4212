import type { Pointer, ResponseRule } from '../../dialect/dialect.ts';
import { valueAt } from '../../dialect/pointer.ts';
import type { UpstreamAddress } from '../../dialect/request.ts';
import { findAbsence } from './absence.ts';
import { type Addresses, findAddresses, joinsOf } from './addresses.ts';
import { asksForAll, findEverything } from './everything.ts';
import type { Exchange } from './exchange.ts';
import { type Finding, open } from './finding.ts';
import { findListing } from './listing.ts';
import { findQueryParam, type QueryEvidence, shortestText } from './query_parameter.ts';
import { unknownIdAnswer } from './record_answers.ts';
import { concludeSearch, type SearchConclusions } from './search_conclusions.ts';
import { findRegistryTotal } from './statistics.ts';
import { wholeNumberOf } from './walk.ts';

export type { SearchConclusions } from './search_conclusions.ts';

/** What the user said, to be believed before any evidence. */
export interface Told {
  readonly queryParam: string | null;
  /** Names of companies that are registered. */
  readonly examples: readonly string[];
}

export interface ProbeInput {
  readonly upstream: UpstreamAddress;
  /** Every question so far with its answer, in order. */
  readonly exchanges: readonly Exchange[];
  readonly told: Told;
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
  readonly leastText: number;
  /** Does a search without a text list everything? */
  readonly everything: Finding<boolean>;
}

export function conclude({ upstream, exchanges, told }: ProbeInput): Conclusions {
  const joins = joinsOf(upstream);
  const { finding: addresses, next: nextAddress } = findAddresses(joins, exchanges);
  const telling = exchanges.filter(({ reading }) => reading !== 'turned_away');
  const searches = telling.filter(({ request }) => request.kind === 'search');
  const listing = findListing(searches.filter(({ reading }) => reading === 'answered'));
  const query = { searches, listing, told: told.queryParam, examples: told.examples };
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
    leastText: Math.max(shortestText(searches), search?.least.value ?? 1),
    everything: findEverything(search?.asked ?? [], searches, registrySize),
  };
}

function registryTotalOf(
  exchanges: readonly Exchange[],
  search: SearchConclusions | null,
): Finding<Pointer | null> {
  const stats = statsAnswer(exchanges);
  if (stats?.json === undefined) return open(null, 'the statistics were not found');
  const everything = search?.asked.find((one) => asksForAll(one.search))?.total ?? null;
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
