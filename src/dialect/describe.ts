import { windowRow } from '../allowance/window_table.ts';
import { pathInWords } from '../json/pointer.ts';
import type { Dialect, EntityDialect, ResponseRule, SearchDialect } from './dialect.ts';
import { whereInWords } from './header_or_path.ts';
import { type Paging, pagingMethod } from './paging/paging.ts';
import type { ReportedLimit } from './reported_limits.ts';

/** A dialect described in plain language, so that a person can compare it with the API's responses. */
export interface DialectInWords {
  readonly search: readonly string[];
  readonly records: readonly string[];
  readonly statistics: readonly string[];
  /** One sentence for each row in the response table, then one for each reported limit. */
  readonly responses: readonly string[];
}

export function describeDialect(dialect: Dialect): DialectInWords {
  return {
    search: [
      ...describeQueries(dialect.search),
      ...describeResults(dialect.search),
      ...describePaging(dialect.search.paging),
    ],
    records: [...describeRecords(dialect.entity), ...describeVolatile(dialect)],
    statistics: [
      dialect.stats.total === null
        ? 'The statistics do not contain the number of companies in the registry.'
        : `The number of companies in the registry is at ${pathInWords(dialect.stats.total)}.`,
    ],
    responses: [...dialect.responses.map(describeRule), ...dialect.limits.map(describeLimit)],
  };
}

function describeQueries(search: SearchDialect): string[] {
  const identifiers = search.identifier_param;
  const extra = Object.entries(search.extra).map(([name, value]) => `${name}=${value}`);
  return [
    search.query_param === null
      ? 'The API has no search by name.'
      : `The parameter ${search.query_param} takes a name${identifiers === null ? '' : `, and ${identifiers} takes an identifier`}.`,
    ...describeTemplates(search),
    NAMES[search.matches],
    IDENTIFIERS[search.identifiers],
    ...(search.min_length > 1 ? [`A query needs at least ${search.min_length} characters.`] : []),
    ...(search.min_length === 0
      ? [`A search without ${search.query_param ?? 'a query'} lists everything.`]
      : []),
    ...(extra.length > 0 ? [`Every search also sends ${extra.join(' and ')}.`] : []),
  ];
}

function describeTemplates({ query_param, query_template, identifier_template }: SearchDialect): string[] {
  return [
    ...(query_template === '{query}' ? [] : [`A query is sent as ${query_param}=${query_template}.`]),
    ...(identifier_template === null ? [] : [`An identifier is sent as ${identifier_template}.`]),
  ];
}

const NAMES: Record<SearchDialect['matches'], string> = {
  prefix: 'A query finds names that begin with the query.',
  token: 'A query finds names that contain all its words, as whole words.',
  token_prefix: 'A query finds names if each of its words begins a word in the name.',
  substring: 'A query finds names that contain the query anywhere.',
  unknown: 'How queries match names is not known yet; the mirror learns it while it runs.',
};

const IDENTIFIERS: Record<SearchDialect['identifiers'], string> = {
  prefix: 'A query finds identifiers that begin with the query.',
  exact: 'A query finds only the identifier that equals the query.',
  none: 'A query finds no identifiers.',
  unknown: 'How queries match identifiers is not known yet; the mirror learns it while it runs.',
};

function describeResults(search: SearchDialect): string[] {
  const clamp = search.total_clamped_at;
  return [
    `The list of results is at ${pathInWords(search.results)}${search.item === '' ? '' : `, and the company at ${search.item} of each result`}.`,
    `The id of a result is at ${search.id}${search.name === null ? ', and it has no name' : `, and its name at ${search.name}`}.`,
    ...describeFallbacks('a result', search),
    ...(search.main === null ? [] : [`One more result is outside the list, at ${pathInWords(search.main)}.`]),
    ...(search.group_as === null
      ? []
      : [`A company can have several results; its summary lists them under ${search.group_as}.`]),
    search.total === null
      ? 'The API does not return the number of matching companies.'
      : `The number of matching companies is ${whereInWords(search.total)}${clamp === null ? '' : `; from ${clamp} on it means "at least"`}.`,
    ...(search.absent_when_empty ? ['A missing list means that nothing was found.'] : []),
  ];
}

function describeFallbacks(
  subject: string,
  { id_fallbacks, name_fallbacks }: Pick<EntityDialect, 'id_fallbacks' | 'name_fallbacks'>,
): string[] {
  const names = name_fallbacks.map((paths) => [paths].flat().join(' + '));
  return [
    ...(id_fallbacks.length === 0
      ? []
      : [`If ${subject} has no id there, its id is at ${id_fallbacks.join(' or ')}.`]),
    ...(names.length === 0 ? [] : [`If ${subject} has no name there, its name is at ${names.join(' or ')}.`]),
  ];
}

function describePaging(paging: Paging): string[] {
  const rows = paging.size === 1 ? '1 row' : `${paging.size} rows`;
  return [
    pagingMethod(paging.style).describe(paging),
    paging.size_param === null
      ? `A page has ${rows}.`
      : `A page has ${rows}; the parameter ${paging.size_param} requests this number.`,
    ...(paging.window === null
      ? []
      : [`One query can return at most its first ${paging.window} results, over all pages.`]),
  ];
}

function describeRecords(entity: EntityDialect): string[] {
  const { root, id, name, gone } = entity;
  return [
    `The record is ${root === '' ? 'the whole body' : `at ${root}`}; its id is ${id === null ? 'only in the request' : `at ${id}`}${name === null ? '' : `, and its name at ${name}`}.`,
    ...describeFallbacks('a record', entity),
    gone === null
      ? 'No mark in the body shows that a company was deleted.'
      : `A deleted company has a mark at ${gone.at}${gone.is === undefined ? '' : `: ${JSON.stringify(gone.is)}`}.`,
  ];
}

function describeVolatile({ volatile }: Dialect): string[] {
  return volatile.length === 0 ? [] : [`A new value at ${volatile.join(', ')} does not count as a change.`];
}

function describeRule({ status, kind, at, is, matches, header, total, means }: ResponseRule): string {
  const statuses = status === undefined ? [] : [`HTTP ${[status].flat().join(' or ')}`];
  const conditions = [
    ...(is === undefined ? [] : [`${JSON.stringify(is)} at ${pathInWords(at ?? '')}`]),
    ...(matches === undefined
      ? []
      : [`/${matches}/ in ${at === undefined ? 'the body' : `the value at ${pathInWords(at)}`}`]),
    ...(is === undefined && matches === undefined && at !== undefined
      ? [`a value at ${pathInWords(at)}`]
      : []),
    ...(header === undefined ? [] : [`the header ${header}`]),
  ];
  const subject = [statuses[0] ?? 'Any response', ...conditions].join(' with ');
  return `${subject}${kind === undefined ? '' : `, for ${KINDS[kind]}`}: ${MEANINGS[means]}${total === undefined ? '' : `; /${total}/ finds the number of matches`}.`;
}

function describeLimit({ window, remaining, limit, reset }: ReportedLimit): string {
  const period =
    window === null ? '' : ` ${window === 'minute' ? 'this minute' : windowRow(window).words.current}`;
  const parts = [
    ...(remaining === null ? [] : [`the calls left${period} are at ${remaining}`]),
    ...(limit === null ? [] : [`the limit${period} is at ${limit}`]),
    ...(reset === null ? [] : [`the reset time is at ${reset}`]),
  ];
  return `In every response, ${parts.join(', and ')}.`;
}

const KINDS = { stats: 'the statistics', search: 'a search', entity: 'a record' } as const;

const MEANINGS: Record<ResponseRule['means'], string> = {
  ok: 'the call succeeded',
  absent: 'the company does not exist',
  gone: 'the company was deleted',
  refused: 'the API rejects the query',
  throttled: 'calls are sent too fast; the mirror waits',
  exhausted: 'the allowance is exhausted',
  unauthorised: 'the API rejects the key',
  broken: 'the API failed',
};
