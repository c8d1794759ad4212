import type { Call } from '../../src/call.ts';
import { FIRST_PAGE } from '../../src/call.ts';
import { Dialect } from '../../src/dialect/dialect.ts';

type DialectInput = Parameters<typeof Dialect.parse>[0] & object;

/** A simple dialect. `changes` replaces whole sections. */
export function dialectOf(changes: DialectInput = {}): Dialect {
  return Dialect.parse({
    search: {
      query_param: 'q',
      paging: { style: 'page', param: 'page', size_param: 'per_page', size: 50 },
      results: '/results',
      id: '/id',
      name: '/name',
      total: '/total',
    },
    entity: { id: '/id', name: '/name' },
    stats: { total: '/total' },
    ...changes,
  });
}

/** The simple dialect with `changes` to single keys in its search section. */
export function searchDialect(changes: object): Dialect {
  const { search } = dialectOf();
  return dialectOf({ search: { ...search, ...changes } });
}

export const STATS: Call = { kind: 'stats', reason: 'test', expected: 0 };
export const SEARCH = searchFor('acme');
export const ENTITY = entityOf('42');

export function searchFor(text: string, by: 'name' | 'identifier' = 'name', page = FIRST_PAGE): Call {
  return { kind: 'search', query: { by, text }, page, reason: 'test', expected: 1 };
}

export function entityOf(entityId: string): Call {
  return { kind: 'entity', entityId, reason: 'test', expected: 1 };
}
