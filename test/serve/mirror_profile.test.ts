import { expect, test } from 'vitest';
import { defaultProfile } from '../../src/api/api_profile.ts';
import { dialectFor } from '../../src/api/profile_dialect.ts';
import { Dialect } from '../../src/dialect/dialect.ts';
import { mirrorProfile } from '../../src/serve/mirror_profile.ts';

const standard = dialectFor(defaultProfile);

test.each([
  ['a total in each row', { total: '/0/total' }],
  ['a link in a row', { total: null, paging: { style: 'next_url', next: '/0/next', size: 10 } }],
])(
  'the mirror of an API whose body is only a list with %s pages by number and has the total in a header',
  (_what, own) => {
    const dialect = Dialect.parse({ ...standard, search: { ...standard.search, results: '', ...own } });
    const { search } = mirrorProfile(dialect);
    expect(search.paging.style).toBe('page');
    expect(search).toMatchObject({ results: '', total: null, total_header: 'x-total-count' });
  },
);
