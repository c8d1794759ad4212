import type { ApiProfile } from './api_profile.ts';
import type { CatalogueQuery } from './catalogue.ts';
import { type QueryParameters, servicePaging } from './paging.ts';
import type { Problem } from './problems.ts';

/** A search as it was asked: what for, and which rows of it. */
export interface SearchRequest {
  readonly query: CatalogueQuery;
  /** Position of the first row, from 0. */
  readonly offset: number;
  readonly size: number;
}

/** Reads the parameters (checked against the route's schema before) by the shape's rules. */
export function readSearchRequest(profile: ApiProfile, parameters: QueryParameters): SearchRequest | Problem {
  const query = queryOf(profile, parameters);
  if ('code' in query) return query;
  const size = sizeOf(profile, parameters);
  const { paging } = profile.search;
  const offset = servicePaging(paging).offsetOf(paging, parameters, size);
  if (offset === null) return { code: 'parameter_invalid', detail: 'The cursor is not one of ours.' };
  return { query, size, offset };
}

function queryOf({ search }: ApiProfile, parameters: QueryParameters): CatalogueQuery | Problem {
  const semantics = { names: search.matches, identifiers: search.identifiers };
  const name = textOf(parameters[search.query_param], search.trim);
  const identifier =
    search.identifier_param === null ? null : textOf(parameters[search.identifier_param], search.trim);
  if (name !== null && identifier !== null) {
    const detail = `Ask either by ${search.query_param} or by ${search.identifier_param}.`;
    return { code: 'parameter_invalid', detail };
  }
  if (identifier !== null) return { by: 'identifier', text: identifier, ...semantics };
  if (name === null && search.min_length > 0) {
    return { code: 'parameter_invalid', detail: `The parameter ${search.query_param} is missing.` };
  }
  const by = search.identifier_param === null && name !== null && name !== '' ? 'any' : 'name';
  return { by, text: name ?? '', ...semantics };
}

function textOf(value: unknown, trim: boolean): string | null {
  if (typeof value !== 'string') return null;
  return trim ? value.trim() : value;
}

function sizeOf({ search }: ApiProfile, parameters: QueryParameters): number {
  const { size_param, size } = search.paging;
  const asked = size_param === null ? undefined : parameters[size_param];
  return typeof asked === 'number' ? Math.min(asked, search.max_size) : size;
}
