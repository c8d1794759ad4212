import type { Pointer } from '../../dialect/dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts';
import { pointerOf, valueAt } from '../../json/pointer.ts';
import { mayFind } from '../../names/loose_matching.ts';
import type { ResultList } from '../conclusions.ts';
import { type Exchange, type Finding, likely, open, paramOf, sure } from '../evidence.ts';
import { rowsAt, textAt } from './result_list.ts';

/** The JSON paths to the id and the name in a row, and the query parameter. */
interface RowPaths {
  readonly id: Pointer;
  readonly name: Pointer | null;
  readonly queryParam: string;
}

/**
 * Finds a result that is outside the list, such as the best match. `searches` are first pages. The evidence is an
 * object with an id and a name at the same paths as in the rows. Every first page must have such an object. Its company
 * must match the query, must not be in the list, and must differ between queries.
 */
export function findMainResult(
  searches: readonly Exchange[],
  { results }: Pick<ResultList, 'results'>,
  paths: RowPaths,
): Finding<Pointer | null> {
  const all = searches.filter((search) => paramOf(search, paths.queryParam) !== null);
  const pages = all.filter((search) => rowsAt(search, results).length > 0);
  const idsAt = (at: Pointer, some: readonly Exchange[]) =>
    some.map((page) => mainIn(page, at, results, paths)).filter((id) => id !== null);
  const possible = objectsBeside(pages[0]?.json, results).filter(
    (at) => idsAt(at, pages).length === pages.length,
  );
  // A query's only match can be outside the list. The list is then empty or absent.
  const differing = possible.find((at) => new Set(idsAt(at, all)).size > 1);
  const at = differing ?? possible[0];
  if (at === undefined) return open(null, 'no response has a result outside the list');
  const because = `${at || 'the top of the body'} contains a company that matches the query and is not in the list`;
  return differing === undefined ? likely(at, because) : sure(at, because);
}

/** Returns the id of the company at a path if the company is a result of the search, otherwise null. */
function mainIn(
  page: Exchange,
  at: Pointer,
  results: Pointer,
  { id, name, queryParam }: RowPaths,
): string | null {
  const main = objectAt(page.json, at);
  if (main === null || name === null) return null;
  const [mainId, mainName] = [textAt(main, id), textAt(main, name)];
  if (mainId === null || mainName === null) return null;
  const isListed = rowsAt(page, results).some((row) => textAt(row, id) === mainId);
  const query = paramOf(page, queryParam) ?? '';
  return isListed || !(mayFind(query, mainName) || mayFind(query, mainId)) ? null : mainId;
}

/** Returns the rows on a page: first the result outside the list, if any, then the list itself. */
export function allRowsAt(page: Exchange, results: Pointer, main: Pointer | null, id: Pointer): JsonObject[] {
  const rows = rowsAt(page, results);
  const beside = main === null ? null : objectAt(page.json, main);
  const mainId = beside === null ? null : textAt(beside, id);
  return beside === null || mainId === null || rows.some((row) => textAt(row, id) === mainId)
    ? rows
    : [beside, ...rows];
}

function objectAt(json: Json | undefined, at: Pointer): JsonObject | null {
  const value = valueAt(json, at);
  return isJsonObject(value) ? value : null;
}

/** Returns the paths to the objects that are not inside the list, outer objects first. */
function objectsBeside(json: Json | undefined, results: Pointer): Pointer[] {
  const found: Pointer[] = [];
  const descend = (value: Json | undefined, path: readonly string[]): void => {
    const at = pointerOf(path);
    if (!isJsonObject(value) || at === results || path.length > MAX_DEPTH) return;
    found.push(at);
    for (const key of Object.keys(value)) descend(value[key] as Json, [...path, key]);
  };
  descend(json, []);
  return found.sort((a, b) => a.split('/').length - b.split('/').length);
}

const MAX_DEPTH = 3;
