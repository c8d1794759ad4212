import { describe, expect, it } from 'vitest';
import { Dialect } from '../../src/dialect/dialect.ts';
import { proposeChanges } from '../../src/probe/dialect_changes.ts';
import { row, searchExchange } from '../support/probe_exchanges.ts';

const dialect = Dialect.parse({
  search: {
    query_param: 'q',
    paging: { style: 'none' },
    results: '/results',
    id: '/company_number',
    name: '/title',
  },
  entity: { root: '', id: '/company_number' },
  stats: { total: '/total' },
});

describe('proposed changes to a dialect', () => {
  it("the proposed changes include the list's new path, but no new path for the id if the old one still fits", () => {
    const mismatch = { exchange: searchExchange({ data: { hits: [row(1), row(2)] } }), entityId: null };
    expect(proposeChanges(dialect, [mismatch])).toEqual([
      expect.objectContaining({ key: 'search.results', from: '/results', to: '/data/hits' }),
    ]);
  });

  it("the proposed changes include the record's new paths", () => {
    const request = { kind: 'entity' as const, path: '', params: [], why: '' };
    const exchange = { ...searchExchange({ version: 2, data: { number: 'N7' } }), request };
    const changes = proposeChanges(dialect, [{ exchange, entityId: 'N7' }]);
    expect(changes.map(({ key, to }) => [key, to])).toEqual([
      ['entity.root', '/data'],
      ['entity.id', '/number'],
    ]);
  });

  it('no changes are proposed if the responses contain no companies', () => {
    const mismatch = { exchange: searchExchange({ oops: true }), entityId: null };
    expect(proposeChanges(dialect, [mismatch])).toEqual([]);
  });
});
