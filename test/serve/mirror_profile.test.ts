import { expect, test } from 'vitest';
import { clientDialect, defaultProfile } from '../../src/api/api_profile.ts';
import { Dialect } from '../../src/dialect/dialect.ts';
import { mirrorProfile } from '../../src/serve/mirror_profile.ts';

const standard = clientDialect(defaultProfile);

test.each([
  ['a total in each row', { total: '/0/total' }],
  ['a link in a row', { total: null, paging: { style: 'next_url', next: '/0/next', size: 10 } }],
])(
  'the mirror of an API whose body is only a list with %s pages by number and has the total in a header',
  (_what, own) => {
    const dialect = Dialect.parse({ ...standard, search: { ...standard.search, results: '', ...own } });
    const { dialect: served, search } = mirrorProfile(dialect);
    expect(served.search).toMatchObject({ results: '', total: null, paging: { style: 'page' } });
    expect(search.total_header).toBe('x-total-count');
  },
);
