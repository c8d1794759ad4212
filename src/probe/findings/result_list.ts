import type { Pointer } from '../../dialect/dialect.ts';
import { isJsonObject, type Json, type JsonObject, scalarText } from '../../json/json.ts';
import { valueAt } from '../../json/pointer.ts';
import type { ResultList } from '../conclusions.ts';
import type { Exchange } from '../evidence.ts';
import { arraysOutside, leavesOf, wordsOfKey } from '../json_leaves.ts';
import { ELEMENT_WORDS } from '../word_lists.ts';
import { idCandidates, innermost, nameCandidates } from './row_paths.ts';

/** Finds the list of results that is at the same path in all successful searches, or null if no search had rows. */
export function findResultList(searches: readonly Exchange[]): ResultList | null {
  const votes = new Map<Pointer, number>();
  for (const { json } of searches)
    if (json !== undefined)
      for (const { pointer, list } of arraysOutside(json))
        votes.set(pointer, (votes.get(pointer) ?? 0) + companyScore(list));
  const [best] = [...votes].filter(([, score]) => score > 0).sort((a, b) => b[1] - a[1]);
  if (best === undefined) return null;
  const results = best[0];
  const rowsBySearch = searches.map((search) => rowsAt(search, results));
  const rows = [
    ...new Map(rowsBySearch.flat().map((row) => [JSON.stringify(row, numbersAsText), row])).values(),
  ];
  const longest = rowsBySearch.reduce((most, some) => (some.length > most.length ? some : most), []);
  const names = nameCandidates(rows);
  return { results, rows, ids: idCandidates(longest, names[0]?.pointer ?? null), names };
}

/** Returns a response's rows, or [] if it has no list at `results`. */
export function rowsAt({ json }: Exchange, results: Pointer): JsonObject[] {
  const list = valueAt(json, results);
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** Returns the path to the company inside a row, given the paths to its id and name. */
export function itemOf(rows: readonly JsonObject[], id: Pointer, name: Pointer | null): Pointer {
  return innermost(rows, name === null ? [id] : [id, name], isBesideCompany);
}

function isBesideCompany(key: string, value: Json): boolean {
  const isFlat = !isJsonObject(value) || Object.values(value).every((inner) => !isJsonObject(inner));
  return isFlat && wordsOfKey(key).every((word) => ELEMENT_WORDS.has(word));
}

export function textAt(row: JsonObject, pointer: Pointer): string | null {
  return scalarText(valueAt(row, pointer));
}

/**
 * Scores how much a list looks like a list of companies, with 0 for any other list. Long lists of elements with many
 * fields, ids and names score best.
 */
function companyScore(list: readonly Json[]): number {
  const rows = list.filter(isJsonObject);
  if (rows.length === 0 || rows.length < list.length) return 0;
  const fields = rows.reduce((sum, row) => sum + Math.min(leavesOf(row).length, 10), 0) / rows.length;
  const [bestName] = nameCandidates(rows);
  const name = bestName?.score ?? 0;
  const id = idCandidates(rows, bestName?.pointer ?? null)[0]?.score ?? 0;
  if (name <= 0 && id <= 0) return 0;
  return Math.sqrt(rows.length) * (fields + Math.max(0, name) + Math.max(0, id));
}

function numbersAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
