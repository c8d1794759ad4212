import type { AnsweredSearch } from './answered_searches.ts';
import type { Param } from './evidence.ts';
import { type Finding, open, sure } from './evidence.ts';
import { findNextPageLink, type NextPageLink } from './next_page_link.ts';
import { PAGING_PARAMS, type PagingStyle, shiftOf } from './paging.ts';
import { CURSOR_PARAMS } from './word_lists.ts';

/** A cursor, and behind how many rows of a text it points. */
interface Cursor {
  readonly value: string;
  readonly rows: number;
}

/** The parameter that took a cursor: the search began where that cursor points. */
export function findCursorParam(
  nextPageLink: NextPageLink,
  answered: readonly AnsweredSearch[],
): Finding<PagingStyle | null> {
  const tried = trials(answered);
  const [only, ...others] = paramsLeft(tried);
  const isShown = tried.some(({ leading }) => leading.length > 0);
  if (only === undefined || others.length > 0 || !isShown)
    return open(null, `there is a cursor at ${nextPageLink.at}, and no parameter took it yet`);
  const paging = { style: 'cursor', param: only, next: nextPageLink.at } as const;
  return sure(paging, `${only} took the cursor at ${nextPageLink.at}, and the rows behind it came`);
}

/**
 * The next parameters to give a cursor to: as many of the likely ones as there are cursors that point to different
 * rows, so that the rows tell which one took its cursor; those that are left out are tried if none did.
 */
export function nextCursors(text: string | null, answered: readonly AnsweredSearch[]): Param[] {
  const known = [...cursorsOf(text, answered)].sort((a, b) => b.rows - a.rows);
  const left = paramsLeft(trials(answered));
  return left.slice(0, known.length).map((param, index): Param => [param, known[index]?.value ?? '']);
}

interface Trial {
  readonly sent: readonly string[];
  /** Those whose cursor explains where the rows began; none: no cursor was taken. */
  readonly leading: readonly string[];
}

function trials(answered: readonly AnsweredSearch[]): Trial[] {
  return answered.flatMap((one): Trial[] => {
    const cursors = new Map(cursorsOf(one.text, answered).map(({ value, rows }) => [value, rows]));
    const sent = one.search.request.params.filter(([name, value]) => NAMES.has(name) && cursors.has(value));
    if (sent.length === 0 || one.ids.length === 0) return [];
    const order = firstPagesOf(one.text, answered).reduce<readonly string[]>(
      (longest, { ids }) => (ids.length > longest.length ? ids : longest),
      [],
    );
    const shift = shiftOf(one, order);
    const isThere = (rows: number) => (shift === 'beyond' ? rows >= order.length : rows === shift);
    const leading = shift === 0 ? [] : sent.filter(([, value]) => isThere(cursors.get(value) ?? 0));
    return [{ sent: sent.map(([name]) => name), leading: leading.map(([name]) => name) }];
  });
}

/** The parameters that no trial speaks against, the likeliest first. */
function paramsLeft(tried: readonly Trial[]): string[] {
  return CURSOR_PARAMS.filter((name) =>
    tried.every(({ sent, leading }) => (leading.length > 0 ? leading.includes(name) : !sent.includes(name))),
  );
}

function cursorsOf(text: string | null, answered: readonly AnsweredSearch[]): Cursor[] {
  const cursors = firstPagesOf(text, answered).flatMap((one): Cursor[] => {
    const nextPageLink = findNextPageLink([one.search]);
    return nextPageLink?.is === 'cursor' ? [{ value: nextPageLink.value, rows: one.ids.length }] : [];
  });
  return [...new Map(cursors.map((cursor) => [cursor.rows, cursor])).values()];
}

function firstPagesOf(text: string | null, answered: readonly AnsweredSearch[]): AnsweredSearch[] {
  return answered.filter(
    ({ text: other, search }) =>
      other === text && search.request.params.every(([name]) => !PAGING_PARAMS.has(name)),
  );
}

const NAMES: ReadonlySet<string> = new Set(CURSOR_PARAMS);
