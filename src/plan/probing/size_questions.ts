import { type Asked, isCut } from './asked.ts';
import { broaderText, broadest } from './broad.ts';
import type { Conclusions, SearchConclusions } from './conclusions.ts';
import type { Param } from './exchange.ts';
import { HUGE, USUAL } from './largest.ts';
import { type Draft, isLenient, isStrict, wasAsked } from './query_parameter.ts';
import { SIZE_PARAMS } from './vocabulary.ts';

const SIZES: ReadonlySet<string> = new Set(SIZE_PARAMS);

/** A text that has more rows than fit a page, so that pages can be told apart. */
export function askForBreadth(
  { query, queryParam, leastText }: Conclusions,
  search: SearchConclusions,
): Draft | null {
  if (search.asked.some((one) => isCut(one, search.asked) !== 'no')) return null;
  // Where a page may be as small as one likes, a few rows make several pages.
  const most = Math.max(0, ...search.asked.map(({ rows }) => rows.length));
  if (search.size.param.value !== null && most >= ENOUGH_FOR_PAGES) return null;
  const param = queryParam.value ?? '';
  if (search.asked.filter(({ text }) => text !== null).length >= 5) return null;
  const text = broaderText(search, param, leastText, query.searches);
  return text === null ? null : { params: [[param, text]], why: 'which text finds more than a page?' };
}

/** Which parameter sets the size of a page. */
export function askForSizeParam(conclusions: Conclusions, search: SearchConclusions): Draft | null {
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
export function askForLargest(conclusions: Conclusions, search: SearchConclusions): Draft | null {
  const { param, largest } = search.size;
  const base = broadest(search);
  if (base === null || param.value === null || largest.value.next === null) return null;
  if (largest.value.rows >= USUAL && conclusions.query.searches.length >= A_FEW) return null;
  // In a small registry there is little left to gain by larger pages.
  if ((conclusions.registrySize ?? Number.POSITIVE_INFINITY) <= largest.value.rows * FEW_PAGES) return null;
  const isMore = base.total !== null && base.total > largest.value.rows;
  const wasTried = search.asked.some(({ search: { request } }) => request.params.some(isHuge));
  if (wasTried && conclusions.query.searches.length >= A_FEW) return null;
  const text = isMore && wasTried ? base.text : broadText(conclusions, search, base);
  const params: Param[] = [asText(conclusions, text), [param.value, String(largest.value.next)]];
  const isNew = !wasAsked(conclusions.query.searches, params);
  return isNew ? { params, why: whyOfLargest(largest.value.next) } : null;
}

function whyOfLargest(size: number): string {
  return `may a page hold ${size} rows?`;
}

/** The size that such a question asked for; null: it was another one. */
export function sizeAskedFor(why: string): string | null {
  const [size] = /\d+/.exec(why) ?? [];
  return size !== undefined && why === whyOfLargest(Number(size)) ? size : null;
}

/** The first try at the largest page, with a text that finds many: whether it is refused is known as well. */
export function askForHugePage(conclusions: Conclusions, search: SearchConclusions): Draft | null {
  const wasHuge = conclusions.query.searches.some(({ request }) => request.params.some(isHuge));
  return wasHuge ? null : askForLargest(conclusions, search);
}

/** All that are likely at once: with huge sizes, to see the largest page as well; then with small ones. */
function lenientDrafts(conclusions: Conclusions, search: SearchConclusions, base: Asked): Draft[] {
  const wasHuge = conclusions.query.searches.some(({ request }) => request.params.some(isHuge));
  if (!wasHuge) {
    const text = asText(conclusions, broadText(conclusions, search, base));
    const tags = SIZE_PARAMS.map((name, index): Param => [name, String(HUGE + index)]);
    return [{ params: [text, ...tags], why: 'how many rows may a page hold?' }];
  }
  // Pages are told apart by the rows that were seen: few are too few. Where no such question will follow, it is this
  // one that finds the parameter, if there is one.
  const isTurned = search.turning.certainty === 'sure';
  if (isTurned ? !hadEffect(conclusions, search) : base.ids.length >= FEW) return [];
  const why = 'which parameter sets how many rows come?';
  const wasSmall = conclusions.query.searches.some(({ request }) => request.why === why);
  const text = wasSmall ? base.text : broadText(conclusions, search, base);
  return [{ params: [asText(conclusions, text), ...sizeTags(search, 12)], why }];
}

/** Huge sizes were refused, or brought more rows than come without. */
function hadEffect({ query }: Conclusions, { asked, size }: SearchConclusions): boolean {
  const isRefused = query.searches.some(
    ({ request, reading }) => reading !== 'answered' && request.params.some(isHuge),
  );
  return isRefused || asked.some(({ rows }) => rows.length > (size.byDefault ?? 0));
}

/** Unknown parameters are refused: one after the other. */
function strictDrafts(conclusions: Conclusions, search: SearchConclusions, base: Asked): Draft[] {
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
  { queryParam, query, leastText }: Conclusions,
  search: SearchConclusions,
  base: Asked,
): string | null {
  // A single letter shows as well whether it is answered.
  const isLetterUseful = search.least.certainty === 'open' && !search.semantics.left.includes('token');
  if (base.total !== null && base.total > ENOUGH && !isLetterUseful) return base.text;
  return broaderText(search, queryParam.value ?? '', leastText, query.searches) ?? base.text;
}

function asText({ queryParam }: Conclusions, text: string | null): Param {
  return [queryParam.value ?? '', text ?? ''];
}

/** Small sizes, each another one, and none that rows came in anyway. */
export function sizeTags({ asked }: SearchConclusions, least: number): Param[] {
  const seen = new Set(asked.map(({ rows }) => rows.length));
  const values = Array.from({ length: SIZE_PARAMS.length + seen.size }, (_, index) => index + least);
  const unseen = values.filter((value) => !seen.has(value));
  return SIZE_PARAMS.map((name, index): Param => [name, String(unseen[index])]);
}

/** Names in the order of likelihood, those first that stand as keys in the answers. */
export function likeliest(names: readonly string[], { asked }: SearchConclusions): string[] {
  const text = asked[0]?.search.text.slice(0, 4000) ?? '';
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
