import { type AnsweredSearch, isTruncated, tagsIn } from './answered_searches.ts';
import { type Exchange, type Finding, likely, open, paramOf, sure, wordsIn } from './evidence.ts';
import { PAGING_PARAMS } from './paging.ts';
import { SIZE_PARAMS } from './word_lists.ts';

/** What the answers say of the size of a page. */
export interface SizeFacts {
  /** Rows that come without asking for a size; null: never seen a full page. */
  readonly byDefault: number | null;
  readonly param: Finding<string | null>;
  /** The largest page. */
  readonly maxSize: Finding<MaxPageSize>;
}

const NAMES: ReadonlySet<string> = new Set(SIZE_PARAMS);

/** `first` are those of the answered searches that begin at the first row. */
export function findSize(
  answered: readonly AnsweredSearch[],
  first: readonly AnsweredSearch[],
  refusals: readonly Exchange[],
): SizeFacts {
  const byDefault = defaultSize(first);
  const param = sizeParam(answered, byDefault);
  return { byDefault, param, maxSize: findMaxPageSize(answered, refusals, param) };
}

/** Rows without any size asked for; where more match than came, that is a full page. */
function defaultSize(answered: readonly AnsweredSearch[]): number | null {
  const plain = answered.filter((one) => {
    const sizes = tagsIn(one, NAMES).map(({ value }) => value);
    return sizes.length === 0 || isTooFew(one, sizes, answered);
  });
  const rows = Math.max(0, ...plain.map((one) => one.rows.length));
  return rows === 0 ? null : rows;
}

/** The parameter whose value the number of rows followed. */
function sizeParam(answered: readonly AnsweredSearch[], byDefault: number | null): Finding<string | null> {
  const sized = answered.filter((one) => tagsIn(one, NAMES).length > 0);
  const heeded = sized.flatMap((one) => {
    const tags = tagsIn(one, NAMES).filter(({ value }) => value === one.rows.length);
    return tags.length === 1 && !comesAnyway(one, tags[0]?.name ?? '', answered)
      ? [{ one, tag: tags[0] }]
      : [];
  });
  const possible = heeded.filter(
    ({ one, tag }) => tag !== undefined && isEverHeeded(tag.name, sized) && !isByChance(one, answered),
  );
  const best = possible.find(({ one }) => goesOn(one, answered)) ?? possible[0];
  if (best?.tag !== undefined) {
    const because = `${best.tag.name}=${best.tag.value} brought ${best.tag.value} rows`;
    return goesOn(best.one, answered) && isContrasted(best.one, answered)
      ? sure(best.tag.name, because)
      : likely(best.tag.name, because);
  }
  const inVain = sized.find((one) => tagsIn(one, NAMES).length > 3 && isUnheeded(one, byDefault, answered));
  if (inVain !== undefined)
    return likely(null, `${tagsIn(inVain, NAMES).length} likely names changed nothing`);
  return open(null, 'no parameter changed the number of rows yet');
}

/** Many sizes were asked for, and a page came that is none of them although there were more rows. */
function isUnheeded(
  one: AnsweredSearch,
  byDefault: number | null,
  answered: readonly AnsweredSearch[],
): boolean {
  const sizes = tagsIn(one, NAMES).map(({ value }) => value);
  const isMore = one.rows.length > 0 && sizes.every((size) => size < one.rows.length);
  return (isMore && one.rows.length === byDefault) || isTooFew(one, sizes, answered);
}

/** None of the small sizes that were asked for came, although there were more rows. */
function isTooFew(
  one: AnsweredSearch,
  sizes: readonly number[],
  answered: readonly AnsweredSearch[],
): boolean {
  const { length } = one.rows;
  const isSmall = sizes.every((size) => size < HUGE && size !== length);
  return length > 0 && isSmall && isTruncated(one, answered) === 'yes';
}

/** As many rows came where the parameter said another number, or nothing. */
function comesAnyway(one: AnsweredSearch, param: string, answered: readonly AnsweredSearch[]): boolean {
  const size = paramOf(one.search, param);
  return answered.some(
    (other) =>
      other !== one &&
      other.rows.length === one.rows.length &&
      paramOf(other.search, param) !== size &&
      isTruncated(other, answered) !== 'no',
  );
}

/** Many sizes were asked for, and all that there is came: as many rows as one of them says, by chance. */
function isByChance(one: AnsweredSearch, answered: readonly AnsweredSearch[]): boolean {
  return tagsIn(one, NAMES).length > 3 && isTruncated(one, answered) === 'no' && !goesOn(one, answered);
}

/** More rows came elsewhere: it is no limit of the API's own. */
function isContrasted(one: AnsweredSearch, answered: readonly AnsweredSearch[]): boolean {
  return answered.some(({ rows }) => rows.length > one.rows.length);
}

/** No search with this parameter brought more rows than it asked for. */
function isEverHeeded(name: string, sized: readonly AnsweredSearch[]): boolean {
  return sized.every((one) =>
    tagsIn(one, NAMES).every((tag) => tag.name !== name || one.rows.length <= tag.value),
  );
}

/** Rows came after these: they are not few because there are no more. */
function goesOn(one: AnsweredSearch, answered: readonly AnsweredSearch[]): boolean {
  const isFirst = one.search.request.params.every(([name]) => !PAGING_PARAMS.has(name));
  if (isFirst && isTruncated(one, answered) === 'yes') return true;
  const last = one.ids.at(-1) ?? '';
  return answered.some((other) => other !== one && other.text === one.text && isFollowed(last, other.ids));
}

function isFollowed(id: string, ids: readonly string[]): boolean {
  const at = ids.indexOf(id);
  return at !== -1 && at < ids.length - 1;
}

/** How many rows a page may hold. */
export interface MaxPageSize {
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
export function findMaxPageSize(
  answered: readonly AnsweredSearch[],
  refusals: readonly Exchange[],
  { value: param, certainty }: Finding<string | null>,
): Finding<MaxPageSize> {
  const most = Math.max(1, ...answered.map(({ rows }) => rows.length));
  if (param === null) {
    const isFull = answered.some((one) => one.rows.length === most && isTruncated(one, answered) === 'yes');
    const finding = certainty === 'likely' && isFull ? likely : open;
    return finding({ rows: most, next: null }, `${most} rows came at most`);
  }
  const named = refusals.flatMap((refusal) => maxSizeNamedBy(refusal, param)).find((size) => size >= most);
  if (named !== undefined) return sure({ rows: named, next: null }, 'a refusal names it');
  const refused = Math.min(
    Number.POSITIVE_INFINITY,
    ...refusals
      .filter((refusal) => isForItsSize(refusal, answered, param))
      .flatMap((refusal) => sizesIn(refusal, param))
      .filter((size) => size > most),
  );
  const accepted = answered.flatMap(({ search }) => sizesIn(search, param));
  const found =
    refused < Number.POSITIVE_INFINITY
      ? betweenRefusals(Math.max(most, ...accepted), refused)
      : withoutRefusals(answered, most, param, refusals);
  return found.certainty === 'sure' && certainty !== 'sure' ? likely(found.value, found.because) : found;
}

function betweenRefusals(accepted: number, refused: number): Finding<MaxPageSize> {
  const between = LADDER.filter((size) => size > accepted && size < refused * 0.95);
  // What most APIs allow comes first; below it, the larger half.
  const next = between.find((size) => size >= USUAL) ?? between.at(-1) ?? null;
  const because = `${accepted} are accepted, ${refused} are refused`;
  return next === null ? likely({ rows: accepted, next }, because) : open({ rows: accepted, next }, because);
}

const LADDER = [20, 50, USUAL, 200];

/** Nothing else in the question can be what was refused: everything beside the size was answered elsewhere. */
function isForItsSize(refusal: Exchange, answered: readonly AnsweredSearch[], param: string): boolean {
  const others = refusal.request.params.filter(([name]) => name !== param);
  const lengths = answered.flatMap(({ text, rows }) =>
    text === null || rows.length === 0 ? [] : [text.length],
  );
  const shortest = Math.min(...lengths);
  return others.every(([name, value]) =>
    answered.some(({ search, text }) => {
      const known = paramOf(search, name);
      return known !== null && (known !== text || value.length >= shortest);
    }),
  );
}

function withoutRefusals(
  answered: readonly AnsweredSearch[],
  most: number,
  param: string,
  refusals: readonly Exchange[],
): Finding<MaxPageSize> {
  const clamped = answered.filter(
    (one) => one.rows.length === most && sizesIn(one.search, param).some((size) => size > most),
  );
  const because = `more were asked for, and ${most} came`;
  if (clamped.some((one) => isTruncated(one, answered) === 'yes'))
    return sure({ rows: most, next: null }, because);
  if (clamped.some((one) => isTruncated(one, answered) === 'maybe'))
    return likely({ rows: most, next: null }, because);
  const tries = answered.filter(
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
function maxSizeNamedBy(refusal: Exchange, param: string): number[] {
  if (sizesIn(refusal, param).every((size) => size <= 20)) return [];
  const found = NAMED_LIMIT.exec(wordsIn(refusal));
  return found === null ? [] : [Number(found[1])];
}

const NAMED_LIMIT =
  /(?:<=|≤|at most|maximum(?: of| is)?|max(?: of| is)?|less than or equal to|between \d+ and|up to|not exceed)\s*(\d{1,5})\b/i;
