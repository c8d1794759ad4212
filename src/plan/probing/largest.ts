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

/** What most APIs allow: more is tried only where calls are left. */
export const USUAL = 100;

/**
 * The largest page. APIs either refuse a size that is too large, or silently send fewer rows: then a text must
 * find enough to show it.
 */
export function findLargest(
  asked: readonly Asked[],
  refusals: readonly Exchange[],
  { value: param, certainty }: Finding<string | null>,
): Finding<Largest> {
  const most = Math.max(1, ...asked.map(({ rows }) => rows.length));
  if (param === null) {
    const isFull = asked.some((one) => one.rows.length === most && isCut(one, asked) === 'yes');
    const finding = certainty === 'likely' && isFull ? likely : open;
    return finding({ rows: most, next: null }, `${most} rows came at most`);
  }
  const named = refusals.flatMap((refusal) => largestNamedBy(refusal, param)).find((size) => size >= most);
  if (named !== undefined) return sure({ rows: named, next: null }, 'a refusal names it');
  const refused = Math.min(
    Number.POSITIVE_INFINITY,
    ...refusals
      .filter((refusal) => isForItsSize(refusal, asked, param))
      .flatMap((refusal) => sizesIn(refusal, param))
      .filter((size) => size > most),
  );
  const accepted = asked.flatMap(({ search }) => sizesIn(search, param));
  const found =
    refused < Number.POSITIVE_INFINITY
      ? betweenRefusals(Math.max(most, ...accepted), refused)
      : withoutRefusals(asked, most, param, refusals);
  return found.certainty === 'sure' && certainty !== 'sure' ? likely(found.value, found.because) : found;
}

function betweenRefusals(accepted: number, refused: number): Finding<Largest> {
  const between = LADDER.filter((size) => size > accepted && size < refused * 0.95);
  // What most APIs allow comes first; below it, the larger half.
  const next = between.find((size) => size >= USUAL) ?? between.at(-1) ?? null;
  const because = `${accepted} are accepted, ${refused} are refused`;
  return next === null ? likely({ rows: accepted, next }, because) : open({ rows: accepted, next }, because);
}

const LADDER = [20, 50, USUAL, 200];

/** Nothing else in the question can be what was refused: everything beside the size was answered elsewhere. */
function isForItsSize(refusal: Exchange, asked: readonly Asked[], param: string): boolean {
  const others = refusal.request.params.filter(([name]) => name !== param);
  const lengths = asked.flatMap(({ text, rows }) =>
    text === null || rows.length === 0 ? [] : [text.length],
  );
  const shortest = Math.min(...lengths);
  return others.every(([name, value]) =>
    asked.some(({ search, text }) => {
      const known = paramOf(search, name);
      return known !== null && (known !== text || value.length >= shortest);
    }),
  );
}

function withoutRefusals(
  asked: readonly Asked[],
  most: number,
  param: string,
  refusals: readonly Exchange[],
): Finding<Largest> {
  const clamped = asked.filter(
    (one) => one.rows.length === most && sizesIn(one.search, param).some((size) => size > most),
  );
  const because = `more were asked for, and ${most} came`;
  if (clamped.some((one) => isCut(one, asked) === 'yes')) return sure({ rows: most, next: null }, because);
  if (clamped.some((one) => isCut(one, asked) === 'maybe'))
    return likely({ rows: most, next: null }, because);
  const tries = asked.filter(
    ({ search, rows }) => sizesIn(search, param).some((size) => size >= HUGE) && rows.length * 2 >= most,
  ).length;
  // A refusal that may have been for another reason: it is not risked again.
  const wasRefused = refusals.some((refusal) => sizesIn(refusal, param).some((size) => size >= HUGE));
  const next = wasRefused && most < USUAL ? USUAL : HUGE;
  return open(
    { rows: most, next: tries < 2 ? next : null },
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
