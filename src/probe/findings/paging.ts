import { broadest, isProbablyTruncated, isSmallAndStrict } from '../broad_queries.ts';
import type {
  Conclusions,
  PagePosition,
  PagingConclusion,
  PagingStyle,
  SearchConclusions,
  SearchPage,
  SizeFacts,
} from '../conclusions.ts';
import {
  type Finding,
  likely,
  type Param,
  type SearchDraft,
  sure,
  wasRefused,
  wasSent,
} from '../evidence.ts';
import { isPagingParam } from '../param_roles.ts';
import { ignoresUnknownParams } from '../refusals.ts';
import {
  CURSOR_PARAMS,
  IDENTIFIER_PARAMS,
  OFFSET_PARAMS,
  PAGE_PARAMS,
  SINGLE_PAGING_PARAMS,
} from '../word_lists.ts';
import { cursorDrafts, findCursorParam } from './cursor_parameter.ts';
import { emptyNextPageLink, findNextPageLink, styleOfLink } from './next_page_link.ts';
import {
  distinguishingDrafts,
  findPageOrOffset,
  firstDrafts,
  positionsOf,
  possibleMoves,
} from './page_and_offset.ts';

/**
 * Finds out how the next page is requested. It prefers a next-page link, then a cursor and its parameter, then a page
 * or offset parameter. To add a paging style, recognise it in this function and add a request to `probePaging`.
 */
export function findPaging(pages: readonly SearchPage[], size: SizeFacts): PagingConclusion {
  const nextPageLink = findNextPageLink(pages.map(({ exchange }) => exchange));
  const positions = positionsOf(pages, size);
  const moves = possibleMoves(positions);
  const evidence = { nextPageLink, moves, positions };
  if (nextPageLink === null) {
    const emptyLink = emptyNextPageLink(pages.map(({ exchange }) => exchange));
    if (emptyLink === null || moves.length > 0) return { ...withoutLink(evidence), ...evidence };
    const because = `${emptyLink} is empty in responses with a single page`;
    return { ...likely({ style: 'next_url', next: emptyLink }, because), ...evidence };
  }
  const style = styleOfLink(nextPageLink);
  if (style === null) return { ...findCursorParam(nextPageLink, pages), ...evidence };
  const because = `${nextPageLink.at || 'the Link header'} contains ${nextPageLink.value.slice(0, 80)}`;
  return { ...sure(style, because), ...evidence };
}

function withoutLink({
  moves,
  positions,
}: Pick<PagingConclusion, 'moves' | 'positions'>): Finding<PagingStyle | null> {
  const ineffective = moves.length === 0 ? positions.find(isFirstPageDespiteAll) : undefined;
  if (ineffective === undefined) return findPageOrOffset(moves);
  const count = ineffective.page.exchange.request.params.length - 1;
  return likely(null, `${count} likely parameters had no effect`);
}

/**
 * Returns whether the upstream returned the first page, although the request contained nearly all usual paging
 * parameters.
 */
function isFirstPageDespiteAll({ shift, page }: PagePosition): boolean {
  return shift === 0 && page.exchange.request.params.filter(([name]) => isPagingParam(name)).length > 8;
}

/**
 * Drafts a request for another page of the broadest query. If the size parameter is unknown, the same call also probes
 * size parameters.
 */
export function probePaging(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  return pagingDraft(conclusions, search, MAX_SINGLE);
}

/** Drafts requests for the less likely paging parameters, one parameter each. Called after all other findings. */
export function probeRarePaging(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  return pagingDraft(conclusions, search, SINGLE_PAGING_PARAMS.length);
}

const MAX_SINGLE = 4;

/**
 * Drafts one request with all usual parameter names that have not been tested yet. The request is useful if the API
 * names all unknown parameters, because the API then has all parameters that it does not name. Returns null if too few
 * names are untested, or if the API has listed its parameters.
 */
export function probeParamNames(
  { query, queryParam }: Conclusions,
  search: SearchConclusions,
): SearchDraft | null {
  const { allowed, unknown, isListed, namesAllUnknown } = query.stated;
  const base = broadest(search);
  const tested = new Set([...allowed, ...unknown]);
  const untested = [...PAGE_PARAMS, ...OFFSET_PARAMS, ...CURSOR_PARAMS, ...IDENTIFIER_PARAMS].filter(
    (name) => !tested.has(name),
  );
  if (base === null || !namesAllUnknown || isListed || untested.length < MANY_UNTESTED) return null;
  return {
    params: [[queryParam.value ?? '', base.query ?? ''], ...untested.map((name): Param => [name, '1'])],
    why: 'which of these parameters does the API have?',
  };
}

const MANY_UNTESTED = 8;

/**
 * Returns whether another page is worth a call. In a small registry, longer queries cost fewer calls if parameter names
 * must be guessed one by one and no page is known to be truncated.
 */
function isWorthwhile(conclusions: Conclusions, { pages, paging }: SearchConclusions): boolean {
  if (!isSmallAndStrict(conclusions)) return true;
  const { stated } = conclusions.query;
  const isKnown = paging.moves.length > 0 || paging.nextPageLink !== null || stated.namesAllUnknown;
  return (
    isKnown ||
    stated.allowed.some(isPagingParam) ||
    pages.some((page) => isProbablyTruncated(page, pages, true))
  );
}

function pagingDraft(
  conclusions: Conclusions,
  search: SearchConclusions,
  maxSingle: number,
): SearchDraft | null {
  const { query: evidence, queryParam } = conclusions;
  const { searches } = evidence;
  const { paging } = search;
  if (paging.certainty === 'sure') return null;
  const base = broadest(search);
  if (base === null || !isWorthwhile(conclusions, search)) return null;
  const query: Param = [queryParam.value ?? '', base.query ?? ''];
  const isLenient = ignoresUnknownParams(searches);
  const sweep = probeParamNames(conclusions, search);
  if (sweep !== null) return sweep;
  const drafts =
    paging.nextPageLink?.is === 'cursor'
      ? cursorDrafts(base.query, conclusions, search, isLenient)
      : paging.moves.length > 0
        ? distinguishingDrafts(query, base, search, isLenient)
        : firstDrafts(query, base, search, { isLenient, maxSingle, evidence });
  const isNew = ({ params }: SearchDraft) =>
    !wasSent(searches, params) && (isLenient || !wasRefused(searches, params));
  return drafts.find(isNew) ?? null;
}
