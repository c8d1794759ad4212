import type { Asked } from './asked.ts';
import type { Param } from './exchange.ts';
import { type Finding, open, sure } from './finding.ts';
import { findSignpost, type Signpost } from './signpost.ts';
import { shiftOf, TURNING_PARAMS, type Turning } from './turning.ts';
import { CURSOR_PARAMS } from './vocabulary.ts';

/** A cursor, and behind how many rows of a text it points. */
interface Cursor {
  readonly value: string;
  readonly rows: number;
}

/** The parameter that took a cursor: the search began where that cursor points. */
export function findCursorParam(signpost: Signpost, asked: readonly Asked[]): Finding<Turning | null> {
  const tried = trials(asked);
  const [only, ...others] = paramsLeft(tried);
  const isShown = tried.some(({ leading }) => leading.length > 0);
  if (only === undefined || others.length > 0 || !isShown)
    return open(null, `there is a cursor at ${signpost.at}, and no parameter took it yet`);
  const turning = { style: 'cursor', param: only, next: signpost.at } as const;
  return sure(turning, `${only} took the cursor at ${signpost.at}, and the rows behind it came`);
}

/**
 * The next parameters to give a cursor to: as many of the likely ones as there are cursors that point to different
 * rows, so that the rows tell which one took its cursor; those that are left out are tried if none did.
 */
export function nextCursors(text: string | null, asked: readonly Asked[]): Param[] {
  const known = [...cursorsOf(text, asked)].sort((a, b) => b.rows - a.rows);
  const left = paramsLeft(trials(asked));
  return left.slice(0, known.length).map((param, index): Param => [param, known[index]?.value ?? '']);
}

interface Trial {
  readonly sent: readonly string[];
  /** Those whose cursor explains where the rows began; none: no cursor was taken. */
  readonly leading: readonly string[];
}

function trials(asked: readonly Asked[]): Trial[] {
  return asked.flatMap((one): Trial[] => {
    const cursors = new Map(cursorsOf(one.text, asked).map(({ value, rows }) => [value, rows]));
    const sent = one.search.request.params.filter(([name, value]) => NAMES.has(name) && cursors.has(value));
    if (sent.length === 0 || one.ids.length === 0) return [];
    const order = firstPagesOf(one.text, asked).reduce<readonly string[]>(
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

function cursorsOf(text: string | null, asked: readonly Asked[]): Cursor[] {
  const cursors = firstPagesOf(text, asked).flatMap((one): Cursor[] => {
    const signpost = findSignpost([one.search]);
    return signpost?.is === 'cursor' ? [{ value: signpost.value, rows: one.ids.length }] : [];
  });
  return [...new Map(cursors.map((cursor) => [cursor.rows, cursor])).values()];
}

function firstPagesOf(text: string | null, asked: readonly Asked[]): Asked[] {
  return asked.filter(
    ({ text: other, search }) =>
      other === text && search.request.params.every(([name]) => !TURNING_PARAMS.has(name)),
  );
}

const NAMES: ReadonlySet<string> = new Set(CURSOR_PARAMS);
