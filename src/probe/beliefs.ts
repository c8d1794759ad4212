import { nameIn, pointersIn, textAt } from '../dialect/body_values.ts';
import type { Pointer, StatedDialect } from '../dialect/dialect.ts';
import { idsDistinct, namesAreText, namesMatchQuery, namesVary } from '../dialect/evidence/judgements.ts';
import type { UpstreamAddress } from '../dialect/request.ts';
import { listPointer } from '../dialect/search_results.ts';
import { placeholdersIn } from '../dialect/template.ts';
import type { JsonObject } from '../json/json.ts';
import { segmentsOf, valueAt } from '../json/pointer.ts';
import { mayFind } from '../names/loose_matching.ts';
import { plainText } from '../names/plain_text.ts';
import {
  type Addresses,
  besideQuery,
  configuredParams,
  findAddresses,
  joinsOf,
  redirectedJoins,
} from './addresses.ts';
import { leavesOf, wholeNumberOf } from './bodies.ts';
import { readError } from './errors.ts';
import {
  type Finding,
  haveSameStart,
  likely,
  open,
  type Param,
  type ProbeExchange,
  paramOf,
  type QueryHypothesis,
  rereadServerErrors,
  sure,
} from './exchange.ts';
import { GIVEN, unlessGiven } from './given.ts';
import { expressionsFor, fieldsIn, findsAll, isExpression } from './languages.ts';
import { findFullListing, findMinLength, oneListSize } from './lengths.ts';
import type { Specification } from './openapi/specification.ts';
import {
  hasSeveralRows,
  isEmptyQuery,
  OTHER_FORM,
  type PagePaths,
  readPages,
  refusesEmptyQuery,
  type SearchPage,
} from './pages.ts';
import { findPaging, givenPaging, type PagingFinding } from './paging.ts';
import { believeParams, type ParamBeliefs, withoutConstants } from './params.ts';
import {
  findQuery,
  givenQuery,
  hypothesisOf,
  knownWords,
  minLengthByErrors,
  type QueryEvidence,
  queryIn,
} from './query.ts';
import { findOpenedRecord, type OpenedRecord, type RecordPaths, recordTemplate } from './record.ts';
import { entityPath } from './record_path.ts';
import {
  findResultList,
  isBesideId,
  isNameKey,
  itemOf,
  keysOf,
  nameFallbacks,
  type PathCandidate,
  type ResultList,
  relativeTo,
  rowsAt,
} from './rows.ts';
import { findQueryRule, type KnownName, type RuleFinding } from './rule.ts';
import { areUneven, findSize, type SizeFacts, wholeness } from './size.ts';
import { rereadSoftErrors } from './soft_errors.ts';
import { findRegistryTotal, findTotal } from './total.ts';
import { judgeTrials } from './trials.ts';
import { partsOfName, wholeName } from './whole_name.ts';
import { countryIn, roleOfParam } from './words.ts';

/** Facts that the user gives to the probe. */
export interface Hints {
  readonly queryParam: string | null;
  /** Names of registered companies. */
  readonly examples: readonly string[];
  /** What an OpenAPI document states, or null if the user gave no document. */
  readonly specification?: Specification | null;
  /** The keys that an incomplete dialect in the configuration has. */
  readonly dialect?: StatedDialect;
}

export interface ProbeInput {
  readonly upstream: UpstreamAddress;
  /** All requests so far and their responses, in order. */
  readonly exchanges: readonly ProbeExchange[];
  readonly hints: Hints;
  /** The maximum number of calls that all runs of this probe may make. By default, there is no limit. */
  readonly maxCalls?: number;
}

/** The leading hypotheses for all fields of the dialect. */
export interface Beliefs {
  readonly joins: readonly Addresses[];
  /** The documented combination, or the configured one. */
  readonly standardJoin: Addresses | undefined;
  readonly addresses: Finding<Addresses | null>;
  /** The paths whose statistics to request next, or null if all have been tried. */
  readonly nextAddress: Addresses | null;
  /** The keys of the dialect that the user has set. */
  readonly given: StatedDialect;
  readonly registryTotal: Finding<Pointer | null>;
  /** The registry count, or null if it is unknown. */
  readonly registrySize: number | null;
  readonly params: ParamBeliefs;
  /** The parameter for identifiers that the document states. Without one, `sync` tries the query parameter. */
  readonly identifierParam: string | null;
  /** Parameters that every search needs in addition to the query. */
  readonly constants: readonly Param[];
  /** The searches without the constants, and what is known about the query parameter. */
  readonly evidence: QueryEvidence;
  readonly query: Finding<QueryHypothesis | null>;
  /** Whether the user has stated that the API only lists all companies. */
  readonly onlyLists: boolean;
  /** Null if no search has returned rows yet. */
  readonly search: SearchBeliefs | null;
  /** The min query length for further requests. */
  readonly minQueryChars: number;
  readonly fullListing: Finding<boolean>;
}

/** The hypotheses that need rows. */
export interface SearchBeliefs {
  readonly listing: ResultList;
  /** The path to the id, relative to a row. */
  readonly idPath: Pointer;
  readonly namePath: Pointer | null;
  /** The paths of the name in rows that have none at `namePath`. A fallback with several paths has the name's parts. */
  readonly nameFallbacks: readonly (readonly Pointer[])[];
  readonly item: Pointer;
  /** Whether a company can have several rows. */
  readonly hasSeveralRows: boolean;
  /** Relative to the item, as is the name. */
  readonly id: Finding<Pointer>;
  readonly name: Finding<Pointer | null>;
  readonly total: Finding<Pointer | null>;
  readonly pages: readonly SearchPage[];
  readonly size: SizeFacts;
  /** Whether pages differ in length, so that a short page need not be the last one. */
  readonly areUneven: boolean;
  readonly paging: PagingFinding;
  readonly record: Finding<RecordPaths | null>;
  readonly known: readonly KnownName[];
  readonly rule: RuleFinding;
  readonly minLength: Finding<number>;
  readonly isWhole: (page: SearchPage) => boolean;
}

/** Judges all hypotheses by the requests and responses. */
export function believe({ upstream, exchanges: sentSoFar, hints }: ProbeInput): Beliefs {
  const exchanges = rereadSoftErrors(rereadServerErrors(sentSoFar));
  const stated = hints.specification ?? null;
  const configuredJoins = joinsOf(upstream);
  const joins = redirectedJoins(configuredJoins, exchanges, upstream);
  const { finding: joined, next: nextAddress } = findAddresses(joins, exchanges, upstream.paths);
  const path = joined.value?.search ?? null;
  // A search path with parameters in braces states them.
  const inPath = placeholdersIn(joins[0]?.search ?? '');
  const hintedParam = hints.queryParam ?? inPath.find((name) => roleOfParam(name) === 'query') ?? null;
  const given = hints.dialect ?? {};
  const setQuery = givenQuery(given);
  const hint = setQuery ?? (hintedParam === null ? null : hypothesisOf(hintedParam));
  // A refused value in another form than the hint shows nothing about the hint.
  const isInOtherForm = (search: ProbeExchange) =>
    hint !== null && paramOf(search, hint.param) !== null && queryIn(search, hint) === null;
  const sent = exchanges.filter(
    (one) =>
      one.request.kind === 'search' &&
      one.reading !== 'rejected' &&
      (path === null ? one.reading !== 'absent' : one.request.path === path) &&
      !(one.reading === 'refused' && isInOtherForm(one)),
  );
  const keys = sent.flatMap(({ json }) => keysIn(json));
  const configured = configuredParams(upstream);
  const rawParams = believeParams(sent, {
    configured,
    constant: joins[0]?.constants ?? [],
    stated: stated?.params ?? [],
    inPath,
    keys,
    envelope: sent.flatMap(({ json, reading }) => (reading === 'ok' ? envelopeKeys(json) : [])),
  });
  const fixed: Param[] = [
    ...(joins[0]?.constants ?? []),
    ...besideQuery(joins[0]?.search ?? ''),
    ...(Object.entries({ ...stated?.extra, ...given.search?.extra }) as Param[]),
  ];
  const constants = [...new Map([...rawParams.constants, ...fixed]).entries()];
  const searches = withoutConstants(sent, constants);
  const params =
    constants.length === 0
      ? rawParams
      : {
          ...rawParams,
          errors: new Map(
            searches.filter(({ reading }) => reading !== 'ok').map((one) => [one, readError(one)]),
          ),
        };
  const good = searches.filter(({ reading }) => reading === 'ok');
  const entities = exchanges.filter(
    ({ request, reading }) => request.kind === 'entity' && reading !== 'rejected',
  );
  const { origin } = new URL(upstream.base_url);
  const configuredTemplate = `${origin}${joined.value?.entity ?? '/{id}'}`;
  const found = findResultList(good, configuredTemplate, given.search);
  const listing = found === null ? null : withNamesJudged(found, good, hints.examples, entities);
  const template = recordTemplate(configuredTemplate, listing, entities);
  const addresses =
    joined.value === null || template === configuredTemplate
      ? joined
      : { ...joined, value: { ...joined.value, entity: template.slice(origin.length) } };
  const clues = cluesIn(sent, upstream);
  const refused = plainRefused(searches);
  const evidence: QueryEvidence = {
    searches,
    listing,
    params,
    hint,
    country: countryIn(new URL(upstream.base_url).hostname, Object.values(upstream.paths ?? {}).map(String)),
    trials: judgeTrials(searches, listing?.results ?? null, params),
    expressions: expressionsFor({
      text: clues,
      name: listing?.names[0]?.pointer ?? null,
      id: listing?.ids[0]?.pointer ?? null,
      areInCapitals: knownWords(listing).every((word) => word === word.toUpperCase()),
      fields: [
        ...searches.flatMap((one) => (isRefusedExpression(one) ? fieldsIn(one.text) : [])),
        ...[...params.known, ...params.required].filter((name) => roleOfParam(name) === 'query'),
      ],
      refused,
      recordPath: addresses.value?.entity ?? '',
      searchPath: path ?? '',
      errors: searches.flatMap(({ reading, text }) => (reading === 'refused' ? [text] : [])).join(),
    }).filter(({ param }) => !params.taken.has(param)),
    everything: findsAll(clues, params.required, refused).filter(([name]) => !params.taken.has(name)),
  };
  const learnedQuery = findQuery(evidence);
  // The text around a query is learned, unless the user has set it too.
  const isQueryForm =
    given.search?.query_template === undefined && learnedQuery.value?.param === setQuery?.param;
  const query = setQuery && isQueryForm ? learnedQuery : unlessGiven(setQuery, learnedQuery);
  const search =
    listing === null || listing.ids.length === 0
      ? null
      : believeSearch({
          listing,
          searches,
          entities,
          query: query.value,
          template,
          params,
          stated,
          hints,
          sizeInPath: inPath.find((name) => roleOfParam(name) === 'size') ?? null,
        });
  const statistics = exchanges.findLast(
    ({ request, reading }) => request.kind === 'stats' && reading === 'ok',
  );
  const listed = search?.pages.find(({ exchange }) => isEmptyQuery(exchange))?.total ?? null;
  const registryTotal = unlessGiven(
    given.stats?.total,
    statistics?.json === undefined
      ? open<Pointer | null>(null, 'the statistics were not found')
      : findRegistryTotal(statistics.json, listed),
  );
  const inStats =
    registryTotal.value === null ? null : wholeNumberOf(valueAt(statistics?.json, registryTotal.value));
  const pages = search?.pages ?? [];
  const isListing = setQuery === null || given.search?.min_length === 0;
  const fullListing = unlessGiven(isListing || undefined, findFullListing(pages, searches, inStats));
  const registrySize = inStats ?? (fullListing.value ? listed : null) ?? oneListSize(pages);
  return {
    joins,
    standardJoin: configuredJoins[0],
    addresses,
    nextAddress,
    given,
    registryTotal,
    registrySize,
    params,
    identifierParam: stated?.identifierParam.value ?? null,
    constants,
    evidence,
    query,
    onlyLists: setQuery === null,
    fullListing,
    search,
    minQueryChars: Math.max(
      search?.minLength.value ?? 1,
      minLengthByErrors(evidence, query.value),
      stated?.minLength.value ?? 1,
    ),
  };
}

/** Returns the texts that may suggest a query language: refusals without the sent values, bodies' beginnings, and paths. */
function cluesIn(searches: readonly ProbeExchange[], { paths }: UpstreamAddress): string {
  const texts = searches.map(({ text, reading, request: { params } }) => {
    const isGroup = params.length > 3;
    const sent = params.flatMap(([name, value]) => (isGroup ? [name, value] : [value]));
    const own = text.slice(0, reading === 'ok' ? 300 : 4000);
    return sent.filter((word) => word.length > 2).reduce((rest, word) => rest.replaceAll(word, ' '), own);
  });
  return [...texts, paths?.search ?? '', paths?.entity ?? ''].join('\n');
}

/** Returns the query parameters in which the API refused plain words, and accepted none, with the texts of its errors. */
function plainRefused(searches: readonly ProbeExchange[]): { param: string; text: string }[] {
  const plainIn = ({ request: { params } }: ProbeExchange) =>
    params.filter(([name, value]) => roleOfParam(name) === 'query' && !isExpression(value));
  const accepted = new Set(
    searches.flatMap((one) => (one.reading === 'ok' ? plainIn(one).map(([name]) => name) : [])),
  );
  return searches.flatMap((one) => {
    const [param] = one.reading === 'refused' && one.request.params.length === 1 ? plainIn(one) : [];
    return param === undefined || accepted.has(param[0]) ? [] : [{ param: param[0], text: one.text }];
  });
}

const isRefusedExpression = ({ reading, request: { params } }: ProbeExchange): boolean =>
  reading === 'refused' && params.some(([, value]) => isExpression(value));

/** Returns the keys of numbers outside the rows, which may repeat the page and its size. */
function envelopeKeys(json: ProbeExchange['json']): string[] {
  return leavesOf(json ?? null).flatMap(({ pointer, value }) => {
    if (wholeNumberOf(value) === null) return [];
    const [parent, key] = segmentsOf(pointer).slice(-2);
    if (parent === undefined || key === undefined) return [parent ?? ''];
    return /pag/i.test(parent) ? [key, `${parent}[${key}]`] : [key];
  });
}

function keysIn(json: ProbeExchange['json']): string[] {
  const rows = Object.values(json ?? {}).find(Array.isArray) as JsonObject[] | undefined;
  const first = Array.isArray(json) ? json[0] : rows?.[0];
  const leaves = [...leavesOf(json ?? null), ...leavesOf(first ?? null)];
  return leaves.flatMap(({ pointer }) => segmentsOf(pointer).slice(-1));
}

/**
 * Judges the candidates for the name again with all evidence. For: it matches the queries, the record has the same text,
 * it is the user's example. Against: it matches none of its queries.
 */
function withNamesJudged(
  listing: ResultList,
  good: readonly ProbeExchange[],
  examples: readonly string[],
  entities: readonly ProbeExchange[],
): ResultList {
  const pages = good.flatMap((search) => {
    const queries = search.request.params.filter(
      ([name, value]) => roleOfParam(name) !== 'size' && /\p{L}{2}/u.test(value),
    );
    const rows = rowsAt(search, listing.results);
    return queries.length === 0 || rows.length === 0
      ? []
      : [{ queries: queries.map(([, value]) => value), rows }];
  });
  const records = entities.map(({ text }) => text);
  const ids = listing.ids.filter(({ score }) => score > 0);
  const scoreOf = ({ pointer, score }: PathCandidate) => {
    const texts = listing.rows.map((row) => textAt(row, pointer));
    const shares = pages.map(
      ({ queries, rows }) =>
        Math.max(
          ...queries.map((query) => rows.filter((row) => mayFind(query, textAt(row, pointer) ?? '')).length),
        ) / rows.length,
    );
    const matching = shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
    const isExample = texts.some((text) => text !== null && examples.includes(text));
    const inRecord = records.some((record) =>
      texts.some((text) => text !== null && record.includes(JSON.stringify(text))),
    );
    const isOwn = isNameKey(pointer) && isBesideId(pointer, ids);
    return score + 6 * matching + (isOwn ? 10 : 0) + (inRecord ? 2 : 0) + (isExample ? 20 : 0);
  };
  const names = listing.names
    .map((candidate) => ({ ...candidate, score: scoreOf(candidate) }))
    // The other texts are rather codes, ids or places.
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  return { ...listing, names };
}

interface SearchInput {
  readonly listing: ResultList;
  readonly searches: readonly ProbeExchange[];
  readonly entities: readonly ProbeExchange[];
  readonly query: QueryHypothesis | null;
  /** A record's URL, with `{id}`. */
  readonly template: string;
  readonly params: ParamBeliefs;
  readonly stated: Specification | null;
  readonly hints: Hints;
  /** The size parameter that the configured path has in braces. */
  readonly sizeInPath: string | null;
}

function believeSearch({
  listing: found,
  searches,
  entities,
  query,
  template,
  params,
  stated,
  hints,
  sizeInPath,
}: SearchInput): SearchBeliefs {
  // The field that opens the records is the id. The name is then another text of the row or record.
  const keys = pointersIn(findOpenedRecord(found, entities, template, hints.dialect?.entity)?.idPath ?? '');
  const isId = (row: JsonObject, pointer: Pointer) =>
    keys.some((key) => textAt(row, key) === textAt(row, pointer));
  const others = found.names.filter(({ pointer }) => !found.rows.every((row) => isId(row, pointer)));
  const listing = { ...found, names: others };
  const { results, rows, names } = listing;
  const good = searches.filter(({ reading }) => reading === 'ok');
  // If the API refuses a search without a query, a refusal of one says nothing about its other parameters.
  const needsQuery = query !== null && refusesEmptyQuery(searches);
  const refused = searches.filter(
    (one) => one.reading === 'refused' && (!needsQuery || paramOf(one, query.param) !== null),
  );
  const bestName = names[0]?.pointer ?? null;
  const given = hints.dialect ?? {};
  const namePath = bestName === null || given.search?.name ? bestName : wholeName(rows, bestName);
  const opened = findOpenedRecord(listing, entities, template, given.entity);
  const idPath = opened?.idPath ?? untriedId(listing, entities, template);
  const item = given.search?.item ?? itemOf(rows, idPath, bestName);
  const bare = good.find(isEmptyQuery);
  const queryOf = (search: ProbeExchange) =>
    query === null && bare !== undefined && haveSameStart(rowsAt(search, results), rowsAt(bare, results))
      ? null
      : queryTextOf(search, query);
  const paths: Omit<PagePaths, 'total' | 'nameFallbacks'> = {
    queryOf,
    results,
    id: idPath,
    name: namePath,
  };
  const unread = readPages(good, { ...paths, nameFallbacks: [], total: null });
  const fallbacks =
    namePath === null || bestName === null
      ? []
      : namePath === bestName
        ? nameFallbacks(rows, bestName, unread)
        : [partsOfName(namePath)];
  const nameOf = (row: JsonObject) => nameIn(row, { name: namePath, name_fallbacks: fallbacks });
  const rowCounts = new Map(unread.map(({ exchange, rows: own }) => [exchange, own.length]));
  const total = unlessGiven(
    given.search?.total,
    findTotal(good, (search) => rowCounts.get(search) ?? 0, queryOf, results),
  );
  const pages = readPages(good, { ...paths, nameFallbacks: fallbacks, total: total.value });
  const size = findSize(pages, refused, params, {
    param: stated?.sizeParam.value ?? sizeInPath,
    maxSize: stated?.maxSize.value ?? null,
    given: given.search?.paging ?? {},
  });
  const isWhole = wholeness(pages, size);
  const known = rows.flatMap((row): KnownName[] => {
    const [id, name] = [textAt(row, idPath), nameOf(row)];
    return id === null || name === null ? [] : [{ id, name }];
  });
  const paging = givenPaging(
    given.search?.paging,
    findPaging(
      pages,
      size,
      query === null && !results.includes('*')
        ? `${listPointer(results)}/[last]${listing.hasBareIds ? '' : idPath}`
        : null,
      searches.filter(({ reading }) => reading !== 'ok'),
    ),
  );
  const style = paging.value;
  const isCounted = style?.style === 'page' || style?.style === 'offset';
  const matches = given.search?.matches;
  // A search that found nothing refutes the rules under which it would find a known name.
  const nothing = readPages(
    searches.filter(({ reading }) => reading === 'absent'),
    { ...paths, nameFallbacks: [], total: null },
  );
  const learnedRule = findQueryRule([...pages, ...nothing], known, isWhole);
  const rule = {
    ...learnedRule,
    ...unlessGiven(matches === 'unknown' ? null : matches, learnedRule),
  };
  const renamed = renamedIds(known);
  const opens =
    opened === null
      ? open(
          null,
          entities.length === 0
            ? 'no record was requested yet'
            : 'no response contained the requested record',
        )
      : withWholeName(opened.record, entities, namePath === bestName ? 2 : 1);
  const record =
    renamed === 0 || opens.certainty === 'open' ? opens : likely(opens.value, ofSeveral(renamed));
  return {
    listing,
    idPath,
    namePath,
    item,
    total,
    pages,
    size,
    areUneven: isCounted && areUneven(pages, style),
    record,
    known,
    rule,
    isWhole,
    nameFallbacks: fallbacks,
    hasSeveralRows: hasSeveralRows(pages) || renamed > 0,
    id: unlessGiven(
      given.search?.id === undefined ? undefined : relativeTo(item, idPath),
      judgeId(relativeTo(item, idPath), idPath, opened, listing),
    ),
    name:
      given.search?.name !== undefined
        ? sure(namePath === null ? null : relativeTo(item, namePath), GIVEN)
        : renamed === 0
          ? judgeName(
              listing,
              { idPath, namePath, nameOf, item, pages, rule: rule.value, record },
              hints.examples,
            )
          : likely(namePath === null ? null : relativeTo(item, namePath), ofSeveral(renamed)),
    paging,
    minLength: unlessGiven(
      given.search?.min_length,
      findMinLength(pages, minLengthByErrors({ params, expressions: [] }, query)),
    ),
  };
}

function withWholeName(
  record: OpenedRecord['record'],
  entities: readonly ProbeExchange[],
  least: number,
): OpenedRecord['record'] {
  const paths = record.value;
  if (paths === null || paths.name === null) return record;
  const documents = entities.flatMap(({ json }) => valueAt(json, paths.root) ?? []);
  return { ...record, value: { ...paths, name: wholeName(documents, paths.name, least) } };
}

/** Returns the number of ids with several names, of which the rows do not show the current one. */
function renamedIds(known: readonly KnownName[]): number {
  const names = Map.groupBy(known, ({ id }) => id);
  return [...names.values()].filter((some) => new Set(some.map(({ name }) => plainText(name))).size > 1)
    .length;
}

const ofSeveral = (ids: number): string =>
  `${ids} ${ids === 1 ? 'id has' : 'ids have'} rows with different names, such as a former one`;

/** Returns the query in a search. If the query parameter is unknown, the texts of the request identify its query. */
function queryTextOf(search: ProbeExchange, query: QueryHypothesis | null): string | null {
  if (query !== null) {
    const value = paramOf(search, query.param);
    // A query in another form is a search of its own, but cannot be sent in this form.
    return value === null ? null : (queryIn(search, query) ?? OTHER_FORM + value);
  }
  const texts = search.request.params.filter(
    ([name]) => roleOfParam(name) === 'query' || roleOfParam(name) === null,
  );
  return texts.length === 0 ? null : OTHER_FORM + JSON.stringify(texts);
}

/** Returns the first path to an id whose values did not fail to open a record. */
function untriedId({ ids, rows }: ResultList, entities: readonly ProbeExchange[], template: string): Pointer {
  const requested = new Set(entities.map(({ request }) => request.path));
  const hasFailed = ({ pointer }: PathCandidate) =>
    rows.some((row) => requested.has(entityPath(template, textAt(row, pointer) ?? '') ?? ''));
  return (ids.find((candidate) => !hasFailed(candidate)) ?? ids[0])?.pointer ?? '';
}

function judgeId(
  pointer: Pointer,
  idPath: Pointer,
  opened: OpenedRecord | null,
  { ids, rows }: ResultList,
): Finding<Pointer> {
  const distinct = idsDistinct(rows.map((row) => textAt(row, idPath) ?? '')).because;
  if (opened?.record.certainty === 'sure')
    return sure(pointer, `${distinct}, opens a record that carries it and the row's name`);
  if (opened?.record.value?.id === null)
    return likely(pointer, `${distinct}, opens records with the names of their rows`);
  if (opened !== null)
    return likely(pointer, `${distinct}, opens a record that carries it, but no name to compare`);
  const others = ids.slice(1, 3).map((candidate) => candidate.pointer);
  return likely(pointer, others.length === 0 ? distinct : `${distinct}, as do ${others.join(' and ')}`);
}

/**
 * Judges the name with the checks of a running mirror. Sure: a text that differs from row to row, matches at least two
 * queries, and equals the record's name or the user's example.
 */
function judgeName(
  { rows, names: candidates }: ResultList,
  {
    idPath,
    namePath,
    nameOf,
    item,
    pages,
    rule,
    record,
  }: Pick<SearchBeliefs, 'idPath' | 'namePath' | 'item' | 'pages' | 'record'> & {
    readonly rule: RuleFinding['value'];
    readonly nameOf: (row: JsonObject) => string | null;
  },
  examples: readonly string[],
): Finding<Pointer | null> {
  if (namePath === null) return open(null, 'no text in the rows differs from row to row like a name');
  const named = rows.map((row) => ({ id: textAt(row, idPath) ?? '', name: nameOf(row) }));
  const queried = pages.flatMap(({ query, names }) =>
    query === null ? [] : names.map((name) => ({ query, name })),
  );
  const varies = namesVary(named.map(({ name }) => name));
  const matches = namesMatchQuery(queried, rule ?? 'unknown');
  const isExample = named.some(({ name }) => name !== null && examples.includes(name));
  const inRecord = record.certainty === 'sure' && record.value?.name != null;
  const checks = [
    varies.because,
    matches.because,
    ...(inRecord ? ["equals the record's name"] : []),
    ...(isExample ? ['is your example'] : []),
  ];
  const isMatched = ({ names, query }: SearchPage) =>
    query !== null && names.length > 0 && names.every((name) => mayFind(query, name ?? ''));
  const queries = new Set(pages.filter(isMatched).map(({ query }) => query));
  const [best, other] = candidates;
  const isTie =
    queried.length === 0 &&
    best !== undefined &&
    other !== undefined &&
    best.score - other.score < TIE &&
    isNameKey(other.pointer) &&
    !isBesideId(other.pointer, [best]) &&
    // Two selectors of one list lead to two versions of the same text.
    keysOf(best.pointer).join('/') !== keysOf(other.pointer).join('/') &&
    // Two paths can lead to the same texts.
    rows.some((row) => textAt(row, best.pointer) !== textAt(row, other.pointer));
  if (isTie)
    return open(
      relativeTo(item, namePath),
      `${best.pointer} and ${other.pointer} are in two objects, and no query shows which is the name`,
    );
  const isSure =
    varies.holds === true &&
    (matches.holds ?? queries.size >= 2) &&
    namesAreText(named).holds !== false &&
    (inRecord || isExample);
  return (isSure ? sure : likely)(relativeTo(item, namePath), checks.join(', '));
}

/** If the scores of two texts differ by less, neither is likelier to be the name. */
const TIE = 4;
