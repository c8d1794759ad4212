import type { AnsweredSearch, IsWhole } from './answered_searches.ts';
import { tagsIn } from './answered_searches.ts';
import type { SizeFacts } from './page_size.ts';
import { PAGING_PARAMS, type PagePosition, shiftOf } from './paging.ts';
import { SIZE_PARAMS } from './word_lists.ts';

/** The searches that may have turned a page, and where their rows stand among those of the first page. */
export function pagePositionsOf(answered: readonly AnsweredSearch[], size: SizeFacts): PagePosition[] {
  const paging = answered.filter(({ search }) =>
    search.request.params.some(([name]) => PAGING_PARAMS.has(name)),
  );
  const all = new Set(paging);
  return paging.flatMap((one) => {
    const order = orderFor(one, answered, all);
    const shift = shiftOf(one, order);
    return shift === null ? [] : [{ one, shift, order, pageSizes: pageSizesOf(one, size, shift) }];
  });
}

/** The order of the rows for the same text: the longest first page. */
function orderFor(
  one: AnsweredSearch,
  answered: readonly AnsweredSearch[],
  except: ReadonlySet<AnsweredSearch>,
): readonly string[] {
  return answered
    .filter((other) => !except.has(other) && other.text === one.text)
    .reduce<readonly string[]>((longest, { ids }) => (ids.length > longest.length ? ids : longest), []);
}

/**
 * How many rows a page of this search may hold: what was asked for where that is heeded; else as many as came, or
 * more where they may have been the last ones.
 */
function pageSizesOf(
  one: AnsweredSearch,
  { param, byDefault, maxSize: largest }: SizeFacts,
  shift: PagePosition['shift'] = 0,
): number[] {
  const rows = one.rows.length;
  const answered = one.search.request.params.find(([name]) => name === param.value);
  if (param.certainty === 'sure' && answered !== undefined)
    return [Math.min(Number(answered[1]), Math.max(largest.value.rows, rows))];
  const usual = Math.max(byDefault ?? 1, rows);
  const tags = tagsIn(one, SIZE_NAMES);
  // The last page shows fewer rows than a page may hold.
  const fullest = param.value === null ? [Math.max(usual, largest.value.rows)] : [];
  if (tags.length === 0) return [...new Set([usual, ...fullest])];
  const isLast = shift === 'beyond' || one.total === null || shift + rows >= one.total;
  const larger = isLast ? tags.map(({ value }) => value).filter((value) => value > rows) : [];
  return [...new Set([rows, usual, ...larger, ...fullest])];
}

/** Says of a search whether everything that it matches came. */
export function wholeness(
  answered: readonly AnsweredSearch[],
  size: SizeFacts,
  clamp: number | null,
): IsWhole {
  const most = Math.max(0, ...answered.map(({ rows }) => rows.length));
  return (one) => {
    const { total, rows, search } = one;
    if (search.request.params.some(([name]) => PAGING_PARAMS.has(name))) return false;
    if (total !== null && total !== clamp) return rows.length >= total;
    const isSized = tagsIn(one, SIZE_NAMES).length > 0;
    if (isSized && size.param.value === null) return false;
    // As many as the fullest page of all may have been cut off by a limit that is not known.
    return rows.length < Math.min(...pageSizesOf(one, size), most);
  };
}

const SIZE_NAMES: ReadonlySet<string> = new Set(SIZE_PARAMS);
