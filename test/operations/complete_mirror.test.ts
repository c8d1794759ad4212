import { expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { ApiProfileInput } from '../../src/api/api_profile.ts';
import type { RunReport } from '../../src/operations/run_report.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openMirrored } from '../support/served_mirror.ts';

const COMPANIES = [...generateRegistry({ companies: 607, seed: 3 })];
type SearchDialectInput = NonNullable<ApiProfileInput['dialect']>['search'];

const sized = { size_param: 'size', size: 20 };

test.each<[string, SearchDialectInput, ApiProfileInput['search']?]>([
  ['pages', { paging: { style: 'page', param: 'page', first: 0, ...sized } }],
  ['offsets', { paging: { style: 'offset', param: 'start', ...sized }, matches: 'token' }],
  [
    'cursors',
    { paging: { style: 'cursor', param: 'after', next: '/next', ...sized }, identifiers: 'prefix' },
  ],
  ['next-page URLs', { paging: { style: 'next_url', next: '/links/next', ...sized }, total: null }],
  ['Link headers', { paging: { style: 'link_header', ...sized } }, { unknown_params: 'refuse' }],
])(
  'a registry that lists everything is mirrored without a query, through its %s',
  async (_name, search, facts) => {
    const { report, sandbox } = await mirrored({
      dialect: { search: { min_length: 0, ...search } },
      search: facts,
    });
    expect(report.coverage).toMatchObject({ known: 607 });
    expect(report.ending.ended).toBe('done');
    expect(report.totals.callsByKind.search).toBe(31);
    const texts = sandbox.arrivals().map(({ target }) => new URLSearchParams(target.split('?')[1]).get('q'));
    expect(new Set(texts)).toEqual(new Set([null]));
  },
);

async function mirrored(profile: ApiProfileInput): Promise<{ report: RunReport; sandbox: Sandbox }> {
  const mirror = await openMirrored({ companies: COMPANIES, profile });
  try {
    return { report: await mirror.sync(0, new Set(['stats', 'search'])), sandbox: mirror.sandbox };
  } finally {
    await mirror.close();
  }
}
