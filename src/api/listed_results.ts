import { isJsonObject, type Json, parseJson, stringifyJson } from '../json/json.ts';
import { placedAt } from '../json/json_template.ts';
import { type Pointer, valueAt } from '../json/pointer.ts';
import type { Catalogue, Matches } from './catalogue.ts';

/** One search result. A company has several if the profile lists each of its register entries. */
interface ListedResult {
  readonly id: string;
  /** The register entry's number, counted from 1, or null if the company has only one result. */
  readonly entry: number | null;
}

interface ListedResults {
  readonly total: number;
  results(from: number, count: number): readonly ListedResult[];
}

/** Returns a query's results. Each company has between 1 and `most` consecutive results. */
export function listedResults(matches: Matches, most: number): ListedResults {
  if (most === 1)
    return {
      total: matches.total,
      results: (from, count) => matches.ids(from, count).map((id) => ({ id, entry: null })),
    };
  const all = matches.ids(0, matches.total).flatMap((id) => {
    const entries = 1 + ([...id].reduce((sum, character) => sum + character.charCodeAt(0), 0) % most);
    return Array.from({ length: entries }, (_, index) => ({ id, entry: index + 1 }));
  });
  return { total: all.length, results: (from, count) => all.slice(from, from + count) };
}

/** Returns a result's summary as JSON text. */
export function textOf({ id, entry }: ListedResult, catalogue: Catalogue): string {
  const text = catalogue.summary(id) ?? 'null';
  return entry === null ? text : stringifyJson(placedAt(parseJson(text), '/entry', entry));
}

/**
 * Adds a result to the body at `at`, outside its list. If `at` is '', the result's fields are added to the body itself.
 */
export function withResultBeside(body: string, at: Pointer | null, result: string): string {
  const [document, beside]: Json[] = [parseJson(body), parseJson(result)];
  const holder = valueAt(document, at ?? '');
  const merged = isJsonObject(holder) && isJsonObject(beside) ? { ...beside, ...holder } : (beside ?? null);
  return stringifyJson(placedAt(document ?? {}, at ?? '', merged));
}
