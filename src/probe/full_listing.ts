import { type AnsweredSearch, isTruncated } from './answered_searches.ts';
import { type Exchange, type Finding, likely, open, sure, wordsIn } from './evidence.ts';
import { PAGING_PARAMS } from './paging.ts';
import { speaksOfBreadth } from './query_parameter.ts';
import { SIZE_PARAMS } from './word_lists.ts';

/**
 * Does a search without a text list everything? Its total must be that of the registry, or above that of every text.
 * Where none is stated, a full page is taken for it only if the statistics say how many companies there are: else a
 * list of a few would pass for the whole. Nothing is concluded from an upstream that answers every text alike.
 */
export function findFullListing(
  answered: readonly AnsweredSearch[],
  searches: readonly Exchange[],
  registrySize: number | null,
): Finding<boolean> {
  const bare = searches.filter(asksForAll);
  if (bare.every(({ reading }) => reading === 'broken'))
    return open(false, 'no search without a text was made');
  const all = answered
    .filter(({ search }) => asksForAll(search))
    .sort((a, b) => b.rows.length - a.rows.length)[0];
  if (all === undefined) return byRefusals(bare);
  if (all.rows.length === 0) return sure(false, 'a search without a text finds nothing');
  const others = answered.filter(({ text }) => text !== null && text !== '');
  if (!others.some((one) => isAnother(one, all)))
    return open(false, 'a search without a text finds what a text does');
  if (all.total !== null) return byTotal(all.total, others, registrySize);
  if (!isFullPage(all, others))
    return likely(false, `a search without a text finds ${all.rows.length} companies`);
  return registrySize !== null && registrySize > all.rows.length
    ? likely(true, 'a search without a text shows a full page')
    : open(false, 'a search without a text shows a page, and nothing says of how many');
}

/** Nothing was sent beside the size of a page. */
export function asksForAll({ request }: Exchange): boolean {
  return request.kind === 'search' && request.params.every(([name]) => SIZES.has(name));
}

const SIZES: ReadonlySet<string> = new Set(SIZE_PARAMS);

/** A registry that is too large for it today may have been small enough yesterday. */
function byRefusals(bare: readonly Exchange[]): Finding<boolean> {
  const because = 'a search without a text is refused';
  if (bare.some(speaksOfBreadth)) return open(false, `${because}, as one that finds too many`);
  const hasWords = bare.some((search) => wordsIn(search).trim() !== '');
  return hasWords ? sure(false, because) : likely(false, `${because} without a word`);
}

function byTotal(
  total: number,
  others: readonly AnsweredSearch[],
  registrySize: number | null,
): Finding<boolean> {
  const largest = Math.max(0, ...others.map((one) => one.total ?? 0));
  const because = `a search without a text finds ${total}`;
  if (total < largest) return sure(false, `${because}, and a text ${largest}`);
  if (registrySize === null) return likely(true, `${because}, more than any text`);
  if (total >= registrySize) return sure(true, `${because}, as many as the statistics count`);
  // A total that is clamped, or statistics that count others as well: no text has found more.
  return 2 * total >= registrySize || total % 100 === 0
    ? likely(true, `${because} of ${registrySize}, more than any text`)
    : likely(false, `${because} of ${registrySize}`);
}

/** Does the text find others, or none, so that it is heeded? */
function isAnother({ ids, total, search }: AnsweredSearch, all: AnsweredSearch): boolean {
  if (total !== null && all.total !== null) return total !== all.total;
  if (search.request.params.some(([name]) => PAGING_PARAMS.has(name))) return false;
  return ids.length === 0 || ids.join() !== all.ids.slice(0, ids.length).join();
}

/** As many rows as were asked for, or as ever come. */
function isFullPage(all: AnsweredSearch, others: readonly AnsweredSearch[]): boolean {
  const { length } = all.rows;
  const isAsAsked = all.search.request.params.some(([, size]) => Number(size) === length);
  return (
    (isAsAsked || isTruncated(all, [all, ...others]) !== 'no') &&
    others.every(({ rows }) => rows.length <= length)
  );
}

/** The shortest text that is answered: none at all, where everything is listed without one. */
export function shortestAnswered(
  minQueryLength: Finding<number>,
  everything: Finding<boolean>,
): Finding<number> {
  if (minQueryLength.value > 1) return minQueryLength;
  const { value, certainty, because } = everything;
  if (value) return { value: 0, certainty, because };
  if (certainty === 'open') return open(1, because);
  return certainty === 'likely' && minQueryLength.certainty === 'sure' ? likely(1, because) : minQueryLength;
}
