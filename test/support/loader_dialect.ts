import { Dialect } from '../../src/dialect/dialect.ts';

export const DIALECT = {
  search: {
    query_param: 'q',
    paging: { style: 'page', param: 'page', size: 2 },
    results: '/results',
    id: '/id',
    name: '/name',
    total: '/total',
  },
  entity: { id: '/id', name: '/name', gone: { at: '/class', is: 'Deleted' } },
  stats: { total: '/companies' },
  volatile: ['/queried_at'],
} as const;

export type PartialDialect = {
  search?: object;
  entity?: object;
  stats?: object;
  volatile?: readonly string[];
};

export function dialectWith(changes: PartialDialect = {}): Dialect {
  return Dialect.parse({
    ...DIALECT,
    search: { ...DIALECT.search, ...changes.search },
    entity: { ...DIALECT.entity, ...changes.entity },
    stats: { ...DIALECT.stats, ...changes.stats },
    volatile: changes.volatile ?? DIALECT.volatile,
  });
}
