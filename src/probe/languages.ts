import type { Pointer } from '../dialect/dialect.ts';
import { segmentsOf } from '../json/pointer.ts';
import type { Param, QueryHypothesis } from './exchange.ts';
import { roleOfParam } from './words.ts';

/**
 * Query languages: expressions that find names, for APIs whose parameter takes no plain words. A language only proposes
 * hypotheses. One of them is right if different queries inside its expression return rows with different, matching names.
 */

/** A field for the name in an expression: its last key, and its path with dots. */
interface Field {
  readonly key: string;
  readonly path: string;
  /** Whether the known names are in capitals. */
  readonly isInCapitals?: boolean;
}

interface QueryLanguage {
  /** Matches errors, bodies and configured paths of an API with this language. */
  readonly sign: RegExp;
  /** Usual parameters, each with an expression, most likely first. `object` is the kind of record. */
  readonly find: (field: Field, object: string) => readonly Param[];
  /** An expression that finds all companies, for an API that refuses a search without one. */
  readonly all?: Param;
}

const LANGUAGES: readonly QueryLanguage[] = [
  {
    sign: /odata|\$(filter|top|skip)\b/i,
    find: ({ path }) =>
      [
        `contains(${slashed(path)},'{query:odata}')`,
        `startswith(${slashed(path)},'{query:odata}')`,
        `substringof('{query:odata}',${slashed(path)})`,
      ].map((template) => ['$filter', template]),
  },
  {
    sign: /lucene|solr|query_string|"numFound"/i,
    find: ({ path }) => [
      ['q', `${path}:{query:lucene}*`],
      ['search', `${path}:{query:lucene}*`],
    ],
    all: ['q', '*:*'],
  },
  {
    sign: /\bsql\b/i,
    find: ({ key }, object) => [['sql', `SELECT * FROM ${object} WHERE ${key} LIKE '%{query:odata}%'`]],
  },
  {
    sign: /\bsql\b|\blike\b|where\W+(clause|parameter)/i,
    find: ({ key, isInCapitals }) => [
      ['where', `UPPER(${key}) LIKE UPPER('%{query:odata}%')`],
      ['where', `${key} LIKE '%{query:${isInCapitals ? 'upper:' : ''}odata}%'`],
    ],
    all: ['where', '1=1'],
  },
  {
    sign: /soda|soql\.|socrata|\$(where|limit|offset)\b/i,
    find: ({ key }) => [['$where', `upper(${key}) like upper('%{query:odata}%')`]],
  },
  { sign: /odsql/i, find: ({ key }) => [['where', `search(${key},"{query:json}")`]] },
  {
    sign: /soql|malformed_query|sobjects/i,
    find: (_, object) => [['q', `SELECT Id, Name FROM ${object} WHERE Name LIKE '%{query:lucene}%'`]],
  },
  {
    sign: /supported filters|filters.{0,40}json|\bjson\b.{0,30}(invalid|expected|object)|(valid|parse|decod)\w*\b.{0,20}\bjson\b/i,
    find: ({ key }) => [['filters', `{"${key}":"{query:json}"}`]],
    all: ['filters', '{}'],
  },
  {
    sign: /elasticsearch|parsing_exception|no \[query\]|query_shard/i,
    find: ({ path }) => [['source', `{"query":{"match":{"${path}":"{query:json}"}}}`]],
  },
  {
    sign: /restriction|invalid filter|\bfilter\b.{0,60}\w:"/i,
    find: ({ path }) => [['filter', `${path}:"{query:json}"`]],
  },
  { sign: /rsql|fiql/i, find: ({ path }) => [['filter', `${path}==*{query:words}*`]] },
  { sign: /\bords\b|oracle/i, find: ({ key }) => [['q', `{"${key}":{"$instr":"{query:json}"}}`]] },
  { sign: /pgrst|\boperator \(eq|=eq\./i, find: ({ key }) => [[key, 'ilike.*{query}*']] },
  { sign: /strapi|\$contains/i, find: ({ key }) => [[`filters[${key}][$containsi]`, '{query}']] },
  { sign: /__\w+=|tastypie|django/i, find: ({ key }) => [[`${key}__icontains`, '{query}']] },
];

const slashed = (path: string): string => path.replaceAll('.', '/');

/** The texts and paths that suggest a language and its fields. */
interface LanguageClues {
  /** Texts of errors, beginnings of bodies, and configured paths. */
  readonly text: string;
  /** Texts of errors alone. */
  readonly errors: string;
  /** The JSON paths of the name and of the id in a row, or null if no rows are known. */
  readonly name: Pointer | null;
  readonly id: Pointer | null;
  readonly areInCapitals: boolean;
  /** Names of fields in errors. */
  readonly fields: readonly string[];
  /** Parameters that may take an expression, because the API refused all plain words in them, with its texts. */
  readonly refused: readonly { readonly param: string; readonly text: string }[];
  /** The record's path, with `{id}`. */
  readonly recordPath: string;
  /** The search's path. */
  readonly searchPath: string;
}

export interface Expression extends QueryHypothesis {
  /** Whether a text or a path of the API suggests the expression. */
  readonly isSuggested: boolean;
}

/** Returns expressions that may find names, suggested ones first. The expression in the record's path is the first. */
export function expressionsFor(clues: LanguageClues): Expression[] {
  const { name, areInCapitals, fields, recordPath, refused, text } = clues;
  const inErrors = fields.filter((key) => !PARAMS.has(key)).map((key) => ({ key, path: key }));
  const known = [...(name === null ? [] : [{ ...fieldAt(name), isInCapitals: areInCapitals }]), ...inErrors];
  const object = /([^/?]+)\/\{id/.exec(recordPath)?.[1] ?? kindIn(clues.searchPath);
  const inTable = LANGUAGES.flatMap(({ sign, find }) => {
    const isSuggested = sign.test(text);
    const guessed = sign.test(clues.errors) ? USUAL_FIELD : MISSING;
    return [...known, { key: guessed, path: guessed }].flatMap((field) =>
      find(field, object).flatMap(([usual, template]) => {
        const mayDiffer = /^\w+$/.test(usual) && usual !== field.key;
        const others = refused.flatMap((one) => (mayDiffer && sign.test(one.text) ? [one.param] : []));
        return [...others, usual].map((param) => ({ param, template, isSuggested }));
      }),
    );
  });
  const own = [...shownExpressions(clues), ...ownExpressions(clues)];
  // An expression for an equal name is the last of its language, because it finds only whole names.
  const [equal, partial] = [own.filter(isForEqual), own.filter((one) => !isForEqual(one))];
  const possible = [...partial, ...inTable, ...equal].filter(
    ({ param, template }) => !`${param}${template}`.includes(MISSING),
  );
  const byText = new Map(possible.reverse().map((one) => [`${one.param}\n${one.template}`, one]));
  return [...byText.values()].reverse().sort((a, b) => Number(b.isSuggested) - Number(a.isSuggested));
}

const isForEqual = ({ template }: QueryHypothesis): boolean => /\w\s+eq\s/.test(template);

/** The placeholder for an unknown field or kind of record. */
const MISSING = '\u0000';

const PARAMS: ReadonlySet<string> = new Set(
  LANGUAGES.flatMap(({ find }) => find({ key: MISSING, path: MISSING }, MISSING).map(([param]) => param)),
);

/** Returns the last word in a path that can be the kind of records: `company` in `/v5/company/search`. */
function kindIn(path: string): string {
  return path.split('/').findLast((part) => /^\p{L}{4,}$/u.test(part) && part !== 'search') ?? MISSING;
}

/** The field of names in an expression, until rows show it. */
const USUAL_FIELD = 'name';

/** Returns the parameter of the record's path that has the id in an expression, with the query and the name instead. */
function ownExpressions({ recordPath, name, id }: LanguageClues): Expression[] {
  const [idField, nameField] = [id, name].map((pointer) => (pointer === null ? null : fieldAt(pointer).key));
  return [...new URLSearchParams(recordPath.split('?')[1])].flatMap(([param, value]) => {
    // A parameter that takes the id alone also takes a name only if it is called like a query.
    const role = roleOfParam(param);
    if (!/\{id\b/.test(value) || role === 'identifier' || (value === '{id}' && role !== 'query')) return [];
    const quote = /(['"])[^'"]*\{id\}/.exec(value)?.[1];
    const inQuotes = quote === "'" ? ':odata' : quote === '"' ? ':json' : '';
    // The text beside the id may be a field that only ids have: `'DocId:{id}'`.
    const quoted = `${quote}{query${inQuotes}}${quote}`;
    const whole = /^(['"])[^'"]+\{id\}\1$/.test(value)
      ? [{ param, template: quoted, isSuggested: true }]
      : [];
    const ofQuery = value.replace('{id}', `{query${inQuotes}}`).replace('{id:', '{query:');
    if (idField == null || nameField == null || !ofQuery.includes(idField)) {
      const field = /^\w+(?=:\{)/.exec(ofQuery)?.[0];
      const template = field === undefined ? ofQuery : ofQuery.replace(field, nameField ?? USUAL_FIELD);
      const asIs = template === ofQuery ? [] : [{ param, template: ofQuery, isSuggested: true }];
      return [...whole, { param, template, isSuggested: true }, ...asIs];
    }
    return [{ param, template: ofQuery.replace(idField, nameField), isSuggested: true }, ...whole];
  });
}

/** Returns expressions such as `NAME:{query}` if an error shows this form, for the field in it and for the known name. */
function shownExpressions({ refused, name }: LanguageClues): Expression[] {
  return refused.flatMap(({ param, text }) => {
    const shown = FIELD_FORM.exec(text)?.[1];
    const keys = shown === undefined ? [] : [...(name === null ? [] : [fieldAt(name).key]), shown];
    return [...new Set(keys)].map((key) => ({ param, template: `${key}:{query}`, isSuggested: true }));
  });
}

const FIELD_FORM = /\b(?:form|format|syntax|like|example|e\.g\.?)\W+([\p{L}_][\w.]*)\s?:\s?[\p{L}"'<{*]/iu;

/** Returns an expression that finds all companies, if the API's texts suggest its language or require its parameter. */
export function findsAll(
  text: string,
  required: readonly string[],
  refused: LanguageClues['refused'],
): Param[] {
  return LANGUAGES.flatMap(({ sign, all }): Param[] => {
    if (all === undefined) return [];
    const [usual, value] = all;
    const others = refused.flatMap((one): Param[] => (sign.test(one.text) ? [[one.param, value]] : []));
    if (others.length > 0) return [...new Map(others)];
    return sign.test(text) || required.includes(usual) ? [all] : [];
  });
}

/** Returns the words in errors about an expression that may be its field for the name. */
export function fieldsIn(text: string): string[] {
  const words = text.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
  return [...new Set(words)].filter((word) => /_|\p{Ll}\p{Lu}/u.test(word) && roleOfParam(word) === 'query');
}

/** Returns the name of a field in expressions. Its path lacks positions and the objects that only wrap a row. */
function fieldAt(pointer: Pointer): Field {
  const keys = segmentsOf(pointer).filter((key) => !/^\d+$|^\[/.test(key) && !WRAPPERS.has(key));
  return { key: keys.at(-1) ?? '', path: keys.join('.') };
}

const WRAPPERS: ReadonlySet<string> = new Set(['attributes', '_source', 'fields', 'properties']);

/** Returns whether a value is an expression and not plain words. */
export function isExpression(value: string): boolean {
  return /[={}[\]~]|\w\(|^\*:\*$|:["\w]|\w\s+eq\s+['"]/.test(value);
}
