import { expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { ApiProfileInput } from '../../src/api/api_profile.ts';
import type { RunReport } from '../../src/operations/run.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { REGISTRY_PRESETS } from '../support/presets.ts';
import { openMirrored } from '../support/served_mirror.ts';

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
  const mirror = await openMirrored({ companies: COMPANIES, profile });
  try {
    check({ report: await mirror.sync(), sandbox: mirror.sandbox, warehouse: mirror.house.warehouse });
  } finally {
    await mirror.close();
  }
}
