import { type Asked, isCut, tagsIn } from './asked.ts';
import { type Exchange, paramOf } from './exchange.ts';
import { type Finding, likely, open, sure } from './finding.ts';
import { findLargest, HUGE, type Largest } from './largest.ts';
import { TURNING_PARAMS } from './turning.ts';
import { SIZE_PARAMS } from './vocabulary.ts';

/** What the answers say of the size of a page. */
export interface SizeFacts {
  /** Rows that come without asking for a size; null: never seen a full page. */
  readonly byDefault: number | null;
  readonly param: Finding<string | null>;
  /** The largest page. */
  readonly largest: Finding<Largest>;
}

const NAMES: ReadonlySet<string> = new Set(SIZE_PARAMS);

/** `first` are those of the answered searches that begin at the first row. */
export function findSize(
  asked: readonly Asked[],
  first: readonly Asked[],
  refusals: readonly Exchange[],
): SizeFacts {
  const byDefault = defaultSize(first);
  const param = sizeParam(asked, byDefault);
  return { byDefault, param, largest: findLargest(asked, refusals, param) };
}

/** Rows without any size asked for; where more match than came, that is a full page. */
function defaultSize(asked: readonly Asked[]): number | null {
  const plain = asked.filter((one) => {
    const sizes = tagsIn(one, NAMES).map(({ value }) => value);
    return sizes.length === 0 || isTooFew(one, sizes, asked);
  });
  const rows = Math.max(0, ...plain.map((one) => one.rows.length));
  return rows === 0 ? null : rows;
}

/** The parameter whose value the number of rows followed. */
function sizeParam(asked: readonly Asked[], byDefault: number | null): Finding<string | null> {
  const sized = asked.filter((one) => tagsIn(one, NAMES).length > 0);
  const heeded = sized.flatMap((one) => {
    const tags = tagsIn(one, NAMES).filter(({ value }) => value === one.rows.length);
    return tags.length === 1 && !comesAnyway(one, tags[0]?.name ?? '', asked) ? [{ one, tag: tags[0] }] : [];
  });
  const possible = heeded.filter(
    ({ one, tag }) => tag !== undefined && isEverHeeded(tag.name, sized) && !isByChance(one, asked),
  );
  const best = possible.find(({ one }) => goesOn(one, asked)) ?? possible[0];
  if (best?.tag !== undefined) {
    const because = `${best.tag.name}=${best.tag.value} brought ${best.tag.value} rows`;
    return goesOn(best.one, asked) && isContrasted(best.one, asked)
      ? sure(best.tag.name, because)
      : likely(best.tag.name, because);
  }
  const inVain = sized.find((one) => tagsIn(one, NAMES).length > 3 && isUnheeded(one, byDefault, asked));
  if (inVain !== undefined)
    return likely(null, `${tagsIn(inVain, NAMES).length} likely names changed nothing`);
  return open(null, 'no parameter changed the number of rows yet');
}

/** Many sizes were asked for, and a page came that is none of them although there were more rows. */
function isUnheeded(one: Asked, byDefault: number | null, asked: readonly Asked[]): boolean {
  const sizes = tagsIn(one, NAMES).map(({ value }) => value);
  const isMore = one.rows.length > 0 && sizes.every((size) => size < one.rows.length);
  return (isMore && one.rows.length === byDefault) || isTooFew(one, sizes, asked);
}

/** None of the small sizes that were asked for came, although there were more rows. */
function isTooFew(one: Asked, sizes: readonly number[], asked: readonly Asked[]): boolean {
  const { length } = one.rows;
  const isSmall = sizes.every((size) => size < HUGE && size !== length);
  return length > 0 && isSmall && isCut(one, asked) === 'yes';
}

/** As many rows came where the parameter said another number, or nothing. */
function comesAnyway(one: Asked, param: string, asked: readonly Asked[]): boolean {
  const size = paramOf(one.search, param);
  return asked.some(
    (other) =>
      other !== one &&
      other.rows.length === one.rows.length &&
      paramOf(other.search, param) !== size &&
      isCut(other, asked) !== 'no',
  );
}

/** Many sizes were asked for, and all that there is came: as many rows as one of them says, by chance. */
function isByChance(one: Asked, asked: readonly Asked[]): boolean {
  return tagsIn(one, NAMES).length > 3 && isCut(one, asked) === 'no' && !goesOn(one, asked);
}

/** More rows came elsewhere: it is no limit of the API's own. */
function isContrasted(one: Asked, asked: readonly Asked[]): boolean {
  return asked.some(({ rows }) => rows.length > one.rows.length);
}

/** No search with this parameter brought more rows than it asked for. */
function isEverHeeded(name: string, sized: readonly Asked[]): boolean {
  return sized.every((one) =>
    tagsIn(one, NAMES).every((tag) => tag.name !== name || one.rows.length <= tag.value),
  );
}

/** Rows came after these: they are not few because there are no more. */
function goesOn(one: Asked, asked: readonly Asked[]): boolean {
  const isFirst = one.search.request.params.every(([name]) => !TURNING_PARAMS.has(name));
  if (isFirst && isCut(one, asked) === 'yes') return true;
  const last = one.ids.at(-1) ?? '';
  return asked.some((other) => other !== one && other.text === one.text && isFollowed(last, other.ids));
}

function isFollowed(id: string, ids: readonly string[]): boolean {
  const at = ids.indexOf(id);
  return at !== -1 && at < ids.length - 1;
}
