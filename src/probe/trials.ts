import type { Pointer } from '../dialect/dialect.ts';
import { type Json, type JsonObject, scalarText } from '../json/json.ts';
import { mayFind } from '../names/loose_matching.ts';
import { leavesOf, listsIn, textsIn } from './bodies.ts';
import { isSameRefusal } from './errors.ts';
import { areStable, haveSameStart, type Param, type ProbeExchange, paramOf } from './exchange.ts';
import { isExpression } from './languages.ts';
import { isEmptyQuery, isFirstPage } from './pages.ts';
import { rowsAt } from './rows.ts';
import { countsIn } from './total.ts';
import { roleOfParam } from './words.ts';

/**
 * Group tests: one request has many parameters, and its response shows whether any of them has an effect. The reference
 * is the search without parameters. Half of an effective group is then tested alone.
 */

export interface Trials {
  /** Names that changed nothing: a search with them is like the search without parameters. */
  readonly ineffective: ReadonlySet<string>;
  /** The smallest group of which one parameter has an effect, or null if no group is known. */
  readonly group: Group | null;
  /** Whether the same search returns the same rows again. */
  readonly isStable: boolean;
}

interface Group {
  /** The parameters of which one has an effect, most likely first. */
  readonly suspects: readonly Suspect[];
  /** The other parameters of the request. */
  readonly others: readonly Param[];
  /** Whether the rows themselves show the effect, so that it is not due to another order in each response. */
  readonly isShown: boolean;
}

interface Suspect {
  readonly param: Param;
  /** How likely it is: names earlier in the request are more usual. */
  readonly weight: number;
}

/** Names that an error requires remain possible, because it may have refused the other parameters of a group. */
export function judgeTrials(
  searches: readonly ProbeExchange[],
  results: Pointer | null,
  { required, isLenient }: { readonly required: readonly string[]; readonly isLenient: boolean },
): Trials {
  const bare = searches.find((search) => isEmptyQuery(search) && search.reading !== 'broken');
  const ineffective = new Set<string>();
  if (bare === undefined) return { ineffective, group: null, isStable: true };
  const repeated = searches.filter(({ request, reading }) => request.params.length === 0 && reading === 'ok');
  const rowsIn = (search: ProbeExchange) => (results === null ? [] : rowsAt(search, results));
  const bareForm = formOf(bare);
  const isLikeBare = (search: ProbeExchange) => formOf(search) === bareForm;
  const isStable = results === null ? repeated.every(isLikeBare) : areStable([bare, ...repeated].map(rowsIn));
  const comparison = { bare, rowsIn, isStable, isLikeBare };
  const judged = searches
    .filter((search) => isFirstPage(search) && suspectsIn(search).length > 0)
    .map((search) => ({ search, effect: effectOf(search, comparison) }));
  const effective = judged.filter(({ effect }) => effect === true).map(({ search }) => search);
  // A part of an effective group that finds nothing, or looks like the reference, lacks the parameter with the effect.
  const isRestOfGroup = (part: ProbeExchange) => {
    if ((part.reading !== 'ok' && part.reading !== bare.reading) || rowsIn(part).length > 0) return false;
    const isLike = isLikeBare(part);
    return effective.some(
      (whole) =>
        (isLike || rowsIn(whole).length > 0) &&
        suspectsIn(part).every(([name, value]) => paramOf(whole, name) === value),
    );
  };
  const compared = judged.map(({ search, effect }) => ({
    search,
    effect: effect ?? (isRestOfGroup(search) ? false : null),
  }));
  const accepted = new Set(
    searches.flatMap(({ reading, request }) => (reading === 'refused' ? [] : request.params.map(String))),
  );
  // A refusal shows nothing if the API may have refused another parameter of the request.
  const isFair = ({ reading, request }: ProbeExchange, suspects: readonly Param[]) =>
    reading !== 'refused' ||
    ((suspects.length === 1 || isLenient) &&
      request.params.every((param) => suspects.includes(param) || accepted.has(String(param))));
  for (const { search, effect } of compared)
    for (const [name, value] of effect === false ? suspectsIn(search) : []) {
      const isAlone = suspectsIn(search).length === 1;
      if ((required.includes(name) && !isAlone) || isMatchedByAll(value, search, results)) continue;
      const isTelling = lengthOf(value) >= 4 || /[^\p{ASCII}]{2}/u.test(value);
      // A group that had an effect with shorter values shows that the length is not the reason.
      const isLongEnough = effective.some(({ request }) =>
        request.params.some(([sent, other]) => sent === name && lengthOf(other) <= lengthOf(value)),
      );
      // The API may have ignored a short value.
      if ((isTelling || isLongEnough) && isFair(search, suspectsIn(search))) ineffective.add(name);
    }
  // Rows where the reference has none, or rows that match a query that the reference's rows do not match.
  const isShown = (search: ProbeExchange) =>
    rowsIn(bare).length === 0
      ? rowsIn(search).length > 0
      : suspectsIn(search).some(
          ([, value]) => isMatchedByAll(value, search, results) && !isMatchedByAll(value, bare, results),
        );
  const groups = effective
    .map((search) => {
      const all = suspectsIn(search);
      const repeated = repeatedIn(search, all);
      return {
        suspects: all.flatMap((param, rank) =>
          ineffective.has(param[0]) || (repeated.length > 0 && !repeated.includes(param))
            ? []
            : [{ param, weight: 1 / (rank + 2) }],
        ),
        others: search.request.params.filter((param) => !all.includes(param)),
        rows: rowsIn(search).length,
        isShown: isShown(search),
      };
    })
    .filter(({ suspects }) => suspects.length > 0)
    .sort((a, b) => a.suspects.length - b.suspects.length || b.rows - a.rows);
  return { ineffective, group: groups[0] ?? null, isStable };
}

/** Returns whether all rows match a value, so that the search would return the same rows if the value had an effect. */
function isMatchedByAll(value: string, search: ProbeExchange, results: Pointer | null): boolean {
  const rows = results === null ? [] : rowsAt(search, results);
  return rows.length > 0 && rows.every((row) => mayFind(value, textsIn(row).join(' ')));
}

/** Returns the parameters that may take a query in plain words, or [] if the request has expressions. */
function suspectsIn({ request: { params } }: ProbeExchange): Param[] {
  if (params.some(([, value]) => isExpression(value))) return [];
  return params.filter(([name]) => {
    const role = roleOfParam(name);
    return role === 'query' || role === null;
  });
}

/** Returns the parameters whose values the response repeats unchanged, such as `{"query": "limited"}`. */
function repeatedIn({ json }: ProbeExchange, params: readonly Param[]): Param[] {
  const texts = new Set(leavesOf(json ?? null).map(({ value }) => scalarText(value)));
  return params.filter(([, value]) => texts.has(value));
}

/**
 * Returns the form of a response: its keys and words. Numbers, dates and codes can differ in each response, and a value
 * that was sent is the same in each.
 */
function formOf({ json = null, request }: ProbeExchange): string {
  const sent = new Set(request.params.map(([, value]) => value));
  const wordsOf = (value: Json) =>
    typeof value !== 'string' || /\d/.test(value) ? '' : sent.has(value) ? 'sent' : value;
  return JSON.stringify([
    ...leavesOf(json).map(({ pointer, value }) => [pointer, wordsOf(value)]),
    ...listsIn(json).map(({ pointer, list }) => [pointer, list.length > 0]),
  ]);
}

/** The search without parameters, and how others are compared with it. */
interface Comparison {
  readonly bare: ProbeExchange;
  readonly rowsIn: (search: ProbeExchange) => readonly JsonObject[];
  /** Whether the search without parameters has the same response each time. */
  readonly isStable: boolean;
  readonly isLikeBare: (search: ProbeExchange) => boolean;
}

/** Returns whether the parameters of a search have an effect, or null if its response does not show that. */
function effectOf(search: ProbeExchange, { bare, rowsIn, isStable, isLikeBare }: Comparison): boolean | null {
  const isEmpty = search.reading === 'absent' && search.json !== undefined;
  if (bare.reading === 'refused') {
    if (search.reading === 'ok' || isEmpty) return true;
    return search.reading === 'refused' && isSameRefusal(search, bare) ? false : null;
  }
  if (bare.reading === 'absent') return search.reading === 'ok' ? true : null;
  if (bare.reading !== 'ok') return null;
  if (isEmpty) return true;
  if (search.reading !== 'ok') return null;
  const [all, some] = [rowsIn(bare), rowsIn(search)];
  // Without rows, other keys or words show that the API knows one of the parameters.
  if (all.length === 0) return some.length > 0 || (isStable && !isLikeBare(search)) ? true : null;
  // If the same search returns other rows each time, rows that do not match show no effect.
  if (!haveSameStart(all, some)) return isStable;
  if (countsIn(search) !== countsIn(bare)) return all.length === some.length ? true : null;
  // Fewer rows may be due to a page size, unless the request has none.
  const isSized = search.request.params.some(([name]) => roleOfParam(name) === 'size');
  const isOneRow = Math.min(all.length, some.length) === 1;
  return all.length === some.length || (isSized && !isOneRow) ? false : isSized ? null : true;
}

/** Returns the first parameters that together are about as likely as the rest: the response excludes one of the two. */
export const likelyHalf = (suspects: readonly Suspect[]): Param[] => likelyPart(suspects, 1 / 2);

/** Returns the first parameters that together have about this share of the likelihood. */
export function likelyPart(suspects: readonly Suspect[], share: number): Param[] {
  const all = suspects.reduce((sum, { weight }) => sum + weight, 0);
  let before = 0;
  const half = suspects.filter(({ weight }, index) => {
    const isInHalf = index === 0 || before + weight / 2 < all * share;
    before += weight;
    return isInHalf;
  });
  return half.map(({ param }) => param);
}

const lengthOf = (text: string): number => [...text].length;
