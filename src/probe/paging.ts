import { Paging, type Pointer, type StatedDialect } from '../dialect/dialect.ts';
import { leavesOf, wholeNumberOf } from './bodies.ts';
import {
  areStable,
  type Finding,
  likely,
  open,
  type Param,
  type ProbeExchange,
  paramOf,
  paramsKey,
  sure,
} from './exchange.ts';
import { GIVEN } from './given.ts';
import {
  asksForCursors,
  FAR,
  FIRST_CURSOR,
  findNextPageLink,
  isFarPage,
  isFirstPage,
  type NextPageLink,
  orderOf,
  type SearchPage,
} from './pages.ts';
import { pageSizesOf, type SizeFacts } from './size.ts';
import { likelyPart } from './trials.ts';
import { isPagingParam, roleOfParam } from './words.ts';

/** Hypotheses and evidence about the next page: a link, a cursor, or a parameter that moves the first row. */

export type PagingStyle =
  | { readonly style: 'none' | 'link_header' }
  | { readonly style: 'next_url'; readonly next: Pointer }
  | { readonly style: 'page' | 'offset'; readonly param: string; readonly first: number }
  | { readonly style: 'cursor'; readonly param: string; readonly next: Pointer; readonly first?: string };

export interface PagingFinding extends Finding<PagingStyle | null> {
  readonly link: NextPageLink | null;
  /** The possible effects of page and offset parameters that no response contradicts. */
  readonly moves: readonly Move[];
  readonly positions: readonly Position[];
  /** Whether the same request returned the rows in another order. */
  readonly isOrderUnstable: boolean;
  /** The parameters that moved no rows. */
  readonly unmoving: ReadonlySet<string>;
}

/** A possible effect of a page or offset parameter: by how many rows it moves the first row. */
interface Move {
  readonly style: 'page' | 'offset';
  readonly param: string;
  /** The value that requests the first page. */
  readonly first: number;
  readonly shift: number;
  /** Whether responses that repeat the page number contradict where the rows moved. */
  readonly isDoubted?: boolean;
}

/** A page that was requested with paging parameters, and its position in the listing. */
interface Position {
  readonly page: SearchPage;
  /** The index of the page's first row in `order`, or `beyond` if that row is not among the known rows. */
  readonly shift: number | 'beyond';
  /** The page sizes that may have applied to the request. */
  readonly pageSizes: readonly number[];
  readonly order: readonly string[];
}

/**
 * Judges how the next page is requested. A next-page link is preferred, then a cursor, then a parameter.
 * For: the page has the rows that follow the first page's rows.
 * Against: it repeats the first page, or starts elsewhere than the hypothesis predicts.
 */
export function findPaging(
  pages: readonly SearchPage[],
  size: SizeFacts,
  lastId: Pointer | null = null,
  failed: readonly ProbeExchange[] = [],
): PagingFinding {
  const exchanges = pages.map(({ exchange }) => exchange);
  const link = findNextPageLink(exchanges);
  const isOrderUnstable = hasUnstableOrder(pages);
  const positions = isOrderUnstable ? farPositionsOf(pages, size) : positionsOf(pages, size);
  const possible = possibleMoves(positions).map((move) => ({ ...move, ...echoedFirst(move, pages) }));
  // A page that is read twice costs one call, and a page that is never read its companies.
  const hasPageZero = ({ param }: Move) => !failed.some((one) => paramOf(one, param) === '0');
  const moves = isOrderUnstable
    ? possible.filter((move) => move.first === Number(!hasPageZero(move)))
    : possible;
  const unmoving = new Set(
    positions.flatMap(({ shift, page }) =>
      shift === 0 ? page.exchange.request.params.map(([name]) => name).filter(isPagingParam) : [],
    ),
  );
  const evidence = { link, moves, positions, isOrderUnstable, unmoving };
  return { ...judge(pages, [...exchanges, ...failed], lastId, evidence), ...evidence };
}

/** If so few names had no effect, the API can have a usual one. */
const FEW_NAMES = 8;

/** Returns how the next page is requested, if the user has set it completely. */
export function givenPaging(
  given: NonNullable<StatedDialect['search']>['paging'],
  learned: PagingFinding,
): PagingFinding {
  const { data } = Paging.safeParse(given);
  if (data === undefined) return learned;
  const { size: _size, size_param: _sizeParam, window: _window, uneven: _uneven, ...style } = data;
  return { ...learned, ...sure<PagingStyle>(style as PagingStyle, GIVEN) };
}

/** Returns whether two equal requests returned different companies, or another order of them. */
function hasUnstableOrder(pages: readonly SearchPage[]): boolean {
  const byRequest = Map.groupBy(pages, ({ exchange }) => paramsKey(exchange.request.params));
  return [...byRequest.values()].some((equal) => !areStable(equal.map(({ keys }) => keys)));
}

/** If the order is unstable, only requests for pages beyond the end show where a page starts. */
function farPositionsOf(pages: readonly SearchPage[], size: SizeFacts): Position[] {
  return pages.flatMap((page) => {
    if (!isFarPage(page.exchange)) return [];
    const shift = page.keys.length === 0 ? 'beyond' : 0;
    return [{ page, shift, order: orderOf(page.query, pages), pageSizes: pageSizesOf(page, size, shift) }];
  });
}

function judge(
  pages: readonly SearchPage[],
  tried: readonly ProbeExchange[],
  lastId: Pointer | null,
  { link, moves, unmoving, isOrderUnstable }: Omit<PagingFinding, keyof Finding>,
): Finding<PagingStyle | null> {
  if (link?.is === 'cursor') return findCursorParam(link, pages);
  if (link !== null) {
    const style: PagingStyle =
      link.is === 'link_header' ? { style: 'link_header' } : { style: 'next_url', next: link.at };
    return sure(style, `${link.at || 'the Link header'} contains ${link.value.slice(0, 80)}`);
  }
  const [move, ...others] = moves;
  if (move !== undefined) {
    const paging = { style: move.style, param: move.param, first: move.first } as const;
    const because = move.isDoubted
      ? `a response to a request without ${move.param} says ${move.first}`
      : `${move.param} moves the first row by ${move.shift}`;
    if (others.some(({ param }) => param !== move.param))
      return open(
        null,
        `${candidatesOf(moves)
          .map(({ param }) => param)
          .join(', or ')} moves the rows`,
      );
    if (isOrderUnstable) {
      const isZeroTried = move.style === 'offset' || tried.some((one) => paramOf(one, move.param) === '0');
      const far = `the order of the rows changes, and ${move.param}=${FAR} returns none`;
      return isZeroTried ? likely(paging, far) : open(paging, far);
    }
    return others.length === 0 && !move.isDoubted ? sure(paging, because) : likely(paging, because);
  }
  const byLastId = lastId === null ? null : findCursorParam({ at: lastId }, pages, true);
  if (byLastId?.certainty === 'sure') return byLastId;
  const idTrials = cursorTrials(pages, true);
  const mayIdHelp =
    lastId !== null && (idTrials.length === 0 || idTrials.some(({ effective }) => effective.length > 0));
  return unmoving.size > FEW_NAMES && !mayIdHelp
    ? likely(null, 'all likely parameters had no effect')
    : open(null, 'no parameter changed the page yet');
}

function positionsOf(pages: readonly SearchPage[], size: SizeFacts): Position[] {
  return pages.flatMap((page) => {
    if (isFirstPage(page.exchange)) return [];
    const order = orderOf(page.query, pages);
    const shift = shiftOf(page, order);
    return shift === null ? [] : [{ page, shift, order, pageSizes: pageSizesOf(page, size, shift) }];
  });
}

/**
 * Returns the index of the page's first row in `order`, or `beyond` if that row is not in `order`. Returns null if the
 * page's rows are in a different order.
 */
function shiftOf({ keys }: SearchPage, order: readonly string[]): number | 'beyond' | null {
  const [first] = keys;
  if (order.length === 0) return null;
  if (first === undefined) return 'beyond';
  const at = order.indexOf(first);
  if (at === -1) return 'beyond';
  const overlap = keys.slice(0, order.length - at);
  return overlap.every((key, index) => key === order[at + index]) ? at : null;
}

/** Returns the moves that explain where all these pages start. */
function possibleMoves(positions: readonly Position[]): Move[] {
  const moved = positions.find(({ shift }) => shift !== 0);
  if (moved === undefined) return [];
  const moves = movesOf(moved.page, moved.pageSizes).filter(
    (move) => positions.every((position) => explains(move, position)) && isConsistent(move, positions),
  );
  return [...new Map(moves.map((move) => [`${move.style} ${move.param} ${move.first}`, move])).values()];
}

/**
 * Returns the moves that can explain one page's position, the most common first. A page parameter skips `(value - first)
 * * page size` rows, and an offset parameter skips `value - first` rows.
 */
function movesOf({ exchange }: SearchPage, pageSizes: readonly number[]): Move[] {
  return exchange.request.params.flatMap(([param, text]) => {
    const value = Number(text);
    const style = roleOfParam(param);
    if (!/^\d+$/.test(text) || (style !== 'page' && style !== 'offset')) return [];
    const steps = style === 'page' ? pageSizes : [1];
    return (style === 'page' ? [1, 0] : [0, 1])
      .flatMap((first) => steps.map((step) => ({ style, param, first, shift: (value - first) * step })))
      .filter(({ shift }) => shift >= 0);
  });
}

/** Returns the number of the first page if responses repeat the page number, which shows it better than single rows. */
function echoedFirst(
  { style, param, first }: Move,
  pages: readonly SearchPage[],
): Partial<Pick<Move, 'first' | 'isDoubted'>> {
  if (style !== 'page') return {};
  const echoes = pages.flatMap(({ exchange }) => {
    const leaf = leavesOf(exchange.json ?? null).find(({ pointer }) => pointer.endsWith(`/${param}`));
    return leaf === undefined ? [] : [{ sent: paramOf(exchange, param), number: wholeNumberOf(leaf.value) }];
  });
  const areRepeated = echoes.some(
    ({ sent, number }) => sent !== null && sent !== '0' && number === Number(sent),
  );
  const echoed = echoes.find(({ sent }) => sent === null)?.number;
  if (!areRepeated || (echoed !== 0 && echoed !== 1) || echoed === first) return {};
  return { first: echoed, isDoubted: true };
}

function explains(move: Move, { page, shift, pageSizes, order }: Position): boolean {
  const shifts = shiftsBy(move, page, pageSizes);
  if (shifts.length === 0) return shift === 0;
  if (shift !== 'beyond') return shifts.includes(shift);
  return shifts.some((possible) => possible >= order.length && fitsTotal(possible, page));
}

/**
 * Returns whether a page can start at this row. A page without rows starts after the last match, unless the upstream
 * returns no rows beyond a limit, which high values in a request with many candidates can exceed.
 */
function fitsTotal(start: number, { ids, total, exchange }: SearchPage): boolean {
  const { length } = exchange.request.params.filter(([name]) => isPagingParam(name));
  return total === null || ids.length > 0 || start >= total || length > 1;
}

/** Two pages beyond the known rows must have the same first row if and only if the move predicts the same start. */
function isConsistent(move: Move, positions: readonly Position[]): boolean {
  const beyond = positions.filter(({ shift }) => shift === 'beyond');
  return beyond.every((a, index) =>
    beyond.slice(index + 1).every((b) => {
      const [first, second] = [a.page.keys[0], b.page.keys[0]];
      if (a.page.query !== b.page.query || (first === undefined && second === undefined)) return true;
      return shiftsBy(move, a.page, a.pageSizes).some((one) =>
        shiftsBy(move, b.page, b.pageSizes).some((other) => {
          // A page without rows starts after the last row in the listing.
          if (first === undefined) return one > other;
          if (second === undefined) return other > one;
          return (one === other) === (first === second);
        }),
      );
    }),
  );
}

function shiftsBy(move: Move, page: SearchPage, pageSizes: readonly number[]): number[] {
  return movesOf(page, pageSizes)
    .filter(({ param, first, style }) => param === move.param && first === move.first && style === move.style)
    .map(({ shift }) => shift);
}

/** If an API must be asked for cursors, returns only the first pages that were requested with it, and all later pages. */
export function pagesWithCursors(pages: readonly SearchPage[]): readonly SearchPage[] {
  const isStarted = ({ exchange }: SearchPage) => isFirstPage(exchange) && asksForCursors(exchange);
  return pages.some(isStarted)
    ? pages.filter((page) => isStarted(page) || !isFirstPage(page.exchange))
    : pages;
}

/** Finds the parameter that takes the cursor: with the cursor, it returns the rows that the cursor points to. */
function findCursorParam(
  { at }: Pick<NextPageLink, 'at'>,
  all: readonly SearchPage[],
  areIds = false,
): Finding<PagingStyle | null> {
  const pages = pagesWithCursors(all);
  const trials = cursorTrials(pages, areIds);
  const shown = trials.flatMap(({ effective }) => effective);
  const [only, ...others] = [...new Set(shown)].filter((name) => isPossibleCursor(name, trials));
  if (only === undefined || others.length > 0)
    return open(null, `${at} contains a cursor, but no parameter took it yet`);
  const linked = all.map(({ exchange }) => exchange).filter((one) => findNextPageLink([one]) !== null);
  const isAsked =
    linked.some(asksForCursors) && !linked.some((one) => isFirstPage(one) && !asksForCursors(one));
  return sure(
    { style: 'cursor', param: only, next: at, ...(isAsked && { first: FIRST_CURSOR }) },
    `${only} with the cursor at ${at} returns the next rows`,
  );
}

/** A page that was requested with cursors. */
interface Trial {
  readonly sent: readonly string[];
  /** The parameters with a cursor that explains the page's first row. */
  readonly effective: readonly string[];
}

export function cursorTrials(pages: readonly SearchPage[], areIds = false): Trial[] {
  return pages.flatMap((page): Trial[] => {
    const rowsBefore = new Map(cursorsOf(page.query, pages, areIds).map(({ value, rows }) => [value, rows]));
    const sent = page.exchange.request.params.filter(
      ([name, value]) =>
        (areIds ? roleOfParam(name) === 'cursor' : isPagingParam(name)) && rowsBefore.has(value),
    );
    if (sent.length === 0 || page.ids.length === 0) return [];
    const order = orderOf(page.query, pages);
    const shift = shiftOf(page, order);
    const isAt = (rows: number) => (shift === 'beyond' ? rows >= order.length : rows === shift);
    const effective = shift === 0 ? [] : sent.filter(([, value]) => isAt(rowsBefore.get(value) ?? 0));
    return [{ sent: sent.map(([name]) => name), effective: effective.map(([name]) => name) }];
  });
}

/** Returns whether no trial contradicts that this parameter takes the cursor. */
export function isPossibleCursor(name: string, trials: readonly Trial[]): boolean {
  return trials.every(({ sent, effective }) =>
    effective.length > 0 ? effective.includes(name) : !sent.includes(name),
  );
}

/**
 * Returns the known cursors for a query, each with the number of rows before the row that it points to. With `areIds`,
 * the last id on a page is the cursor, as in many APIs whose responses have none.
 */
export function cursorsOf(
  query: string | null,
  pages: readonly SearchPage[],
  areIds = false,
): { readonly value: string; readonly rows: number }[] {
  const order = orderOf(query, pages);
  const first = pages.filter(
    (page) => page.query === query && (isFirstPage(page.exchange) || shiftOf(page, order) === 0),
  );
  const cursors = first.flatMap((page) => {
    const link = areIds ? null : findNextPageLink([page.exchange]);
    const value = areIds ? page.ids.at(-1) : link?.is === 'cursor' ? link.value : undefined;
    return value === undefined ? [] : [{ value, rows: page.ids.length }];
  });
  return cursors.sort((a, b) => b.rows - a.rows);
}

/** A parameter that may select a page, and its possible values for the first page. */
interface PagingCandidate {
  readonly param: string;
  readonly style: Move['style'];
  readonly firsts: readonly number[];
}

/** Returns the parameters in the possible moves as candidates. */
export function candidatesOf(moves: readonly Move[]): PagingCandidate[] {
  const params = new Map<string, PagingCandidate>();
  for (const { param, style, first } of moves)
    params.set(param, { param, style, firsts: [...(params.get(param)?.firsts ?? []), first] });
  return [...params.values()];
}

/**
 * Returns a value for each candidate. For any page size and first value, no two candidates move the first row by the
 * same number of rows. Moves that stay within the `count` known rows are assigned first, then moves within the total. If
 * the total is unknown or every such value is already in use, the value is `rest`. If that is null, the candidate is left
 * out.
 */
export function distinctShifts(
  candidates: readonly PagingCandidate[],
  pageSizes: readonly number[],
  { count, total }: { readonly count: number; readonly total: number },
  rest: number | null = 2,
): Param[] {
  const taken = pageSizes.map(() => new Set<number>([0]));
  return candidates.flatMap(({ param, style, firsts }): Param[] => {
    const shiftsAt = (value: number, size: number) =>
      firsts.map((first) => (value - first) * (style === 'page' ? size : 1));
    const isFree = (value: number, bound: number) =>
      pageSizes.every((size, index) =>
        shiftsAt(value, size).every(
          // The first page sizes are small and likely. Only moves with a larger page size may exceed the bound.
          (shift) => shift > 0 && (shift < bound || index >= LIKELY_SIZES) && !taken[index]?.has(shift),
        ),
      );
    const mostInTotal = total === Number.POSITIVE_INFINITY ? 0 : MAX_VALUE;
    const value =
      firstNumber((one) => isFree(one, count), count) ??
      firstNumber((one) => isFree(one, total), mostInTotal) ??
      rest;
    if (value === null) return [];
    pageSizes.forEach((size, index) => {
      for (const shift of shiftsAt(value, size)) taken[index]?.add(shift);
    });
    return [[param, String(value)]];
  });
}

const LIKELY_SIZES = 5;
const MAX_VALUE = 400;

function firstNumber(isGood: (value: number) => boolean, most: number): number | null {
  for (let value = 1; value <= most; value++) if (isGood(value)) return value;
  return null;
}

/**
 * Returns values for a second request if the first response was beyond the known rows. A third of the candidates get a
 * new value, a third repeat theirs, and the rest are left out. The response then has other rows, the same rows again, or
 * those of the first page, which shows the third with the effective candidate.
 */
export function thirdsOfValues(candidates: readonly PagingCandidate[], moved: Position): Param[] {
  const before = new Map(moved.page.exchange.request.params);
  const changed = groupSize(candidates, 1 / 3);
  const sent = changed + groupSize(candidates.slice(changed), 1 / 2);
  return candidates.slice(0, sent).map(({ param }, index): Param => {
    const value = before.get(param) ?? '2';
    return [param, index >= changed ? value : value === '2' ? '3' : '2'];
  });
}

/** Returns the number of first candidates that have this share of the likelihood. */
export function groupSize(candidates: readonly PagingCandidate[], share = 1 / 2): number {
  const suspects = candidates.map(({ param }, rank) => ({
    param: [param, ''] as const,
    weight: 1 / (rank + 1),
  }));
  return likelyPart(suspects, share).length;
}
