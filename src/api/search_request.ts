import { valuesIn } from '../dialect/template.ts';
import type { CompanyQuery } from '../names/query_matching.ts';
import type { ApiProfile } from './api_profile.ts';
import { offsetOf, type QueryParameters } from './paging.ts';
import { RejectedRequest } from './problems.ts';

/** A search request: the query and the requested rows. */
export interface SearchRequest {
  readonly query: CompanyQuery;
  /** The position of the page's first row, counted from 0. */
  readonly offset: number;
  readonly size: number;
}

/**
 * Converts the query parameters into a search request, following the profile's rules. The route's schema has already
 * validated the parameters.
 *
 * @throws RejectedRequest if they do not form a search.
 */
export function readSearchRequest(profile: ApiProfile, parameters: QueryParameters): SearchRequest {
  const query = queryOf(profile, parameters);
  const size = sizeOf(profile, parameters);
  const { paging } = profile.dialect.search;
  const offset = offsetOf(paging, parameters, size);
  if (offset === null)
    throw invalid('The cursor is invalid. Use the cursor that the previous page returned.');
  return { query, size, offset };
}

function queryOf(
  { dialect: { search }, search: { plain_param } }: ApiProfile,
  parameters: QueryParameters,
): CompanyQuery {
  const rules = { names: search.matches, identifiers: search.identifiers };
  const sent = (param: string | null) => (param === null ? null : textOf(parameters[param]));
  const name = sent(search.query_param);
  const identifier = sent(search.identifier_param);
  if (name !== null && identifier !== null)
    throw invalid(`Send either ${search.query_param} or ${search.identifier_param}, not both.`);
  if (identifier !== null) return { by: 'identifier', text: identifier, ...rules };
  const plain = sent(plain_param);
  if (plain !== null && name === null) return { by: 'any', text: plain, ...rules };
  const byTemplate = name === null ? null : fieldIn(name, search.identifier_template);
  if (byTemplate !== null) return { by: 'identifier', text: byTemplate, ...rules };
  if (name === null && search.min_length > 0)
    throw invalid(`The parameter ${search.query_param} is missing.`);
  const text = name === null || name === '' ? '' : fieldIn(name, search.query_template);
  if (text === null) throw invalid(`The query must have the form ${search.query_template}.`);
  const isEither = search.identifier_param === null && search.identifier_template === null && text !== '';
  return { by: isEither ? 'any' : 'name', text, ...rules };
}

function invalid(detail: string): RejectedRequest {
  return new RejectedRequest({ code: 'parameter_invalid', detail });
}

/**
 * Extracts the query from a text that follows a template such as `name:{query}*`. Returns null if the text does not
 * match the template.
 */
function fieldIn(text: string, template: string | null): string | null {
  return template === null ? null : (valuesIn(template, text)?.query?.trim() ?? null);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.trim() : null;
}

function sizeOf({ dialect, search }: ApiProfile, parameters: QueryParameters): number {
  const { size_param, size } = dialect.search.paging;
  if (size_param === null) return size;
  const sent = parameters[size_param];
  return Math.min(typeof sent === 'number' ? sent : search.default_size, size);
}
