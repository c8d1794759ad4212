import { type Finding, likely, open, sure } from '../exchange.ts';
import { COMPANY_WORDS, ID_WORDS, wordsOfKey } from '../words.ts';
import type { ApiDocument, Operation, Parameter } from './document.ts';
import { findSizeParam, queryScore } from './parameters.ts';

/** The operations for the three resources: search, record and statistics. */
export interface Operations {
  readonly search: Finding<Operation | null>;
  readonly entity: Finding<Operation | null>;
  readonly stats: Finding<Operation | null>;
}

/** Chooses the operations that search for companies, return one company, and count all companies. */
export function findOperations({ operations }: ApiDocument): Operations {
  const searches = candidates(operations, searchScore);
  const entities = candidates(operations, entityScore);
  const [best] = searches
    .flatMap((search) => entities.map((entity) => ({ search, entity, score: pairScore(search, entity) })))
    .sort((a, b) => b.score - a.score);
  const stats = candidates(operations, statsScore);
  return {
    search: chosen(best?.search ?? searches[0], searches, 'searches companies'),
    entity: chosen(best?.entity ?? entities[0], entities, 'returns one company'),
    stats: chosen(stats[0], stats, 'returns statistics'),
  };
}

interface Candidate {
  readonly operation: Operation;
  readonly score: number;
}

function candidates(
  operations: readonly Operation[],
  scoreOf: (operation: Operation) => number,
): Candidate[] {
  return operations
    .map((operation) => ({ operation, score: scoreOf(operation) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

function chosen(
  best: Candidate | undefined,
  all: readonly Candidate[],
  does: string,
): Finding<Operation | null> {
  if (best === undefined) return open(null, `the document has no operation that ${does}`);
  const because = `the document describes ${best.operation.path}`;
  const rival = all.find((one) => one !== best);
  return rival === undefined || best.score >= rival.score + CLEAR
    ? sure(best.operation, because)
    : likely(best.operation, `${because}, and also ${rival.operation.path}`);
}

const CLEAR = 2;

function searchScore({ path, parameters }: Operation): number {
  const query = Math.max(0, ...parameters.map(queryScore));
  if (variablesIn(path).length > 0 || query === 0) return 0;
  const words = wordsOf(path);
  return query + has(words, SEARCH_WORDS, 4) + has(words, COMPANY_WORDS, 4) - has(words, PART_WORDS, 8);
}

function entityScore({ path, parameters }: Operation): number {
  const [name, ...others] = variablesIn(path);
  if (name === undefined || others.length > 0 || !isComplete(parameters)) return 0;
  const ending = wordsOf(path.replace(/^.*\}/, ''));
  if (ending.length > 0 && !ending.some((word) => RECORD_WORDS.has(word))) return 0;
  const isId = wordsOfKey(name).some((word) => ID_WORDS.has(word) || /(?:nummer|number|id)$/.test(word));
  const words = wordsOf(path.replace(/\{\w+\}/g, ''));
  return (
    4 +
    (path.endsWith('}') ? 4 : 0) +
    (isId ? 3 : 0) +
    has(words, COMPANY_WORDS, 4) -
    has(words, PART_WORDS, 12) -
    path.split('/').length / 2
  );
}

function statsScore({ path, parameters }: Operation): number {
  const isStats = wordsOf(path).some((word) => /^stat(s|ist)/.test(word) || STATS_WORDS.has(word));
  const isList = findSizeParam(parameters).value !== null;
  return variablesIn(path).length === 0 && isComplete(parameters) && !isList && isStats ? 1 : 0;
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

/** Returns whether a request needs no parameter whose value the document leaves open. */
function isComplete(parameters: readonly Parameter[]): boolean {
  return parameters.every((one) => one.in === 'path' || !one.isRequired || constantOf(one) !== null);
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

/** Returns the name of the id in a record's path, or null if the path has none. */
export function idVariable(path: string): string | null {
  return variablesIn(path)[0] ?? null;
}

function variablesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function wordsOf(path: string): string[] {
  return wordsOfKey(path).flatMap((word) => [word, word.replace(/ies$/, 'y'), word.replace(/s$/, '')]);
}

function has(words: readonly string[], wanted: { has(word: string): boolean }, score: number): number {
  return words.some((word) => wanted.has(word)) ? score : 0;
}

const SEARCH_WORDS = new Set(
  'search find lookup query suche recherche zoeken sok hledat vyhledat'.split(' '),
);
/** Words that may follow the id in a record's path. Any other word refers to only part of a company's data. */
const RECORD_WORDS = new Set('profile detail record info data full'.split(' '));
const STATS_WORDS = new Set('count totals summary metrics'.split(' '));
/** Words in paths that name a part of a company, or something other than companies. */
const PART_WORDS = new Set(
  `officer person filing document charge account history address role owner event suggest suggestion autocomplete
  completion branch download field isin update delta disqualified dissolved parent child relationship
  etablissement establishment notification`.split(/\s+/),
);
