import type { Pointer } from '../../dialect/dialect.ts';
import { valueAt } from '../../dialect/pointer.ts';
import { type Asked, firstPages, type IsWhole, readSearches } from './asked.ts';
import { findCursorParam } from './cursor.ts';
import { type Exchange, paramOf } from './exchange.ts';
import { relativeTo } from './fields.ts';
import { type Finding, likely, open, sure } from './finding.ts';
import { findIdentifiers, type IdentifierFacts } from './identifiers.ts';
import { findLeast } from './least.ts';
import { itemOf, type Listing, textAt } from './listing.ts';
import { turnedOf, wholeness } from './pages.ts';
import type { RecordPlaces } from './record.ts';
import { findOpened, noRecord, type OpenedRecord } from './record_answers.ts';
import { findSemantics, type KnownName, type Semantics } from './semantics.ts';
import { findSignpost, type Signpost } from './signpost.ts';
import { findSize, type SizeFacts } from './size.ts';
import { findClamp, findTotal } from './total.ts';
import {
  explainingMoves,
  type Move,
  TURNING_PARAMS,
  type Turned,
  type Turning,
  turningBy,
  turningFrom,
} from './turning.ts';

/** What the answers of searches, and the records that they led to, amount to. */
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

export interface SearchInput {
  readonly listing: Listing;
  readonly searches: readonly Exchange[];
  readonly entities: readonly Exchange[];
  readonly queryParam: string;
  readonly template: string;
}

export function concludeSearch({
  listing,
  searches,
  entities,
  queryParam,
  template,
}: SearchInput): SearchConclusions {
  const { results } = listing;
  const answered = searches.filter(({ reading }) => reading === 'answered');
  const refused = searches.filter(({ reading }) => reading === 'refused');
  const namePlace = listing.names[0]?.pointer ?? null;
  const opened = findOpened(listing, entities, template, namePlace);
  const idPlace = opened?.idPlace ?? listing.ids[0]?.pointer ?? '';
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
  const record = opened?.record ?? noRecord(entities);
  const clamp = findClamp(asked);
  const isWhole = wholeness(asked, size, clamp.value);
  const semantics = findSemantics(asked, known, isWhole);
  return {
    listing,
    idPlace,
    namePlace,
    item,
    id: idFinding(relativeTo(item, idPlace), opened, listing),
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
  const found = turningFrom(moves);
  const inVain = moves.length === 0 ? turned.find(isAboutMany) : undefined;
  if (inVain === undefined) return { ...found, signpost, moves, turned };
  const because = `${inVain.one.search.request.params.length - 1} likely parameters at once changed nothing`;
  return { ...likely(null, because), signpost, moves, turned };
}

/** All likely parameters were sent, and the first page came. */
function isAboutMany({ shift, one }: Turned): boolean {
  return shift === 0 && one.search.request.params.filter(([name]) => TURNING_PARAMS.has(name)).length > 8;
}

function idFinding(pointer: Pointer, opened: OpenedRecord | null, { ids }: Listing): Finding<Pointer> {
  const others = ids.slice(1, 3).map((candidate) => candidate.pointer);
  if (opened?.record.certainty === 'sure') return sure(pointer, 'an id from there opened its record');
  return opened !== null
    ? likely(pointer, 'an id from there opened a record, which shows no name to compare')
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

function knownNames({ rows }: Listing, id: Pointer, name: Pointer | null): KnownName[] {
  return rows.flatMap((row) => {
    const [idText, nameText] = [textAt(row, id), name === null ? null : textAt(row, name)];
    return idText === null || nameText === null ? [] : [{ id: idText, name: nameText }];
  });
}

/** The list is there, though it may be empty. */
export function hasList(search: Exchange, results: Pointer): boolean {
  return Array.isArray(valueAt(search.json, results));
}
