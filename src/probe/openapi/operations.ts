import { isJsonObject } from '../../json/json.ts';
import { type Exchange, type Finding, likely, open, sure } from '../exchange.ts';
import { findResultList, type ResultList } from '../rows.ts';
import { findRegistryTotal } from '../total.ts';
import { COMPANY_WORDS, ID_WORDS, wordsOfKey } from '../words.ts';
import type { ApiDocument, Operation, Parameter } from './document.ts';
import { findSizeParam, queryScore } from './parameters.ts';
import { type Described, sampleResponse } from './sample.ts';

/** The search operation, and the list of results in its response. */
export interface DescribedSearch extends Described {
  readonly listing: ResultList | null;
}

/** The operations for the three resources: search, record and statistics. */
export interface Operations {
  readonly search: Finding<DescribedSearch | null>;
  readonly entity: Finding<Described | null>;
  readonly stats: Finding<Described | null>;
}

/** Chooses the operations that search for companies, return one company, and count all companies. */
export function findOperations(document: ApiDocument): Operations {
  const searches = candidates(document, 'search', searchScore);
  const entities = candidates(document, 'entity', entityScore);
  const [best] = searches
    .flatMap((search) => entities.map((entity) => ({ search, entity, score: pairScore(search, entity) })))
    .sort((a, b) => b.score - a.score);
  const search = best?.search ?? searches[0];
  const entity = best?.entity ?? entities[0];
  const stats = candidates(document, 'stats', statsScore).filter(
    ({ operation }) => operation !== search?.operation,
  );
  return {
    search: chosen(search && { ...search, listing: listingOf(search) }, searches, 'searches companies'),
    entity: chosen(entity, entities, 'returns one company'),
    stats: chosen(stats[0], stats, 'returns statistics'),
  };
}

interface Candidate extends Described {
  readonly score: number;
}

function candidates(
  document: ApiDocument,
  kind: 'search' | 'entity' | 'stats',
  scoreOf: (operation: Operation, response: Exchange) => number,
): Candidate[] {
  return document.operations
    .map((operation) => {
      const response = sampleResponse(document, operation, kind);
      return { operation, response, score: scoreOf(operation, response) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

function chosen<T extends Described>(
  value: T | undefined,
  all: readonly Candidate[],
  does: string,
): Finding<T | null> {
  if (value === undefined) return open(null, `the document has no operation that ${does}`);
  const because = `the document describes ${value.operation.path}`;
  const rival = all.find(({ operation }) => operation !== value.operation);
  const own = all.find(({ operation }) => operation === value.operation);
  const isClear = rival === undefined || (own?.score ?? 0) >= rival.score + CLEAR;
  return isClear ? sure(value, because) : likely(value, `${because}, and also ${rival.operation.path}`);
}

function searchScore(operation: Operation, response: Exchange): number {
  const { path, parameters } = operation;
  if (variablesIn(path).length > 0) return 0;
  const query = Math.max(0, ...parameters.map(queryScore));
  if (query === 0) return 0;
  const listing = findResultList([response], null);
  const list = response.json === undefined ? 0 : listing === null ? -6 : 6;
  const words = wordsOf(path);
  return (
    query + list + has(words, SEARCH_WORDS, 4) + has(words, COMPANY_WORDS, 4) - has(words, PART_WORDS, 8)
  );
}

function entityScore({ path, parameters }: Operation, { json }: Exchange): number {
  const variables = variablesIn(path);
  const [name] = variables;
  if (name === undefined || variables.length > 1) return 0;
  const isOptional = parameters.every(
    (one) => one.in === 'path' || !one.isRequired || constantOf(one) !== null,
  );
  if (!isOptional) return 0;
  const ending = wordsOf(path.replace(/^.*\}/, ''));
  if (ending.length > 0 && !ending.some((word) => RECORD_WORDS.has(word))) return 0;
  const isId = wordsOfKey(name).some((word) => ID_WORDS.has(word) || /(?:nummer|number|id)$/.test(word));
  const words = wordsOf(path.replace(/\{\w+\}/g, ''));
  const isLast = path.endsWith('}') ? 4 : 0;
  const body = json === undefined || isJsonObject(json) ? 2 : -2;
  const depth = path.split('/').length / 2;
  return (
    2 + body + isLast + (isId ? 3 : 0) + has(words, COMPANY_WORDS, 4) - has(words, PART_WORDS, 12) - depth
  );
}

function statsScore({ path, parameters }: Operation, { json }: Exchange): number {
  const isOpen = parameters.every((one) => !one.isRequired || constantOf(one) !== null);
  if (
    variablesIn(path).length > 0 ||
    !isOpen ||
    findSizeParam(parameters).value !== null ||
    !wordsOf(path).some((word) => /^stat(s|ist)/.test(word) || STATS_WORDS.has(word))
  )
    return 0;
  const total = json === undefined ? null : findRegistryTotal(json, null).value;
  return 4 + (total === null ? 0 : 4);
}

/**
 * Scores a pair of search and record operations. Two operations on the same collection, such as `/companies` and
 * `/companies/{id}`, score best.
 */
function pairScore(search: Candidate, entity: Candidate): number {
  const collection = entity.operation.path.replace(/\/\{\w+\}.*$/, '');
  const isSame = search.operation.path.replace(/\/search$/, '') === collection;
  const shared = wordsOf(collection).filter((word) => wordsOf(search.operation.path).includes(word));
  return search.score + entity.score + (isSame ? 6 : Math.min(3, shared.length));
}

function listingOf({ response }: Described): ResultList | null {
  return findResultList([response], null);
}

/**
 * Returns a parameter's default value, or else the first value that its schema permits. Returns null if the schema
 * permits any value.
 */
function constantOf({ schema }: Parameter): string | null {
  const [first] = Array.isArray(schema.enum) ? schema.enum : [];
  const value = schema.default ?? schema.const ?? first ?? schema.example;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : null;
}

/**
 * Returns the query parameters that a request must have. Each has the only value that the document permits, or the
 * first value if it permits several.
 */
export function fixedParameters(
  parameters: readonly Parameter[],
  except: readonly (Parameter | null)[] = [],
): [name: string, value: string][] {
  return parameters.flatMap((one): [string, string][] => {
    const value = constantOf(one);
    return one.in === 'query' && one.isRequired && value !== null && !except.includes(one)
      ? [[one.name, value]]
      : [];
  });
}

export function variablesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function wordsOf(path: string): string[] {
  return wordsOfKey(path).flatMap((word) => [word, word.replace(/ies$/, 'y'), word.replace(/s$/, '')]);
}

function has(words: readonly string[], wanted: { has(word: string): boolean }, score: number): number {
  return words.some((word) => wanted.has(word)) ? score : 0;
}

const SEARCH_WORDS = new Set([
  'search',
  'find',
  'lookup',
  'query',
  'suche',
  'recherche',
  'zoeken',
  'sok',
  'hledat',
  'vyhledat',
]);
/** Words that may follow the id in a record's path. Any other word refers to only part of a company's data. */
const RECORD_WORDS = new Set(['profile', 'detail', 'record', 'info', 'data', 'full']);
const STATS_WORDS = new Set(['count', 'totals', 'summary', 'metrics']);
/** Words in paths that name a part of a company, or something other than companies. */
const PART_WORDS = new Set([
  ...[
    'officer',
    'person',
    'filing',
    'document',
    'charge',
    'account',
    'history',
    'address',
    'role',
    'owner',
    'event',
  ],
  ...[
    'suggest',
    'suggestion',
    'autocomplete',
    'completion',
    'branch',
    'download',
    'field',
    'isin',
    'update',
    'delta',
  ],
  ...[
    'disqualified',
    'dissolved',
    'parent',
    'child',
    'relationship',
    'etablissement',
    'establishment',
    'notification',
  ],
]);
const CLEAR = 2;
