import { unlikelyId } from './absence.ts';
import type { Conclusions, SearchConclusions } from './conclusions.ts';
import { asksForAll } from './everything.ts';
import type { Exchange, Param } from './exchange.ts';
import { sharedBeginning } from './identifiers.ts';
import { USUAL } from './largest.ts';
import { tooShortText } from './least.ts';
import { textAt } from './listing.ts';
import { askForQueryParam, type Draft, isLenient, wasAsked } from './query_parameter.ts';
import { entityPath } from './record_answers.ts';
import { tellingText } from './semantics.ts';
import { loosely } from './text.ts';
import { IDENTIFIER_PARAMS } from './vocabulary.ts';

/** What may be asked next of the search; each answers null where it has nothing to ask. */

/** Rows, and the parameter that brings them. */
export function askForRows({ query, queryParam, search }: Conclusions): Draft | null {
  const isShown =
    search !== null &&
    queryParam.certainty !== 'open' &&
    search.asked.some(({ rows, text }) => rows.length > 0 && text !== null);
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
  const asked = new Set(entities.map(({ request }) => request.path));
  const { rows, ids } = search.listing;
  if (entities.length >= 5) return null;
  for (const position of [2, 0]) {
    for (const { pointer } of ids.slice(0, 3)) {
      const row = rows[Math.min(position, rows.length - 1)];
      const id = row === undefined ? null : textAt(row, pointer);
      const path = id === null ? null : entityPath(template, id);
      if (path !== null && !asked.has(path))
        return { path, why: `does the value at ${pointer} open a record?` };
    }
  }
  return null;
}

/** A text that the rules which are left would answer differently. */
export function askForSemantics(
  { query, queryParam, leastText, registrySize }: Conclusions,
  search: SearchConclusions,
): Draft | null {
  const { semantics, known, size, asked } = search;
  if (semantics.value !== null || semantics.left.length < 2) return null;
  const tried = new Set(asked.flatMap(({ text }) => (text === null ? [] : [loosely(text)])));
  const tests = asked.filter(({ search: { request } }) => request.why === TELLING).length;
  if (tests >= 4) return null;
  const text = tellingText(semantics.left, known, {
    least: leastText,
    pageSize: size.largest.value.rows,
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
export function askForLeast({ query, queryParam }: Conclusions, search: SearchConclusions): Draft | null {
  const { least, semantics, asked } = search;
  if (least.certainty !== 'open' || semantics.value === null || semantics.value === 'token') return null;
  const text = tooShortText(asked, least.value);
  if (text === null) return null;
  const params: Param[] = [[queryParam.value ?? '', text]];
  return wasAsked(query.searches, params) ? null : { params, why: 'how short may a text be?' };
}

/** No text at all, where single letters are answered: one listing may show all that letters would. */
export function askForEverything(
  { query, queryParam, leastText }: Conclusions,
  search: SearchConclusions,
): Draft | null {
  if (queryParam.certainty === 'open' || leastText > 1 || query.searches.some(asksForAll)) return null;
  const { param, largest } = search.size;
  const params: Param[] = param.value === null ? [] : [[param.value, String(largest.value.rows)]];
  return { params, why: 'does a search without a text list everything?' };
}

/** Nothing found, where no total would say so: is the list empty then, or missing? */
export function askForNothing(
  { query, queryParam, leastText }: Conclusions,
  search: SearchConclusions,
): Draft | null {
  const { asked, total, listing } = search;
  if (total.value !== null || listing.results === '' || asked.some(({ rows }) => rows.length === 0))
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
): Draft | null {
  const { identifiers, known } = search;
  const ids = known.map(({ id }) => id);
  const [id] = ids;
  if (id === undefined || identifiers.matches.certainty === 'sure') return null;
  const drafts: Draft[] = [];
  if (identifiers.matches.value === 'exact') {
    const param = identifiers.param.value ?? queryParam.value ?? '';
    const beginning = sharedBeginning(ids, 3);
    if (beginning !== null)
      drafts.push({
        params: [[param, beginning], ...pageSize(search)],
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
  const isNew = ({ params }: Draft) =>
    !wasAsked(query.searches, params) && !query.searches.some((search) => tellsAlready(search, params, ids));
  return drafts.find(isNew) ?? null;
}

/** The same parameters were sent known ids before, and answered: other ids or another size would tell no more. */
function tellsAlready(
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
function pageSize({ size: { param, largest } }: SearchConclusions): Param[] {
  const { rows, next } = largest.value;
  const isWorthARefusal = next !== null && rows < USUAL;
  return param.value === null ? [] : [[param.value, String(isWorthARefusal ? next : rows)]];
}
