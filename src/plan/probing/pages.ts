import type { Asked, IsWhole } from './asked.ts';
import { tagsIn } from './asked.ts';
import type { SizeFacts } from './size.ts';
import { shiftOf, TURNING_PARAMS, type Turned } from './turning.ts';
import { SIZE_PARAMS } from './vocabulary.ts';

/** The searches that may have turned a page, and where their rows stand among those of the first page. */
export function turnedOf(asked: readonly Asked[], size: SizeFacts): Turned[] {
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
  // The last page shows fewer rows than a page may hold.
  const fullest = param.value === null ? [Math.max(usual, largest.value.rows)] : [];
  if (tags.length === 0) return [...new Set([usual, ...fullest])];
  const isLast = shift === 'beyond' || one.total === null || shift + rows >= one.total;
  const larger = isLast ? tags.map(({ value }) => value).filter((value) => value > rows) : [];
  return [...new Set([rows, usual, ...larger, ...fullest])];
}

/** Says of a search whether everything that it matches came. */
export function wholeness(asked: readonly Asked[], size: SizeFacts, clamp: number | null): IsWhole {
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
