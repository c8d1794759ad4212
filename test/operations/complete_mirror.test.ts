import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { ApiProfileInput } from '../../src/api/api_profile.ts';
import { configFrom } from '../../src/config/load_config.ts';
import { openWorkspace } from '../../src/operations/assemble.ts';
import { run } from '../../src/operations/run.ts';
import type { RunReport } from '../../src/operations/run_report.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { sandboxConfiguration } from '../support/sandbox_configuration.ts';

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
  const sandbox = await startSandbox({ companies: COMPANIES, profile });
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  const workspace = openWorkspace(configFrom(sandboxConfiguration(sandbox, folder)));
  try {
    const report = await run(workspace, {
      ...{ command: 'sync', purpose: 'scheduled', kinds: new Set(['stats', 'search'] as const) },
      ...{ focus: 'coverage', maxCalls: 2_000, maxMinutes: Infinity, signal: new AbortController().signal },
    });
    return { report, sandbox };
  } finally {
    workspace.close();
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
