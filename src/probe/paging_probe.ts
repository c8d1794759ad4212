import type { AnsweredSearch } from './answered_searches.ts';
import { broadest } from './broad_queries.ts';
import type { Conclusions, SearchConclusions } from './conclusions.ts';
import { nextCursors } from './cursor_parameter.ts';
import type { Param } from './evidence.ts';
import { likeliest, sizeTags } from './page_size_questions.ts';
import type { Move, PagePosition } from './paging.ts';
import { isLenient, type SearchDraft, wasAsked } from './query_parameter.ts';
import { OFFSET_PARAMS, PAGE_PARAMS } from './word_lists.ts';

/** How the next page is asked for, and with the same call the parameter of the size where that is open. */
export function askForPaging(
  conclusions: Conclusions,
  search: SearchConclusions,
  most = 4,
): SearchDraft | null {
  const { query, queryParam } = conclusions;
  if (search.paging.certainty === 'sure') return null;
  const base = broadest(search);
  if (base === null) return null;
  const text: Param = [queryParam.value ?? '', base.text ?? ''];
  const lenient = isLenient(query.searches);
  const drafts =
    search.paging.nextPageLink?.is === 'cursor'
      ? cursorDrafts(text, search, lenient)
      : search.paging.moves.length > 0
        ? tellingApart(text, base, search, lenient)
        : firstPagingProbe(text, base, search, { lenient, most });
  return drafts.find(({ params }) => !wasAsked(query.searches, params)) ?? null;
}

/** Where parameters must be tried one by one, the less likely ones come when other things are known. */
export function askForMorePaging(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  return askForPaging(conclusions, search, ONE_BY_ONE.length);
}

function firstPagingProbe(
  text: Param,
  base: AnsweredSearch,
  search: SearchConclusions,
  { lenient, most }: { readonly lenient: boolean; readonly most: number },
): SearchDraft[] {
  const nothingMoved = search.paging.turned.some(
    ({ shift, one }) => shift === 0 && one.search.request.params.length > 8,
  );
  if (nothingMoved) return [];
  const alone = likeliest(ONE_BY_ONE, search).map(
    (name): SearchDraft => ({
      params: [text, ...smallSize(search), [name, '2']],
      why: `does ${name} turn the page?`,
    }),
  );
  return lenient ? [everyPagingProbe(text, base, search), ...alone.slice(0, 3)] : alone.slice(0, most);
}

const ONE_BY_ONE = [
  ...[
    'page',
    'offset',
    'start',
    'p',
    'page_number',
    'skip',
    'start_index',
    'page[number]',
    'from',
    'pageNumber',
  ],
];

/** Every likely parameter at once, each with a value that would move the first row by another number of rows. */
function everyPagingProbe(text: Param, base: AnsweredSearch, search: SearchConclusions): SearchDraft {
  const { param, byDefault } = search.size;
  const why = 'which parameter turns the page? (each moves the rows differently)';
  const sizes = param.value === null ? sizeTags(search, 2) : smallSize(search);
  // Where no size is heeded every page leads beyond the rows that were seen: the second one, to know it again.
  const isFixed = param.value === null && base.ids.length === byDefault;
  const pageSizes = isFixed ? [byDefault ?? 1] : sizes.map(([, value]) => Number(value));
  return { params: [text, ...sizes, ...designPagingProbe(LIKELY_WAYS, pageSizes, reachOf(base))], why };
}

/** Several parameters explain what came: values for them that tell them apart. */
function tellingApart(
  text: Param,
  base: AnsweredSearch,
  search: SearchConclusions,
  lenient: boolean,
): SearchDraft[] {
  const { moves, turned } = search.paging;
  if (moves.length === 1) return [];
  const ways = waysLeft(moves);
  const size = smallSize(search);
  const step = size.length > 0 ? Number(size[0]?.[1]) : (search.size.byDefault ?? base.ids.length);
  const why = `is it ${ways
    .slice(0, 3)
    .map(({ param }) => param)
    .join(', or ')} that turns the page?`;
  const alone = ways.map(
    (way): SearchDraft => ({
      params: [text, ...size, ...designPagingProbe([way], [step], reachOf(base))],
      why,
    }),
  );
  if (!lenient) return alone;
  const visible: SearchDraft = {
    params: [text, ...size, ...designPagingProbe(ways, [step], reachOf(base))],
    why,
  };
  const beyond = turned.filter(({ shift }) => shift === 'beyond');
  const far = beyond.find(({ one }) => one.ids.length > 0) ?? beyond[0];
  const again: SearchDraft[] =
    far === undefined ? [] : [{ params: [text, ...redesignPagingProbe(ways, far)], why }];
  return step * 2 < base.ids.length ? [visible, ...again, ...alone] : [...again, visible, ...alone];
}

function smallSize({ size: { param, byDefault } }: SearchConclusions): Param[] {
  return param.value === null ? [] : [[param.value, byDefault === 1 ? '2' : '1']];
}

function reachOf({ ids, total }: AnsweredSearch): Reach {
  return { seen: ids.length, total: total ?? Number.POSITIVE_INFINITY };
}

/** The cursors that are known, each with another parameter. */
function cursorDrafts(text: Param, { answered }: SearchConclusions, lenient: boolean): SearchDraft[] {
  const params = nextCursors(text[1], answered);
  const why = `does ${params.map(([name]) => name).join(', or ')} take the cursor?`;
  if (
    params.length === 0 ||
    answered.filter(({ search }) => search.request.why.endsWith('take the cursor?')).length >= 6
  )
    return [];
  return [{ params: [text, ...(lenient ? params : params.slice(0, 1))], why }];
}

/** A parameter that may turn pages, and where its counting may begin. */
interface Way {
  readonly param: string;
  readonly style: Move['style'];
  readonly firsts: readonly number[];
}

/** All that are likely, before any is known to do something; the likeliest first. */
export const LIKELY_WAYS: readonly Way[] = Array.from({
  length: Math.max(PAGE_PARAMS.length, OFFSET_PARAMS.length),
})
  .flatMap((_, index): (Way | null)[] => [
    wayOf(PAGE_PARAMS[index], 'page'),
    wayOf(OFFSET_PARAMS[index], 'offset'),
  ])
  .filter((way) => way !== null);

function wayOf(param: string | undefined, style: Move['style']): Way | null {
  return param === undefined ? null : { param, style, firsts: [0, 1] };
}

/** What is left of them after some searches. */
export function waysLeft(moves: readonly Move[]): Way[] {
  const params = new Map<string, Way>();
  for (const { param, style, first } of moves)
    params.set(param, { param, style, firsts: [...(params.get(param)?.firsts ?? []), first] });
  return [...params.values()];
}

/** How far the rows of a query are known. */
export interface Reach {
  /** Rows of the longest first page. */
  readonly seen: number;
  /** Rows in all; Infinity where nobody says. */
  readonly total: number;
}

/**
 * Values for all the parameters at once such that the first row tells which of them counts, and from where: each
 * moves it by another number of rows, whichever of the page sizes it is, as far as the rows that were seen reach.
 * The others lead beyond them, each to other rows where it is known how many there are.
 */
export function designPagingProbe(
  ways: readonly Way[],
  pageSizes: readonly number[],
  { seen, total }: Reach,
): Param[] {
  const taken = pageSizes.map(() => new Set<number>([0]));
  return ways.map(({ param, style, firsts }): Param => {
    const shiftsAt = (value: number, size: number) =>
      firsts.map((first) => (value - first) * (style === 'page' ? size : 1));
    const isFree = (value: number, bound: number) =>
      pageSizes.every((size, index) =>
        shiftsAt(value, size).every(
          // Large pages may lead too far; the likely ones, which are small, must not.
          (shift) => shift > 0 && (shift < bound || index >= LIKELY_SIZES) && !taken[index]?.has(shift),
        ),
      );
    const value =
      firstWhere((one) => isFree(one, seen), seen) ??
      (total === Number.POSITIVE_INFINITY ? 2 : (firstWhere((one) => isFree(one, total), MOST) ?? 2));
    pageSizes.forEach((size, index) => {
      for (const shift of shiftsAt(value, size)) taken[index]?.add(shift);
    });
    return [param, String(value)];
  });
}

const LIKELY_SIZES = 5;
const MOST = 400;

function firstWhere(isGood: (value: number) => boolean, most: number): number | null {
  for (let value = 1; value <= most; value++) if (isGood(value)) return value;
  return null;
}

/**
 * Where every turn leads beyond the rows that were seen: some parameters get the value they had when the page was
 * turned (the same rows come if it is one of them), the others 1 (the first page, or the second, comes).
 */
export function redesignPagingProbe(ways: readonly Way[], turned: PagePosition): Param[] {
  const before = new Map(turned.one.search.request.params);
  const tested = ways.slice(0, ways.length > 3 ? 2 : 1);
  const isSettled = tested.every(({ firsts }) => firsts.length === 1);
  return ways.map(({ param, firsts }, index): Param => {
    const again = before.get(param) ?? '2';
    if (index >= tested.length) return [param, again];
    // Where counting begins is known: the first page itself, which nothing else brings.
    return [param, isSettled ? String(firsts[0]) : '1'];
  });
}
