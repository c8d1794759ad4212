import type { Pointer } from '../../dialect/dialect.ts';
import { segmentsOf } from '../../json/pointer.ts';
import { type Finding, likely, open, sure } from '../exchange.ts';
import { findNextPageLink } from '../pages.ts';
import type { PagingStyle } from '../paging.ts';
import { isPagingParam, NAME_WORDS, type ParamRole, roleOfParam, usualNames, wordsOfKey } from '../words.ts';
import type { Parameter } from './document.ts';
import type { Described } from './sample.ts';

/** Scores how likely a parameter is to take a company name, with 0 if it cannot. */
export function queryScore(parameter: Parameter): number {
  const { name, description, isRequired, schema } = parameter;
  const type = [schema.type].flat().find((one) => one !== 'null');
  if (parameter.in !== 'query' || (type !== undefined && type !== 'string') || Array.isArray(schema.enum))
    return 0;
  if (isPaging(name) || /date/.test(String(schema.format ?? ''))) return 0;
  const words = wordsOfKey(name);
  const position = usual('query').indexOf(name);
  const isNameWord = words.some(
    (word) => NAME_WORDS.has(word) || QUERY_WORDS.has(word) || /(name|navn|naam)$/.test(word),
  );
  const isNamed = /\b(company|legal|trade|business|entity|organi[sz]ation) names?\b/i.test(description);
  const byName = position >= 0 ? 8 - position / 10 : isNameWord ? 6 : isNamed ? 4 : 0;
  if (byName === 0 || words.some((word) => OTHER_WORDS.has(word))) return 0;
  const isDescribed = /\b(name|navn|nom|title|search|query|term|text|keyword)/i.test(description);
  return byName + (isDescribed ? 1.5 : 0) + (isRequired ? 1.5 : 0);
}

export function findQueryParam(parameters: readonly Parameter[]): Finding<Parameter | null> {
  const [best, second] = parameters
    .map((parameter) => ({ parameter, score: queryScore(parameter) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  if (best === undefined) return open(null, 'the document names no parameter for a name');
  const because = `the document describes ${best.parameter.name}${quoted(best.parameter)}`;
  return second === undefined || best.score - second.score >= 2
    ? sure(best.parameter, because)
    : likely(best.parameter, `${because}, and also ${second.parameter.name}`);
}

/**
 * Finds the parameter that takes an identifier. `idKeys` are the names for the id in a record's path and in the search
 * results.
 */
export function findIdentifierParam(
  parameters: readonly Parameter[],
  queryParam: string | null,
  idKeys: readonly string[],
): Finding<string | null> {
  const others = parameters.filter(
    (one) => one.in === 'query' && one.name !== queryParam && !isPaging(one.name),
  );
  const keys = new Set(idKeys.map(plain).filter((key) => key !== 'id'));
  const same = others.find(({ name }) => keys.has(plain(lastWordOf(name))) || keys.has(plain(name)));
  if (same !== undefined) return sure(same.name, `a company's id is also called ${same.name}`);
  const named = others.find(({ name }) => usual('identifier').includes(name));
  return named === undefined
    ? open(null, 'the document names no parameter for an identifier')
    : likely(named.name, `the document describes ${named.name}${quoted(named)}`);
}

export function findSizeParam(parameters: readonly Parameter[]): Finding<Parameter | null> {
  const sizes = parameters.filter(isSize);
  const [best] = [...sizes].sort((a, b) => rankIn('size', a.name) - rankIn('size', b.name));
  return best === undefined
    ? open(null, 'the document names no parameter for the page size')
    : sure(best, `the document describes ${best.name}${quoted(best)}`);
}

/** Finds the max page size in the page size parameter's schema or description. */
export function findMaxSize(param: Parameter | null): Finding<number | null> {
  if (param === null) return open(null, 'the page size cannot be set');
  const { maximum, exclusiveMaximum } = param.schema;
  if (typeof maximum === 'number') return sure(maximum, `the document states the maximum ${maximum}`);
  if (typeof exclusiveMaximum === 'number')
    return sure(exclusiveMaximum - 1, `the document states less than ${exclusiveMaximum}`);
  const allowed = Array.isArray(param.schema.enum)
    ? param.schema.enum.map(Number).filter(Number.isInteger)
    : [];
  if (allowed.length > 0) return sure(Math.max(...allowed), `the document permits ${allowed.join(', ')}`);
  const named = MAXIMUM.exec(param.description);
  const value = Number((named?.[1] ?? '').replace(/[ ,.]/g, ''));
  return value > 0
    ? likely(value, `the document states: ${param.description.slice(0, 120)}`)
    : open(null, 'the document states no maximum');
}

const MAXIMUM =
  /(?:max(?:imum|\.)?|limit(?:ed|é|ée) (?:to|à)|up to|at most|not exceed|no more than|between \d+ and|from \d+ to)[^\d(*]{0,24}(\d[\d,. ]*\d|\d)/i;

/** Finds the min query length in the query parameter's schema or description. */
export function findMinLength(param: Parameter | null): Finding<number | null> {
  const minLength = param?.schema.minLength;
  if (typeof minLength === 'number' && minLength > 0)
    return sure(minLength, `the document states minLength ${minLength}`);
  const named = /(?:at least|min(?:imum)?)\D{0,20}(\d)\D{0,3}(?:char|letter)/i.exec(param?.description ?? '');
  return named === null
    ? open(null, 'the document states no minimum')
    : likely(Number(named[1]), `the document states: ${param?.description.slice(0, 120)}`);
}

/** Finds the paging method: a cursor, a page number, an offset, or a next-page link in the response. */
export function findPaging({ operation, response }: Described): Finding<PagingStyle | null> {
  const queries = operation.parameters.filter((one) => one.in === 'query' && !isSize(one));
  const link = findNextPageLink([response]);
  const cursor = queries.find(({ name }) => roleOfParam(name) === 'cursor');
  if (cursor !== undefined && link?.is === 'cursor')
    return sure(
      { style: 'cursor', param: cursor.name, next: link.at, ...firstCursor(cursor) },
      said(cursor, link.at),
    );
  const page = queries.find(({ name }) => roleOfParam(name) === 'page');
  if (page !== undefined) return numbered('page', page, firstOf(page, 1));
  const offset = queries.find(({ name }) => roleOfParam(name) === 'offset');
  if (offset !== undefined) return numbered('offset', offset, firstOf(offset, 0));
  if (link?.is === 'next_url')
    return sure({ style: 'next_url', next: link.at }, `the document describes ${link.at}`);
  if (operation.headers.includes('link'))
    return likely({ style: 'link_header' }, 'the document describes the header Link');
  return open(null, 'the document does not describe how to request the next page');
}

/** Returns the cursor for the first page, if the document states one. */
function firstCursor({ description, schema }: Parameter): { first?: string } {
  const stated = typeof schema.default === 'string' ? schema.default : null;
  const first = stated ?? /['"`“](\*)['"`”]/.exec(description)?.[1] ?? null;
  return first === null || first === '' ? {} : { first };
}

function numbered(
  style: 'page' | 'offset',
  param: Parameter,
  first: Finding<number>,
): Finding<PagingStyle | null> {
  return { ...first, value: { style, param: param.name, first: first.value } };
}

/** Finds whether pages or rows are numbered from 0 or 1. */
function firstOf(param: Parameter, usual: number): Finding<number> {
  const { name, description, schema } = param;
  const stated = [schema.default, schema.minimum].find((value) => value === 0 || value === 1);
  if (stated !== undefined)
    return sure(Number(stated), `the document states that ${name} begins at ${stated}`);
  if (
    /zero.?based|0.?based|(starts?|begins?|from|first[^.]{0,20}) (at |is |with )?0\b|default\D{0,8} 0\b/i.test(
      description,
    )
  )
    return sure(0, `the document states: ${description.slice(0, 120)}`);
  if (
    /(starts?|begins?|from|first[^.]{0,20}) (at |is |with )?1\b|default\D{0,8} 1\b|one.?based/i.test(
      description,
    )
  )
    return sure(1, `the document states: ${description.slice(0, 120)}`);
  return likely(usual, `the document describes ${name}, but not its first value`);
}

function isSize({ name, schema, ...parameter }: Parameter): boolean {
  if (parameter.in !== 'query' || [schema.type].flat().includes('boolean')) return false;
  // In several languages, a number of rows is just called a number.
  const isNumber =
    [schema.type].flat().includes('integer') && /^(nombre|antall|antal|aantal|pocet|numero)$/i.test(name);
  return isNumber || roleOfParam(name) === 'size';
}

function isPaging(name: string): boolean {
  return isPagingParam(name) || roleOfParam(name) === 'size';
}

function usual(role: Exclude<ParamRole, 'filter'>): readonly string[] {
  return usualNames(role, { sigil: '', joins: ['snake', 'camel'] });
}

function rankIn(role: Exclude<ParamRole, 'filter'>, name: string): number {
  const list = usual(role);
  const at = list.findIndex((other) => plain(other) === plain(name));
  return at === -1 ? list.length : at;
}

export function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function lastWordOf(name: string): string {
  return /\[([\w.]+)\]$/.exec(name)?.[1]?.split('.').at(-1) ?? name;
}

export function lastKeyOf(pointer: Pointer): string {
  return segmentsOf(pointer).at(-1) ?? '';
}

function said({ name }: Parameter, at: Pointer): string {
  return `the document describes ${name}, and the next cursor at ${at}`;
}

function quoted({ description }: Parameter): string {
  const text = description.replace(/\s+/g, ' ').trim();
  return text === '' ? '' : `: "${text.length > 80 ? `${text.slice(0, 80)}…` : text}"`;
}

const QUERY_WORDS = new Set(['q', 'query', 'search', 'term', 'text', 'keyword', 'keywords', 'phrase']);
const OTHER_WORDS = new Set([
  ...[
    'street',
    'city',
    'address',
    'country',
    'officer',
    'director',
    'person',
    'file',
    'sort',
    'order',
    'field',
    'fields',
  ],
  ...[
    'status',
    'type',
    'language',
    'lang',
    'date',
    'user',
    'region',
    'municipality',
    'kommunenavn',
    'poststed',
  ],
]);
