import { expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { ApiProfileInput } from '../../src/api/api_profile.ts';
import type { Dialect } from '../../src/dialect/dialect.ts';
import { forget } from '../../src/load/forget.ts';
import type { RunReport } from '../../src/operations/run.ts';
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

test('a forgotten company is not searched for again', async () => {
  const mirror = await openMirrored({ companies: COMPANIES.slice(0, 200) });
  const { warehouse } = mirror.house;
  try {
    const first = await mirror.sync();
    const [id = ''] = COMPANIES.map((company) => company.id);
    forget({ warehouse, dialect: mirror.config.dialect as Dialect, entityIds: [id], nowMs: mirror.now() });
    const { totals } = await mirror.sync();
    expect(first.totals.callsByKind.search).toBeGreaterThan(10);
    expect(totals.callsByKind.search).toBe(0);
  } finally {
    await mirror.close();
  }
});

async function mirrored(profile: ApiProfileInput): Promise<{ report: RunReport; sandbox: Sandbox }> {
  const mirror = await openMirrored({ companies: COMPANIES, profile });
  try {
    return { report: await mirror.sync(0, new Set(['stats', 'search'])), sandbox: mirror.sandbox };
  } finally {
    await mirror.close();
  }
}
