import { type AnsweredSearch, isTruncated } from './answered_searches.ts';
import { broaderQuery, broadest } from './broad_queries.ts';
import type { Conclusions, SearchConclusions } from './conclusions.ts';
import type { Param } from './evidence.ts';
import { HUGE, USUAL } from './page_size.ts';
import { isLenient, isStrict, type SearchDraft, wasAsked } from './query_parameter.ts';
import { SIZE_PARAMS } from './word_lists.ts';

const SIZES: ReadonlySet<string> = new Set(SIZE_PARAMS);

/** A text that has more rows than fit a page, so that pages can be told apart. */
export function askForBreadth(
  { query, queryParam, minQueryText: leastText }: Conclusions,
  search: SearchConclusions,
): SearchDraft | null {
  if (search.answered.some((one) => isTruncated(one, search.answered) !== 'no')) return null;
  // Where a page may be as small as one likes, a few rows make several pages.
  const most = Math.max(0, ...search.answered.map(({ rows }) => rows.length));
  if (search.size.param.value !== null && most >= ENOUGH_FOR_PAGES) return null;
  const param = queryParam.value ?? '';
  if (search.answered.filter(({ text }) => text !== null).length >= 5) return null;
  const text = broaderQuery(search, param, leastText, query.searches);
  return text === null ? null : { params: [[param, text]], why: 'which text finds more than a page?' };
}

/** Which parameter sets the size of a page. */
export function askForSizeParam(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  const { query } = conclusions;
  const base = broadest(search);
  if (base === null || search.size.param.value !== null || search.size.param.certainty === 'likely')
    return null;
  const drafts = isLenient(query.searches)
    ? lenientDrafts(conclusions, search, base)
    : isStrict(query.searches)
      ? strictDrafts(conclusions, search, base)
      : [];
  return drafts.find(({ params }) => !wasAsked(query.searches, params)) ?? null;
}

/** How large a page may be, where no other question has shown it. */
export function askForMaxPageSize(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  const { param, maxSize: largest } = search.size;
  const base = broadest(search);
  if (base === null || param.value === null || largest.value.next === null) return null;
  if (largest.value.rows >= USUAL && conclusions.query.searches.length >= A_FEW) return null;
  // In a small registry there is little left to gain by larger pages.
  if ((conclusions.registrySize ?? Number.POSITIVE_INFINITY) <= largest.value.rows * FEW_PAGES) return null;
  const isMore = base.total !== null && base.total > largest.value.rows;
  const wasTried = search.answered.some(({ search: { request } }) => request.params.some(isHuge));
  if (wasTried && conclusions.query.searches.length >= A_FEW) return null;
  const text = isMore && wasTried ? base.text : broadText(conclusions, search, base);
  const params: Param[] = [asText(conclusions, text), [param.value, String(largest.value.next)]];
  const isNew = !wasAsked(conclusions.query.searches, params);
  return isNew ? { params, why: whyOfMaxSize(largest.value.next) } : null;
}

function whyOfMaxSize(size: number): string {
  return `may a page hold ${size} rows?`;
}

/** The size that such a question asked for; null: it was another one. */
export function sizeAskedFor(why: string): string | null {
  const [size] = /\d+/.exec(why) ?? [];
  return size !== undefined && why === whyOfMaxSize(Number(size)) ? size : null;
}

/** The first try at the largest page, with a text that finds many: whether it is refused is known as well. */
export function askForHugePage(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  const wasHuge = conclusions.query.searches.some(({ request }) => request.params.some(isHuge));
  return wasHuge ? null : askForMaxPageSize(conclusions, search);
}

/** All that are likely at once: with huge sizes, to see the largest page as well; then with small ones. */
function lenientDrafts(
  conclusions: Conclusions,
  search: SearchConclusions,
  base: AnsweredSearch,
): SearchDraft[] {
  const wasHuge = conclusions.query.searches.some(({ request }) => request.params.some(isHuge));
  if (!wasHuge) {
    const text = asText(conclusions, broadText(conclusions, search, base));
    const tags = SIZE_PARAMS.map((name, index): Param => [name, String(HUGE + index)]);
    return [{ params: [text, ...tags], why: 'how many rows may a page hold?' }];
  }
  // Pages are told apart by the rows that were seen: few are too few. Where no such question will follow, it is this
  // one that finds the parameter, if there is one.
  const isTurned = search.paging.certainty === 'sure';
  if (isTurned ? !hadEffect(conclusions, search) : base.ids.length >= FEW) return [];
  const why = 'which parameter sets how many rows come?';
  const wasSmall = conclusions.query.searches.some(({ request }) => request.why === why);
  const text = wasSmall ? base.text : broadText(conclusions, search, base);
  return [{ params: [asText(conclusions, text), ...sizeTags(search, 12)], why }];
}

/** Huge sizes were refused, or brought more rows than come without. */
function hadEffect({ query }: Conclusions, { answered, size }: SearchConclusions): boolean {
  const isRefused = query.searches.some(
    ({ request, reading }) => reading !== 'answered' && request.params.some(isHuge),
  );
  return isRefused || answered.some(({ rows }) => rows.length > (size.byDefault ?? 0));
}

/** Unknown parameters are refused: one after the other. */
function strictDrafts(
  conclusions: Conclusions,
  search: SearchConclusions,
  base: AnsweredSearch,
): SearchDraft[] {
  const size = search.size.byDefault === 3 ? 4 : 3;
  return likeliest(SIZE_PARAMS, search)
    .slice(0, 4)
    .map((name) => ({
      params: [asText(conclusions, base.text), [name, String(size)]],
      why: `is ${name} the size of a page?`,
    }));
}

/** The text that is known to find most, unless it finds too little to show a large page. */
function broadText(
  { queryParam, query, minQueryText: leastText }: Conclusions,
  search: SearchConclusions,
  base: AnsweredSearch,
): string | null {
  // A single letter shows as well whether it is answered.
  const isLetterUseful =
    search.minQueryLength.certainty === 'open' && !search.semantics.left.includes('token');
  if (base.total !== null && base.total > ENOUGH && !isLetterUseful) return base.text;
  return broaderQuery(search, queryParam.value ?? '', leastText, query.searches) ?? base.text;
}

function asText({ queryParam }: Conclusions, text: string | null): Param {
  return [queryParam.value ?? '', text ?? ''];
}

/** Small sizes, each another one, and none that rows came in anyway. */
export function sizeTags({ answered }: SearchConclusions, minQueryLength: number): Param[] {
  const seen = new Set(answered.map(({ rows }) => rows.length));
  const values = Array.from({ length: SIZE_PARAMS.length + seen.size }, (_, index) => index + minQueryLength);
  const unseen = values.filter((value) => !seen.has(value));
  return SIZE_PARAMS.map((name, index): Param => [name, String(unseen[index])]);
}

/** Names in the order of likelihood, those first that stand as keys in the answers. */
export function likeliest(names: readonly string[], { answered }: SearchConclusions): string[] {
  const text = answered[0]?.search.text.slice(0, 4000) ?? '';
  const isEchoed = (name: string) => text.includes(`"${name}"`);
  return [...names.filter(isEchoed), ...names.filter((name) => !isEchoed(name))];
}

function isHuge([name, value]: Param): boolean {
  return SIZES.has(name) && Number(value) >= HUGE;
}

const FEW = 20;
const A_FEW = 7;
const FEW_PAGES = 5;
const ENOUGH_FOR_PAGES = 8;
/** A text that finds more than this shows the limit of most page sizes. */
const ENOUGH = 200;
