import type { JsonObject } from '../../dialect/json.ts';
import { type Exchange, type Param, wordsIn } from './exchange.ts';
import { type Listing, rowsAt, textAt } from './listing.ts';
import { mayFind } from './text.ts';
import { QUERY_PARAMS } from './vocabulary.ts';
import { leavesOf } from './walk.ts';

/** Which parameter of one search took effect, judged by the rows that came. */
export type Effect =
  /** The rows fit the text of this parameter and of no other. */
  | { readonly is: 'one'; readonly param: string; readonly text: string; readonly rows: number }
  /** Several fit. */
  | { readonly is: 'several'; readonly params: readonly string[] }
  /** Rows came, and no text fits them: the parameters did nothing. */
  | { readonly is: 'none' }
  /** No rows: nothing can be said. */
  | { readonly is: 'empty' };

/** Judges an answered search. `candidates` are the parameters that may take the query. */
export function effectOf(search: Exchange, listing: Listing | null, candidates: ReadonlySet<string>): Effect {
  const rows = listing === null ? [] : rowsAt(search, listing.results);
  const sent = search.request.params.filter(([name]) => candidates.has(name));
  if (listing === null || rows.length === 0) return echoed(search, sent) ?? { is: 'empty' };
  const shares = sent.map((param) => ({ param, share: shareFound(param[1], rows, listing) }));
  const best = Math.max(...shares.map(({ share }) => share));
  // Some rows may have been found by a field that is not shown.
  if (best < (rows.length < 10 ? 1 : 0.8)) return { is: 'none' };
  const fitting = shares.filter(({ share }) => share === best).map(({ param }) => param);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1)
    return { is: 'one', param: only[0], text: only[1], rows: rows.length };
  return { is: 'several', params: fitting.map(([name]) => name) };
}

/** The share of the rows that a search for the text might have found. */
function shareFound(text: string, rows: readonly JsonObject[], { names, ids }: Listing): number {
  const places = [...names.slice(0, 3), ...ids.slice(0, 2)];
  const found = rows.filter((row) => places.some(({ pointer }) => mayFind(text, textAt(row, pointer) ?? '')));
  return found.length / rows.length;
}

/** Some APIs repeat what was asked for. */
function echoed({ json }: Exchange, sent: readonly Param[]): Effect | null {
  const leaves = json === undefined ? [] : leavesOf(json);
  const repeated = sent.filter(([, text]) => leaves.some(({ value }) => value === text));
  const [only] = repeated;
  return only !== undefined && repeated.length === 1
    ? { is: 'one', param: only[0], text: only[1], rows: 0 }
    : null;
}

/** Parameters that the words of a refusal name although they were not sent: what it misses, or allows. */
export function paramsNamedBy(refusal: Exchange): string[] {
  const words = wordsIn(refusal);
  const sent = new Set(refusal.request.params.map(([name]) => name));
  return QUERY_PARAMS.filter((name) => !sent.has(name) && isNamedIn(words, name));
}

/** A parameter is named where it stands alone: quoted, or as a word that no sentence would hold by itself. */
export function isNamedIn(words: string, name: string): boolean {
  const exact = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const quoted = new RegExp(`["'\`‘“«(]${exact}["'\`’”»)]`);
  const spoken = new RegExp(
    `(param(eter)?s?|field|argument|querystring|query string)\\W+(is |are |the )?\\W*${exact}(?![\\w[])`,
    'i',
  );
  const subject = new RegExp(
    `(^|[\\s·:])${exact}\\s+(is|are|must|was|should|cannot|parameter|is a required|required)\\b`,
    'i',
  );
  const listed = new RegExp(`(^|·\\s*)${exact}(\\s*·|$)`);
  const isNoWord = /^.$|_|\[|[a-z][A-Z]/.test(name);
  return quoted.test(words) || spoken.test(words) || listed.test(words) || (isNoWord && subject.test(words));
}

/** How many letters a refusal asks for: "at least 3 characters". */
export function lengthNamedBy(refusal: Exchange): number | null {
  const words = wordsIn(refusal);
  const found =
    /(?:at least|min(?:imum)?(?: of| length(?: of| is)?)?|fewer than|less than|>=?)\D{0,12}(\d)\D{0,3}(?:char|letter|symbol|sign|long|tegn|zeichen|caract)/i.exec(
      words,
    ) ?? /(\d)\s*(?:or more\s*)?(?:char|letter|symbol|tegn|zeichen|caract)/i.exec(words);
  return found === null ? null : Number(found[1]);
}

export function speaksOfBreadth(refusal: Exchange): boolean {
  return /too (many|broad|large|general)|narrow|refine|more specific|be specific/i.test(wordsIn(refusal));
}

export function speaksOfLength(refusal: Exchange): boolean {
  return lengthNamedBy(refusal) !== null || /too short|short|min(imum)? length/i.test(wordsIn(refusal));
}
