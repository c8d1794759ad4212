import { type Asked, isCut } from './asked.ts';
import { type Exchange, paramOf, wordsIn } from './exchange.ts';
import { type Finding, likely, open, sure } from './finding.ts';

/** How many rows a page may hold. */
export interface Largest {
  /** So many are proven. */
  readonly rows: number;
  /** The size to try next, with whatever is asked; null: nothing is left to try. */
  readonly next: number | null;
}

/** A size that no API allows, to see where it stops. */
export const HUGE = 1000;

/**
 * The largest page. APIs either refuse a size that is too large, or silently send fewer rows: then a text must
 * find enough to show it.
 */
export function findLargest(
  asked: readonly Asked[],
  refusals: readonly Exchange[],
  param: string | null,
): Finding<Largest> {
  const most = Math.max(1, ...asked.map(({ rows }) => rows.length));
  if (param === null) return open({ rows: most, next: null }, `${most} rows came at most`);
  const named = refusals.flatMap((refusal) => largestNamedBy(refusal, param)).find((size) => size >= most);
  if (named !== undefined) return sure({ rows: named, next: null }, 'a refusal names it');
  const refused = Math.min(
    Number.POSITIVE_INFINITY,
    ...refusals.flatMap((refusal) => sizesIn(refusal, param)),
  );
  const accepted = asked.flatMap(({ search }) => sizesIn(search, param));
  return refused < Number.POSITIVE_INFINITY
    ? betweenRefusals(Math.max(most, ...accepted), refused)
    : withoutRefusals(asked, most, param);
}

function betweenRefusals(accepted: number, refused: number): Finding<Largest> {
  const next = LADDER.find((size) => size > accepted && size < refused * 0.95) ?? null;
  const because = `${accepted} are accepted, ${refused} are refused`;
  return next === null
    ? likely({ rows: accepted, next }, because)
    : open({ rows: accepted, next: accepted < 100 && refused > 100 ? 100 : next }, because);
}

const LADDER = [50, 100, 200];

function withoutRefusals(asked: readonly Asked[], most: number, param: string): Finding<Largest> {
  const clamped = asked.filter(
    (one) => one.rows.length === most && sizesIn(one.search, param).some((size) => size > most),
  );
  const because = `more were asked for, and ${most} came`;
  if (clamped.some((one) => isCut(one, asked) === 'yes')) return sure({ rows: most, next: null }, because);
  if (clamped.some((one) => isCut(one, asked) === 'maybe'))
    return likely({ rows: most, next: null }, because);
  const tries = asked.filter(({ search }) => sizesIn(search, param).some((size) => size >= HUGE)).length;
  return open(
    { rows: most, next: tries < 2 ? HUGE : null },
    `${most} rows came at most; more may be possible`,
  );
}

/** The sizes that a search asked for with the parameter. */
function sizesIn(search: Exchange, param: string): number[] {
  const text = paramOf(search, param);
  return text === null || !/^\d+$/.test(text) ? [] : [Number(text)];
}

/** "must be <= 100", "between 1 and 100", "at most 100". */
function largestNamedBy(refusal: Exchange, param: string): number[] {
  if (sizesIn(refusal, param).every((size) => size <= 20)) return [];
  const found = NAMED_LIMIT.exec(wordsIn(refusal));
  return found === null ? [] : [Number(found[1])];
}

const NAMED_LIMIT =
  /(?:<=|≤|at most|maximum(?: of| is)?|max(?: of| is)?|less than or equal to|between \d+ and|up to|not exceed)\s*(\d{1,5})\b/i;
