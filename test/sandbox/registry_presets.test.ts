import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { ApiProfileInput } from '../../src/api/api_profile.ts';
import { configFrom } from '../../src/config/load_config.ts';
import { openWorkspace } from '../../src/operations/assemble.ts';
import { ALL_KINDS, run } from '../../src/operations/run.ts';
import type { RunReport } from '../../src/operations/run_report.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { REGISTRY_PRESETS } from '../support/presets.ts';
import { sandboxConfiguration } from '../support/sandbox_configuration.ts';

const COMPANIES = [...generateRegistry({ companies: 90, seed: 5 })];

test.each(Object.keys(REGISTRY_PRESETS))(
  "the sandbox's dialect mirrors every company in the preset %s",
  async (preset) => {
    await mirrored(REGISTRY_PRESETS[preset] ?? {}, ({ report, sandbox, warehouse }) => {
      expect(report.ending.ended).toBe('done');
      const records = warehouse.db
        .prepare<[], { id: string; name: string }>(
          "SELECT entity_id AS id, name FROM entity_overview WHERE state = 'fetched'",
        )
        .all();
      expect(new Map(records.map(({ id, name }) => [id, name]))).toEqual(
        new Map([...sandbox.companies.all()].map(({ id, name }) => [id, name])),
      );
      expect(report.totals.quarantined).toBe(0);
    });
  },
);

test("the total from a query's rejection is stored", async () => {
  const search = { ...REGISTRY_PRESETS.ares?.search, broad_above: 30 };
  await mirrored({ ...REGISTRY_PRESETS.ares, search }, ({ warehouse, sandbox }) => {
    const rejected = warehouse.db
      .prepare<[], { text: string; total: number }>("SELECT text, total FROM _query WHERE status = 'refused'")
      .all();
    expect(rejected).not.toEqual([]);
    const { matches: names, identifiers } = sandbox.profile.dialect.search;
    for (const { text, total } of rejected)
      expect(total).toBe(sandbox.catalogue.matches({ by: 'name', text, names, identifiers }).total);
    expect(warehouse.db.prepare('SELECT count(*) FROM entity').pluck().get()).toBe(90);
  });
});

async function mirrored(
  profile: ApiProfileInput,
  check: (result: { report: RunReport; sandbox: Sandbox; warehouse: Warehouse }) => void,
): Promise<void> {
  const sandbox = await startSandbox({ companies: COMPANIES, profile });
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  const workspace = openWorkspace(configFrom(sandboxConfiguration(sandbox, folder)));
  try {
    const report = await run(workspace, {
      ...{ command: 'sync', purpose: 'scheduled', kinds: ALL_KINDS, focus: 'coverage' },
      ...{ maxCalls: 2_000, maxMinutes: Number.POSITIVE_INFINITY, signal: new AbortController().signal },
    });
    check({ report, sandbox, warehouse: workspace.warehouse });
  } finally {
    workspace.close();
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
