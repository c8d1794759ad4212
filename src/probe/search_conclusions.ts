import type { Pointer } from '../dialect/dialect.ts';
import { valueAt } from '../json/pointer.ts';
import { type AnsweredSearch, firstPages, type IsWhole, readSearches } from './answered_searches.ts';
import { findCursorParam } from './cursor_parameter.ts';
import { type Exchange, type Finding, likely, open, paramOf, sure } from './evidence.ts';
import { findIdentifiers, type IdentifierFacts } from './identifier_search.ts';
import { findMinQueryLength } from './min_query_length.ts';
import { findNextPageLink, type NextPageLink } from './next_page_link.ts';
import { pagePositionsOf, wholeness } from './page_positions.ts';
import { findSize, type SizeFacts } from './page_size.ts';
import {
  explainingMoves,
  type Move,
  PAGING_PARAMS,
  type PagePosition,
  type PagingStyle,
  pagingBy,
  pagingFrom,
} from './paging.ts';
import type { RecordPaths } from './record_paths.ts';
import { findOpened, noRecord, type OpenedRecord } from './record_paths.ts';
import { itemOf, type ResultList, textAt } from './result_list.ts';
import { relativeTo } from './row_paths.ts';
import { findSemantics, type KnownName, type Semantics } from './search_semantics.ts';
import { findClamp, findTotal } from './search_total.ts';

/** What the answers of searches, and the records that they led to, amount to. */
export interface SearchConclusions {
  readonly listing: ResultList;
  /** As they stand in the list; `id` and `name` of findings are relative to the item. */
  readonly idPath: Pointer;
  readonly namePath: Pointer | null;
  readonly item: Pointer;
  readonly id: Finding<Pointer>;
  readonly name: Finding<Pointer | null>;
  readonly total: Finding<Pointer | null>;
  readonly clamp: Finding<number | null>;
  readonly answered: readonly AnsweredSearch[];
  readonly size: SizeFacts;
  readonly paging: PagingConclusion;
  readonly record: Finding<RecordPaths | null>;
  readonly known: readonly KnownName[];
  readonly semantics: Finding<Semantics | null> & { readonly left: readonly Semantics[] };
  readonly identifiers: IdentifierFacts;
  readonly minQueryLength: Finding<number>;
  /** Did everything that a search matches come? */
  readonly isWhole: IsWhole;
}

export interface PagingConclusion extends Finding<PagingStyle | null> {
  readonly nextPageLink: NextPageLink | null;
  /** The moves that are still possible. */
  readonly moves: readonly Move[];
  readonly turned: readonly PagePosition[];
}

export interface SearchInput {
  readonly listing: ResultList;
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
  const idPlace = opened?.idPath ?? listing.ids[0]?.pointer ?? '';
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
  const size = findSize(asked, firstPages(asked, PAGING_PARAMS), refusedQueries);
  const paging = concludePaging(asked, size);
  const known = knownNames(listing, idPlace, namePlace);
  const record = opened?.record ?? noRecord(entities);
  const clamp = findClamp(asked);
  const isWhole = wholeness(asked, size, clamp.value);
  const semantics = findSemantics(asked, known, isWhole);
  return {
    listing,
    idPath: idPlace,
    namePath: namePlace,
    item,
    id: idFinding(relativeTo(item, idPlace), opened, listing),
    name: nameFinding(namePlace === null ? null : relativeTo(item, namePlace), record),
    total,
    clamp,
    answered: asked,
    size,
    paging,
    record,
    known,
    semantics,
    isWhole,
    minQueryLength: findMinQueryLength(asked, refused, queryParam, semantics.value),
    identifiers: findIdentifiers(
      asked,
      refused,
      known.map(({ id }) => id),
      queryParam,
      isWhole,
    ),
  };
}

function concludePaging(asked: readonly AnsweredSearch[], size: SizeFacts): PagingConclusion {
  const nextPageLink = findNextPageLink(asked.map(({ search }) => search));
  const turned = pagePositionsOf(asked, size);
  const moves = explainingMoves(turned);
  const byPost = nextPageLink === null ? null : pagingBy(nextPageLink);
  if (byPost !== null && nextPageLink !== null)
    return {
      ...sure(byPost, `${nextPageLink.at || 'the header Link'} leads to ${nextPageLink.value.slice(0, 80)}`),
      nextPageLink,
      moves,
      turned,
    };
  if (nextPageLink !== null) return { ...findCursorParam(nextPageLink, asked), nextPageLink, moves, turned };
  const found = pagingFrom(moves);
  const inVain = moves.length === 0 ? turned.find(isAboutMany) : undefined;
  if (inVain === undefined) return { ...found, nextPageLink, moves, turned };
  const because = `${inVain.one.search.request.params.length - 1} likely parameters at once changed nothing`;
  return { ...likely(null, because), nextPageLink, moves, turned };
}

/** All likely parameters were sent, and the first page came. */
function isAboutMany({ shift, one }: PagePosition): boolean {
  return shift === 0 && one.search.request.params.filter(([name]) => PAGING_PARAMS.has(name)).length > 8;
}

function idFinding(pointer: Pointer, opened: OpenedRecord | null, { ids }: ResultList): Finding<Pointer> {
  const others = ids.slice(1, 3).map((candidate) => candidate.pointer);
  if (opened?.record.certainty === 'sure') return sure(pointer, 'an id from there opened its record');
  return opened !== null
    ? likely(pointer, 'an id from there opened a record, which shows no name to compare')
    : likely(
        pointer,
        `its values differ from row to row${others.length > 0 ? `, as do those at ${others.join(' and ')}` : ''}`,
      );
}

function nameFinding(pointer: Pointer | null, record: Finding<RecordPaths | null>): Finding<Pointer | null> {
  if (pointer === null) return open(null, 'nothing in the rows looks like a name');
  return record.value?.name == null
    ? likely(pointer, 'it looks like a name')
    : sure(pointer, 'the record holds the same name');
}

function knownNames({ rows }: ResultList, id: Pointer, name: Pointer | null): KnownName[] {
  return rows.flatMap((row) => {
    const [idText, nameText] = [textAt(row, id), name === null ? null : textAt(row, name)];
    return idText === null || nameText === null ? [] : [{ id: idText, name: nameText }];
  });
}

/** The list is there, though it may be empty. */
export function hasList(search: Exchange, results: Pointer): boolean {
  return Array.isArray(valueAt(search.json, results));
}
