import { loosely } from '../names/loose_matching.ts';
import { unlikelyId } from './absence.ts';
import type { Conclusions, SearchConclusions } from './conclusions.ts';
import type { Exchange, Param } from './evidence.ts';
import { asksForAll } from './full_listing.ts';
import { sharedPrefix } from './identifier_search.ts';
import { tooShortQuery } from './min_query_length.ts';
import { USUAL } from './page_size.ts';
import { askForQueryParam, isLenient, type SearchDraft, wasAsked } from './query_parameter.ts';
import { entityPath } from './record_paths.ts';
import { textAt } from './result_list.ts';
import { distinctiveQuery } from './search_semantics.ts';
import { IDENTIFIER_PARAMS } from './word_lists.ts';

/** What may be asked next of the search; each answers null where it has nothing to ask. */

/** Rows, and the parameter that brings them. */
export function askForRows({ query, queryParam, search }: Conclusions): SearchDraft | null {
  const isShown =
    search !== null &&
    queryParam.certainty !== 'open' &&
    search.answered.some(({ rows, text }) => rows.length > 0 && text !== null);
  return isShown ? null : askForQueryParam(query);
}

/** A record, by the likeliest id of a row. */
export function askForRecord(
  { addresses }: Conclusions,
  search: SearchConclusions,
  entities: readonly Exchange[],
  origin: string,
): { readonly path: string; readonly why: string } | null {
  const { certainty } = search.record;
  if (addresses.value === null || certainty === 'sure' || (certainty === 'likely' && entities.length > 1))
    return null;
  const template = `${origin}${addresses.value.entity}`;
  const answered = new Set(entities.map(({ request }) => request.path));
  const { rows, ids } = search.listing;
  if (entities.length >= 5) return null;
  for (const position of [2, 0]) {
    for (const { pointer } of ids.slice(0, 3)) {
      const row = rows[Math.min(position, rows.length - 1)];
      const id = row === undefined ? null : textAt(row, pointer);
      const path = id === null ? null : entityPath(template, id);
      if (path !== null && !answered.has(path))
        return { path, why: `does the value at ${pointer} open a record?` };
    }
  }
  return null;
}

/** A text that the rules which are left would answer differently. */
export function askForSemantics(
  { query, queryParam, minQueryText: leastText, registrySize }: Conclusions,
  search: SearchConclusions,
): SearchDraft | null {
  const { semantics, known, size, answered } = search;
  if (semantics.value !== null || semantics.left.length < 2) return null;
  const tried = new Set(answered.flatMap(({ text }) => (text === null ? [] : [loosely(text)])));
  const tests = answered.filter(({ search: { request } }) => request.why === TELLING).length;
  if (tests >= 4) return null;
  const text = distinctiveQuery(semantics.left, known, {
    least: leastText,
    pageSize: size.maxSize.value.rows,
    registrySize: registrySize ?? 100_000,
    tried,
    wasInVain: tests > 0,
  });
  if (text === null) return null;
  const params: Param[] = [[queryParam.value ?? '', text], ...pageSize(search)];
  return wasAsked(query.searches, params) ? null : { params, why: TELLING };
}

const TELLING = 'how does a query find names?';

/** One letter, where two or more are answered: a search for everything begins with single letters. */
export function askForMinQueryLength(
  { query, queryParam }: Conclusions,
  search: SearchConclusions,
): SearchDraft | null {
  const { minQueryLength, semantics, answered } = search;
  if (minQueryLength.certainty !== 'open' || semantics.value === null || semantics.value === 'token')
    return null;
  const text = tooShortQuery(answered, minQueryLength.value);
  if (text === null) return null;
  const params: Param[] = [[queryParam.value ?? '', text]];
  return wasAsked(query.searches, params) ? null : { params, why: 'how short may a text be?' };
}

/** No text at all, where single letters are answered: one listing may show all that letters would. */
export function askForFullListing(
  { query, queryParam, minQueryText: leastText }: Conclusions,
  search: SearchConclusions,
): SearchDraft | null {
  if (queryParam.certainty === 'open' || leastText > 1 || query.searches.some(asksForAll)) return null;
  const { param, maxSize: largest } = search.size;
  const params: Param[] = param.value === null ? [] : [[param.value, String(largest.value.rows)]];
  return { params, why: 'does a search without a text list everything?' };
}

/** Nothing found, where no total would say so: is the list empty then, or missing? */
export function askForNothing(
  { query, queryParam, minQueryText: leastText }: Conclusions,
  search: SearchConclusions,
): SearchDraft | null {
  const { answered, total, listing } = search;
  if (total.value !== null || listing.results === '' || answered.some(({ rows }) => rows.length === 0))
    return null;
  const params: Param[] = [[queryParam.value ?? '', 'zqxjvwkq'.slice(0, Math.max(8, leastText))]];
  return wasAsked(query.searches, params)
    ? null
    : { params, why: 'what does an answer without results look like?' };
}

/** A known identifier, whole and then how it begins; then the parameters that may be for identifiers. */
export function askForIdentifiers(
  { query, queryParam }: Conclusions,
  search: SearchConclusions,
): SearchDraft | null {
  const { identifiers, known } = search;
  const ids = known.map(({ id }) => id);
  const [id] = ids;
  if (id === undefined || identifiers.matches.certainty === 'sure') return null;
  const drafts: SearchDraft[] = [];
  if (identifiers.matches.value === 'exact') {
    const param = identifiers.param.value ?? queryParam.value ?? '';
    const prefix = sharedPrefix(ids, 3);
    if (prefix !== null)
      drafts.push({
        params: [[param, prefix], ...pageSize(search)],
        why: 'is an identifier found by how it begins?',
      });
  } else {
    drafts.push({
      params: [[queryParam.value ?? '', id], ...pageSize(search)],
      why: 'is a company found by its identifier?',
    });
    if (isLenient(query.searches)) {
      const tags = IDENTIFIER_PARAMS.filter((name) => name !== queryParam.value).slice(0, ids.length);
      drafts.push({
        params: tags.map((name, index): Param => [name, ids[index] ?? '']),
        why: 'which parameter takes an identifier? (each is sent another one)',
      });
    }
  }
  const isNew = ({ params }: SearchDraft) =>
    !wasAsked(query.searches, params) &&
    !query.searches.some((search) => isDistinctiveAlready(search, params, ids));
  return drafts.find(isNew) ?? null;
}

/** The same parameters were sent known ids before, and answered: other ids or another size would tell no more. */
function isDistinctiveAlready(
  { request, reading }: Exchange,
  params: readonly Param[],
  ids: readonly string[],
): boolean {
  const sent = new Map(request.params);
  const taking = params.filter(([, value]) => ids.includes(value));
  return (
    reading === 'answered' &&
    taking.length > 0 &&
    taking.every(([name]) => ids.includes(sent.get(name) ?? ''))
  );
}

/** An id that no company should have, to see what the answer looks like. */
export function askForAbsence(
  { addresses, absence }: Conclusions,
  search: SearchConclusions,
  origin: string,
): { readonly path: string; readonly why: string } | null {
  if (absence.because !== 'not asked' || addresses.value === null || search.record.value === null)
    return null;
  const id = unlikelyId(search.known.map((known) => known.id));
  const path = id === null ? null : entityPath(`${origin}${addresses.value.entity}`, id);
  return path === null ? null : { path, why: 'what is an unknown id answered with?' };
}

/**
 * The page size for questions whose answers are also listings: the next one to try while the largest is not known.
 * Where it is refused the same is asked again with the one that is proven.
 */
function pageSize({ size: { param, maxSize: largest } }: SearchConclusions): Param[] {
  const { rows, next } = largest.value;
  const isWorthARefusal = next !== null && rows < USUAL;
  return param.value === null ? [] : [[param.value, String(isWorthARefusal ? next : rows)]];
}
