import { type Asked, isCut, tagsIn } from './asked.ts';
import type { Exchange } from './exchange.ts';
import { type Finding, likely, open, sure } from './finding.ts';
import { findLargest, type Largest } from './largest.ts';
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
  return { byDefault, param, largest: findLargest(asked, refusals, param.value) };
}

/** Rows without any size asked for; where more match than came, that is a full page. */
function defaultSize(asked: readonly Asked[]): number | null {
  const plain = asked.filter((one) => tagsIn(one, NAMES).length === 0);
  const rows = Math.max(0, ...plain.map((one) => one.rows.length));
  return rows === 0 ? null : rows;
}

/** The parameter whose value the number of rows followed. */
function sizeParam(asked: readonly Asked[], byDefault: number | null): Finding<string | null> {
  const sized = asked.filter((one) => tagsIn(one, NAMES).length > 0);
  const heeded = sized.flatMap((one) => {
    const tags = tagsIn(one, NAMES).filter(({ value }) => value === one.rows.length);
    return tags.length === 1 && one.rows.length !== byDefault ? [{ one, tag: tags[0] }] : [];
  });
  const possible = heeded.filter(({ tag }) => tag !== undefined && isEverHeeded(tag.name, sized));
  const best = possible.find(({ one }) => goesOn(one, asked)) ?? possible[0];
  if (best?.tag !== undefined) {
    const because = `${best.tag.name}=${best.tag.value} brought ${best.tag.value} rows`;
    return goesOn(best.one, asked) ? sure(best.tag.name, because) : likely(best.tag.name, because);
  }
  const small = sized.find(
    (one) =>
      one.rows.length === byDefault && tagsIn(one, NAMES).every(({ value }) => value < one.rows.length),
  );
  if (small !== undefined && tagsIn(small, NAMES).length > 3)
    return likely(null, `${tagsIn(small, NAMES).length} likely names changed nothing`);
  return open(null, 'no parameter changed the number of rows yet');
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
