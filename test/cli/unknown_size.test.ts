import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { headlineOf } from '../../src/cli/run_report.ts';
import { runCommand } from '../support/command.ts';
import { companies, openMirrored } from '../support/served_mirror.ts';

test('sync and status report unknown completeness if the registry reports no count', async () => {
  const mirror = await openMirrored({ companies: companies(8), profile: { stats: { total: null } } });
  onTestFinished(() => mirror.close());
  await mirror.sync(0, new Set(['stats']));
  const report = await mirror.sync();
  expect(report.totals.callsByKind.stats).toBe(0);
  expect(headlineOf(report)).toMatch(/It is unknown whether the mirror is complete/);
  const path = join(mirror.folder, 'unknown_size.yaml');
  const { warehouse, ledger } = mirror.config;
  const upstream = { base_url: mirror.sandbox.baseUrl, api_key: 'none' };
  writeFileSync(path, stringify({ version: 1, warehouse, ledger, upstream, allowance: { unlimited: true } }));
  const { stdout } = await runCommand(['status', '--config', path], { columns: 80 });
  expect(stdout).toContain('the registry reports no count, so completeness is unknown');
  expect(stdout).not.toContain('registry count of');
});
