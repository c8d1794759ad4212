import type { Pointer, ResponseRule } from '../../dialect/dialect.ts';
import { valueAt } from '../../dialect/pointer.ts';
import type { UpstreamAddress } from '../../dialect/request.ts';
import { entityUrl, UnwritableUrl } from '../../dialect/request.ts';
import { findAbsence } from './absence.ts';
import { type Addresses, findAddresses, joinsOf } from './addresses.ts';
import { type Asked, firstPages, type IsWhole, readSearches, tagsIn } from './asked.ts';
import { findCursorParam } from './cursor.ts';
import { type Exchange, paramOf } from './exchange.ts';
import { relativeTo } from './fields.ts';
import { type Finding, likely, open, sure } from './finding.ts';
import { findIdentifiers, type IdentifierFacts } from './identifiers.ts';
import { findLeast } from './least.ts';
import { findListing, itemOf, type Listing, textAt } from './listing.ts';
import { findQueryParam, type QueryEvidence, shortestText } from './query_parameter.ts';
import { findRecord, type RecordPlaces } from './record.ts';
import { findSemantics, type KnownName, type Semantics } from './semantics.ts';
import { findSignpost, type Signpost } from './signpost.ts';
import { findSize, type SizeFacts } from './size.ts';
import { findRegistryTotal } from './statistics.ts';
import { findClamp, findTotal } from './total.ts';
import {
  explainingMoves,
  type Move,
  shiftOf,
  TURNING_PARAMS,
  type Turned,
  type Turning,
  turningBy,
  turningFrom,
} from './turning.ts';
import { SIZE_PARAMS } from './vocabulary.ts';
import { wholeNumberOf } from './walk.ts';

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
}

export interface SearchConclusions {
  readonly listing: Listing;
  /** As they stand in the list; `id` and `name` of findings are relative to the item. */
  readonly idPlace: Pointer;
  readonly namePlace: Pointer | null;
  readonly item: Pointer;
  readonly id: Finding<Pointer>;
  readonly name: Finding<Pointer | null>;
  readonly total: Finding<Pointer | null>;
  readonly clamp: Finding<number | null>;
  readonly asked: readonly Asked[];
  readonly size: SizeFacts;
  readonly turning: TurningConclusion;
  readonly record: Finding<RecordPlaces | null>;
  readonly known: readonly KnownName[];
  readonly semantics: Finding<Semantics | null> & { readonly left: readonly Semantics[] };
  readonly identifiers: IdentifierFacts;
  readonly least: Finding<number>;
  /** Did everything that a search matches come? */
  readonly isWhole: IsWhole;
}

export interface TurningConclusion extends Finding<Turning | null> {
  readonly signpost: Signpost | null;
  /** The moves that are still possible. */
  readonly moves: readonly Move[];
  readonly turned: readonly Turned[];
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
  const search =
    listing === null || queryParam.value === null || listing.ids.length === 0
      ? null
      : concludeSearch({
          listing,
          searches,
          entities,
          queryParam: queryParam.value,
          template: templateOf(upstream, addresses.value),
        });
  const registryTotal = registryTotalOf(telling, search);
  return {
    joins,
    addresses,
    nextAddress,
    registryTotal,
    registrySize: registrySizeOf(telling, registryTotal.value),
    query,
    queryParam,
    search,
    absence: findAbsence(unknownIdAnswer(entities, search, templateOf(upstream, addresses.value))),
    leastText: Math.max(shortestText(searches), search?.least.value ?? 1),
  };
}

interface SearchInput {
  readonly listing: Listing;
  readonly searches: readonly Exchange[];
  readonly entities: readonly Exchange[];
  readonly queryParam: string;
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
  const answered = searches.filter(({ reading }) => reading === 'answered');
  const refused = searches.filter(({ reading }) => reading === 'refused');
  const verified = verifiedId(listing, entities, template);
  const idPlace = verified ?? listing.ids[0]?.pointer ?? '';
  const namePlace = listing.names[0]?.pointer ?? null;
  const item = itemOf(listing.rows, idPlace, namePlace);
  const total = findTotal(answered, results, queryParam);
  const asked = readSearches(answered, {
    queryParam,
    results,
    id: idPlace,
    name: namePlace,
    total: total.value,
  });
  const refusedQueries = refused.filter((search) => paramOf(search, queryParam) !== null);
  const size = findSize(asked, firstPages(asked, TURNING_PARAMS), refusedQueries);
  const turning = concludeTurning(asked, size);
  const known = knownNames(listing, idPlace, namePlace);
  const record = recordOf({ entities, listing, idPlace, namePlace, item, template });
  const clamp = findClamp(asked);
  const isWhole = wholeness(asked, size, clamp.value);
  const semantics = findSemantics(asked, known, isWhole);
  return {
    listing,
    idPlace,
    namePlace,
    item,
    id: idFinding(relativeTo(item, idPlace), verified !== null, listing),
    name: nameFinding(namePlace === null ? null : relativeTo(item, namePlace), record),
    total,
    clamp,
    asked,
    size,
    turning,
    record,
    known,
    semantics,
    isWhole,
    least: findLeast(asked, refused, queryParam, semantics.value),
    identifiers: findIdentifiers(
      asked,
      refused,
      known.map(({ id }) => id),
      queryParam,
      isWhole,
    ),
  };
}

function concludeTurning(asked: readonly Asked[], size: SizeFacts): TurningConclusion {
  const signpost = findSignpost(asked.map(({ search }) => search));
  const turned = turnedOf(asked, size);
  const moves = explainingMoves(turned);
  const byPost = signpost === null ? null : turningBy(signpost);
  if (byPost !== null && signpost !== null)
    return {
      ...sure(byPost, `${signpost.at || 'the header Link'} leads to ${signpost.value.slice(0, 80)}`),
      signpost,
      moves,
      turned,
    };
  if (signpost !== null) return { ...findCursorParam(signpost, asked), signpost, moves, turned };
  return { ...turningFrom(moves), signpost, moves, turned };
}

function turnedOf(asked: readonly Asked[], size: SizeFacts): Turned[] {
  const turning = asked.filter(({ search }) =>
    search.request.params.some(([name]) => TURNING_PARAMS.has(name)),
  );
  const all = new Set(turning);
  return turning.flatMap((one) => {
    const order = orderFor(one, asked, all);
    const shift = shiftOf(one, order);
    return shift === null ? [] : [{ one, shift, order, pageSizes: pageSizesOf(one, size, shift) }];
  });
}

/** The order of the rows for the same text: the longest first page. */
function orderFor(one: Asked, asked: readonly Asked[], except: ReadonlySet<Asked>): readonly string[] {
  return asked
    .filter((other) => !except.has(other) && other.text === one.text)
    .reduce<readonly string[]>((longest, { ids }) => (ids.length > longest.length ? ids : longest), []);
}

/**
 * How many rows a page of this search may hold: what was asked for where that is heeded; else as many as came, or
 * more where they may have been the last ones.
 */
function pageSizesOf(
  one: Asked,
  { param, byDefault, largest }: SizeFacts,
  shift: Turned['shift'] = 0,
): number[] {
  const rows = one.rows.length;
  const asked = one.search.request.params.find(([name]) => name === param.value);
  if (param.certainty === 'sure' && asked !== undefined)
    return [Math.min(Number(asked[1]), Math.max(largest.value.rows, rows))];
  const usual = Math.max(byDefault ?? 1, rows);
  const tags = tagsIn(one, SIZE_NAMES);
  if (tags.length === 0) return [usual];
  const isLast = shift === 'beyond' || one.total === null || shift + rows >= one.total;
  const larger = isLast ? tags.map(({ value }) => value).filter((value) => value > rows) : [];
  return [...new Set([rows, usual, ...larger])];
}

function wholeness(asked: readonly Asked[], size: SizeFacts, clamp: number | null): IsWhole {
  const most = Math.max(0, ...asked.map(({ rows }) => rows.length));
  return (one) => {
    const { total, rows, search } = one;
    if (search.request.params.some(([name]) => TURNING_PARAMS.has(name))) return false;
    if (total !== null && total !== clamp) return rows.length >= total;
    const isSized = tagsIn(one, SIZE_NAMES).length > 0;
    if (isSized && size.param.value === null) return false;
    // As many as the fullest page of all may have been cut off by a limit that is not known.
    return rows.length < Math.min(...pageSizesOf(one, size), most);
  };
}

const SIZE_NAMES: ReadonlySet<string> = new Set(SIZE_PARAMS);

function registryTotalOf(
  exchanges: readonly Exchange[],
  search: SearchConclusions | null,
): Finding<Pointer | null> {
  const stats = statsAnswer(exchanges);
  if (stats?.json === undefined) return open(null, 'the statistics were not found');
  const everything = search?.asked.find(({ text }) => text === null)?.total ?? null;
  return findRegistryTotal(stats.json, everything);
}

function registrySizeOf(exchanges: readonly Exchange[], total: Pointer | null): number | null {
  const stats = statsAnswer(exchanges);
  return total === null || stats === undefined ? null : wholeNumberOf(valueAt(stats.json, total));
}

function statsAnswer(exchanges: readonly Exchange[]): Exchange | undefined {
  return exchanges.findLast(({ request, reading }) => request.kind === 'stats' && reading === 'answered');
}

function idFinding(pointer: Pointer, isVerified: boolean, { ids }: Listing): Finding<Pointer> {
  const others = ids.slice(1, 3).map((candidate) => candidate.pointer);
  return isVerified
    ? sure(pointer, 'an id from there opened its record')
    : likely(
        pointer,
        `its values differ from row to row${others.length > 0 ? `, as do those at ${others.join(' and ')}` : ''}`,
      );
}

function nameFinding(pointer: Pointer | null, record: Finding<RecordPlaces | null>): Finding<Pointer | null> {
  if (pointer === null) return open(null, 'nothing in the rows looks like a name');
  return record.value?.name == null
    ? likely(pointer, 'it looks like a name')
    : sure(pointer, 'the record holds the same name');
}

/** The place whose id opened a record. */
function verifiedId(listing: Listing, entities: readonly Exchange[], template: string): Pointer | null {
  const opened = entities.filter(({ reading }) => reading === 'answered').map(({ request }) => request.path);
  const place = listing.ids.find(({ pointer }) =>
    listing.rows.some((row) => {
      const id = textAt(row, pointer);
      return id !== null && opened.includes(entityPath(template, id) ?? '');
    }),
  );
  return place?.pointer ?? null;
}

interface RecordInput {
  readonly entities: readonly Exchange[];
  readonly listing: Listing;
  readonly idPlace: Pointer;
  readonly namePlace: Pointer | null;
  readonly item: Pointer;
  readonly template: string;
}

function recordOf(input: RecordInput): Finding<RecordPlaces | null> {
  const { entities, listing, idPlace, namePlace, item, template } = input;
  for (const answer of entities) {
    const row = listing.rows.find(
      (one) => entityPath(template, textAt(one, idPlace) ?? '') === answer.request.path,
    );
    if (row === undefined || answer.reading !== 'answered') continue;
    const found = findRecord(answer, {
      id: textAt(row, idPlace) ?? '',
      name: namePlace === null ? null : textAt(row, namePlace),
      idInList: relativeTo(item, idPlace),
      nameInList: namePlace === null ? null : relativeTo(item, namePlace),
    });
    if (found.value !== null) return found;
  }
  return open(
    null,
    entities.length === 0 ? 'no record was asked for yet' : 'no answer held the record that was asked for',
  );
}

function unknownIdAnswer(
  entities: readonly Exchange[],
  search: SearchConclusions | null,
  template: string,
): Exchange | null {
  const known = new Set(
    search?.listing.ids.flatMap(({ pointer }) => idPaths(search.listing, pointer, template)),
  );
  return entities.find(({ request }) => !known.has(request.path)) ?? null;
}

function idPaths({ rows }: Listing, pointer: Pointer, template: string): string[] {
  return rows.flatMap((row) => {
    const id = textAt(row, pointer);
    return id === null ? [] : [entityPath(template, id) ?? ''];
  });
}

function knownNames({ rows }: Listing, id: Pointer, name: Pointer | null): KnownName[] {
  return rows.flatMap((row) => {
    const [idText, nameText] = [textAt(row, id), name === null ? null : textAt(row, name)];
    return idText === null || nameText === null ? [] : [{ id: idText, name: nameText }];
  });
}

/** The path of one record; null where the id cannot stand in a path. */
export function entityPath(template: string, id: string): string | null {
  const url = entityUrl({ entity: template } as Parameters<typeof entityUrl>[0], id);
  return url instanceof UnwritableUrl ? null : url.pathname;
}

function templateOf({ base_url }: UpstreamAddress, addresses: Addresses | null): string {
  return `${new URL(base_url).origin}${addresses?.entity ?? '/{id}'}`;
}

export function hasList(search: Exchange, results: Pointer): boolean {
  return Array.isArray(valueAt(search.json, results));
}
