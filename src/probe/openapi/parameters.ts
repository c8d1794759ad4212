import { type Finding, likely, open, sure } from '../exchange.ts';
import { isPagingParam, type ParamRole, roleOfParam, usualNames, wordsOfKey } from '../words.ts';
import type { Parameter } from './document.ts';

/** Scores how likely a parameter is to take a company name, with 0 if it cannot. */
export function queryScore({ name, description, isRequired, schema, ...parameter }: Parameter): number {
  const type = [schema.type].flat().find((one) => one !== 'null');
  const isText = (type === undefined || type === 'string') && !Array.isArray(schema.enum);
  if (parameter.in !== 'query' || !isText || /date/.test(String(schema.format ?? ''))) return 0;
  if (wordsOfKey(name).some((word) => OTHER_WORDS.has(word))) return 0;
  const rank = usual('query').indexOf(name);
  const isNamed = /\b(company|legal|trade|business|entity|organi[sz]ation) names?\b/i.test(description);
  const byName = rank >= 0 ? 8 - rank / 10 : roleOfParam(name) === 'query' ? 6 : isNamed ? 4 : 0;
  if (byName === 0) return 0;
  const isDescribed = /\b(name|navn|nom|title|search|query|term|text|keyword)/i.test(description);
  return byName + (isDescribed ? 1.5 : 0) + (isRequired ? 1.5 : 0);
}

/** Words in the names of parameters that take something other than a company's name. */
const OTHER_WORDS = new Set(
  `street city address country officer director person file sort order field fields status type language lang date user
  region municipality kommunenavn poststed`.split(/\s+/),
);

export function findQueryParam(parameters: readonly Parameter[]): Finding<Parameter | null> {
  const [best, second] = parameters
    .map((parameter) => ({ parameter, score: queryScore(parameter) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  if (best === undefined) return open(null, 'the document names no parameter for a name');
  const because = described(best.parameter);
  return second === undefined || best.score - second.score >= 2
    ? sure(best.parameter, because)
    : likely(best.parameter, `${because}, and also ${second.parameter.name}`);
}

/** Finds the parameter that takes an identifier. `idName` is the name of the id in the record's path. */
export function findIdentifierParam(
  parameters: readonly Parameter[],
  queryParam: string | null,
  idName: string | null,
): Finding<string | null> {
  const others = parameters.filter(({ name }) => name !== queryParam);
  const same = others.find(({ name }) => idName !== null && idName !== 'id' && plain(name) === plain(idName));
  if (same !== undefined) return sure(same.name, `the record path calls the id ${idName}`);
  const named = others.find(({ name }) => usual('identifier').includes(name));
  return named === undefined
    ? open(null, 'the document names no parameter for an identifier')
    : likely(named.name, described(named));
}

export function findSizeParam(parameters: readonly Parameter[]): Finding<Parameter | null> {
  const rankOf = ({ name }: Parameter) => usual('size').indexOf(name) >>> 0;
  const [best] = parameters.filter(isSize).sort((a, b) => rankOf(a) - rankOf(b));
  return best === undefined
    ? open(null, 'the document names no parameter for the page size')
    : sure(best, described(best));
}

/** Finds the max page size in the page size parameter's schema. */
export function findMaxSize(param: Parameter | null): Finding<number | null> {
  const { maximum, exclusiveMaximum, enum: values } = param?.schema ?? {};
  if (typeof maximum === 'number') return sure(maximum, `the document states the maximum ${maximum}`);
  if (typeof exclusiveMaximum === 'number')
    return sure(exclusiveMaximum - 1, `the document states less than ${exclusiveMaximum}`);
  const allowed = Array.isArray(values) ? values.map(Number).filter(Number.isInteger) : [];
  return allowed.length > 0
    ? sure(Math.max(...allowed), `the document permits ${allowed.join(', ')}`)
    : open(null, 'the document states no maximum');
}

/** Finds the min query length in the query parameter's schema. */
export function findMinLength(param: Parameter | null): Finding<number | null> {
  const length = param?.schema.minLength;
  return typeof length === 'number' && length > 0
    ? sure(length, `the document states minLength ${length}`)
    : open(null, 'the document states no minimum');
}

/** Finds the parameter that requests a page: by its number, by an offset or by a cursor. */
export function findPageParam(parameters: readonly Parameter[]): Finding<string | null> {
  const param = parameters.find((one) => isPagingParam(one.name) && !isSize(one));
  return param === undefined
    ? open(null, 'the document does not describe how to request the next page')
    : likely(param.name, described(param));
}

function isSize({ name, schema }: Parameter): boolean {
  // In several languages, a number of rows is just called a number.
  const isNumber =
    [schema.type].flat().includes('integer') && /^(nombre|antall|antal|aantal|pocet|numero)$/i.test(name);
  return isNumber || (roleOfParam(name) === 'size' && ![schema.type].flat().includes('boolean'));
}

function usual(role: Exclude<ParamRole, 'filter'>): readonly string[] {
  return usualNames(role, { sigil: '', joins: ['snake', 'camel'] });
}

/** Returns the last part of a name without separators: `filter[entity.legalName]` becomes `legalname`. */
function plain(name: string): string {
  const last = /\[([\w.]+)\]$/.exec(name)?.[1]?.split('.').at(-1) ?? name;
  return last.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function described({ name, description }: Parameter): string {
  const text = description.replace(/\s+/g, ' ').trim();
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return `the document describes ${name}${text === '' ? '' : `: "${shown}"`}`;
}
