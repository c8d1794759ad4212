import type { Pointer } from '../dialect/dialect.ts';
import type { UpstreamAddress } from '../dialect/request.ts';
import { valueAt } from '../json/pointer.ts';
import { companionsOf, withoutCompanions } from './companions.ts';
import type { Addresses, Conclusions, ProbeInput, ResultList, SearchConclusions } from './conclusions.ts';
import { errorHintsOf } from './errors/error_hints.ts';
import { type Exchange, type Finding, open, paramOf } from './evidence.ts';
import { findAddresses, joinsOf } from './findings/addresses.ts';
import { findClampOfAll, findFullListing, isEmptyQuery } from './findings/empty_query.ts';
import { findIdentifiers } from './findings/identifier_search.ts';
import { allRowsAt, findMainResult } from './findings/main_result.ts';
import { findMinQueryLength } from './findings/min_query_length.ts';
import { findSize, wholeness } from './findings/page_size.ts';
import { findPaging } from './findings/paging.ts';
import { findQueryParam } from './findings/query_parameter.ts';
import { findQueryRule } from './findings/query_rule.ts';
import { findOpenedRecord, noRecord } from './findings/record_paths.ts';
import { findResultList, itemOf } from './findings/result_list.ts';
import { findId, findName, knownNames, relativeTo } from './findings/row_paths.ts';
import { findClamp, findTotal } from './findings/search_total.ts';
import { findRegistryTotal } from './findings/statistics_total.ts';
import { findAbsence } from './findings/unknown_id.ts';
import { wholeNumberOf } from './json_leaves.ts';
import {
  mayRefuseUnknownParams,
  minLengthByRefusals,
  refusesUnknownParams,
  reportsMissingFirst,
} from './refusals.ts';
import { hasSeveralRows, isFirstPage, readSearchPages } from './search_pages.ts';

/**
 * Draws all conclusions from the requests and responses. Each finding uses only findings that were computed before it.
 */
export function conclude({ upstream, exchanges, hints, maxCalls = Infinity }: ProbeInput): Conclusions {
  const joins = joinsOf(upstream);
  const { finding: addresses, next: nextAddress } = findAddresses(joins, exchanges);
  const path = addresses.value?.search ?? null;
  const isSearch = ({ request, reading }: Exchange) =>
    request.kind === 'search' && (path === null ? reading !== 'absent' : request.path === path);
  const allSearches = exchanges.filter(isSearch);
  const stated = errorHintsOf(allSearches);
  const companions = companionsOf(stated);
  const informative = withoutCompanions(exchanges, companions).filter(
    ({ reading }) => reading !== 'rejected',
  );
  const searches = informative.filter(isSearch);
  const entities = informative.filter(({ request }) => request.kind === 'entity');
  const listing = findResultList(searches.filter(({ reading }) => reading === 'ok'));
  const query = {
    ...{ searches, listing, stated, hint: hints.queryParam, examples: hints.examples },
    mayBeStrict: mayRefuseUnknownParams(allSearches),
    reportsMissingFirst: reportsMissingFirst(allSearches),
    mayGuess: exchanges.length < Math.max(MIN_GUESSES, Math.floor(maxCalls * GUESSED_SHARE)),
    minLength: hints.specification?.minLength.value ?? 1,
  };
  const queryParam = findQueryParam(query);
  const template = templateOf(upstream, addresses.value);
  const search =
    listing === null || queryParam.value === null || listing.ids.length === 0
      ? null
      : concludeSearch({ listing, searches, entities, queryParam: queryParam.value, template });
  const registryTotal = registryTotalOf(informative, search);
  const registrySize = registrySizeOf(informative, registryTotal.value);
  const pages = search?.pages ?? [];
  const fullListing = findFullListing(pages, searches, registrySize);
  const clampOfAll = findClampOfAll(pages, fullListing, registrySize);
  return {
    joins,
    addresses,
    nextAddress,
    registryTotal,
    registrySize,
    query,
    companions,
    queryParam,
    search:
      search !== null && search.clamp.value === null && clampOfAll !== null
        ? { ...search, clamp: clampOfAll }
        : search,
    absence: findAbsence(entities, search, template),
    minQueryChars: Math.max(
      minLengthByRefusals(searches, queryParam.value),
      search?.minQueryLength.value ?? 1,
    ),
    fullListing,
  };
}

/**
 * The share of the calls that may be spent on guessed parameter names. The rest is reserved for names that the user or
 * error messages provide.
 */
const GUESSED_SHARE = 2 / 3;

/** The first search guesses names, even if only two calls may be made. */
const MIN_GUESSES = 2;

interface SearchInput {
  readonly listing: ResultList;
  readonly searches: readonly Exchange[];
  readonly entities: readonly Exchange[];
  readonly queryParam: string;
  /** A record's URL, with `{id}`. */
  readonly template: string;
}

function concludeSearch({
  listing,
  searches,
  entities,
  queryParam,
  template,
}: SearchInput): SearchConclusions {
  const { results } = listing;
  const refused = searches.filter(({ reading }) => reading === 'refused');
  const namePath = listing.names[0]?.pointer ?? null;
  const opened = findOpenedRecord(listing, entities, template, namePath);
  const record = opened?.record ?? noRecord(entities);
  const idPath = opened?.idPath ?? listing.ids[0]?.pointer ?? '';
  const idFallback = listing.ids.find(({ pointer }) => pointer === idPath)?.fallback ?? null;
  const item = itemOf(listing.rows, idPath, namePath);
  const good = searches.filter(({ reading }) => reading === 'ok');
  const main = findMainResult(good.filter(isFirstPage), listing, { id: idPath, name: namePath, queryParam });
  const rowsOf = (search: Exchange) => allRowsAt(search, results, main.value, idPath).length;
  const total = findTotal(good, rowsOf, queryParam);
  const pages = readSearchPages(searches, {
    queryParam,
    results,
    id: idPath,
    idFallback,
    name: namePath,
    main: main.value,
    total: total.value,
  });
  const refusedQueries = refused.filter((search) => paramOf(search, queryParam) !== null);
  const isStrict = refusesUnknownParams(searches);
  const size = findSize(pages, refusedQueries, isStrict);
  const clamp = findClamp(pages);
  const isWhole = wholeness(pages, size, clamp.value);
  const known = knownNames(listing, idPath, namePath);
  const queryRule = findQueryRule(pages, known, isWhole);
  const knownIds = known.map(({ id }) => id);
  return {
    listing,
    idPath,
    idFallback,
    namePath,
    item,
    main,
    hasSeveralRows: hasSeveralRows(pages),
    id: findId(relativeTo(item, idPath), opened?.record ?? null, listing),
    name: findName(namePath === null ? null : relativeTo(item, namePath), record),
    total,
    clamp,
    pages,
    size,
    paging: findPaging(pages, size),
    record,
    known,
    queryRule,
    isWhole,
    minQueryLength: findMinQueryLength(pages, refused, queryParam, queryRule.value),
    identifiers: findIdentifiers({ pages, refused, ids: knownIds, queryParam, isWhole, isStrict }),
  };
}

function registryTotalOf(
  exchanges: readonly Exchange[],
  search: SearchConclusions | null,
): Finding<Pointer | null> {
  const statistics = statisticsIn(exchanges);
  if (statistics?.json === undefined) return open(null, 'the statistics were not found');
  const listed = search?.pages.find(({ exchange }) => isEmptyQuery(exchange))?.total ?? null;
  return findRegistryTotal(statistics.json, listed);
}

function registrySizeOf(exchanges: readonly Exchange[], total: Pointer | null): number | null {
  const statistics = statisticsIn(exchanges);
  return total === null || statistics === undefined ? null : wholeNumberOf(valueAt(statistics.json, total));
}

function statisticsIn(exchanges: readonly Exchange[]): Exchange | undefined {
  return exchanges.findLast(({ request, reading }) => request.kind === 'stats' && reading === 'ok');
}

function templateOf({ base_url }: UpstreamAddress, addresses: Addresses | null): string {
  return `${new URL(base_url).origin}${addresses?.entity ?? '/{id}'}`;
}
