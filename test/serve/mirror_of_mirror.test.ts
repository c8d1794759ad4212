import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configFrom } from '../../src/config/load_config.ts';
import { openWorkspace } from '../../src/operations/assemble.ts';
import { servedRecords } from '../../src/warehouse/serve_records.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { PROFILE_PRESETS } from '../support/presets.ts';
import { companies, openMirrored, serve } from '../support/served_mirror.ts';
import { syncAll } from '../support/sync.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

const COMPANIES = 30;

describe('a mirror of a mirror', () => {
  test.each(Object.keys(PROFILE_PRESETS))(
    'a mirror of a mirror contains the same data if the registry uses the %s dialect',
    async (name) => {
      const isNumbered = PROFILE_PRESETS[name]?.ids === 'number';
      const first = await openMirrored({
        companies: isNumbered ? numbered(companies(COMPANIES)) : companies(COMPANIES),
        profile: PROFILE_PRESETS[name] ?? {},
      });
      await first.sync();
      const served = await serve(first);
      const folder = temporaryFolder();
      const second = openWorkspace(
        configFrom({
          version: 1,
          upstream: {
            base_url: served.service.baseUrl,
            api_key: served.key,
          },
          account: { tier: 'paid' },
          allowance: { per_minute: 'unlimited', unlimited: true },
          dialect: served.service.dialect,
          warehouse: join(folder, 'warehouse.db'),
          ledger: join(folder, 'ledger.db'),
        }),
      );
      try {
        // The search endpoint must not ignore the query. It rejects queries in another format than the registry's.
        const { status, text } = await served.ask('/api/search?q=nobody-has-this-name');
        expect([200, 400, 404]).toContain(status);
        for (const { id } of first.sandbox.companies.all()) expect(text).not.toContain(`"${id}"`);
        const { ending, totals } = await syncAll(second);
        expect({ ...ending, quarantined: totals.quarantined, failed: totals.failed }).toEqual({
          ended: 'done',
          quarantined: 0,
          failed: 0,
        });
        expect(contentOf(second.warehouse)).toEqual(contentOf(first.house.warehouse));
        // Some profiles' caps make a few companies unreachable.
        expect(Object.keys(contentOf(second.warehouse).records).length).toBeGreaterThan(COMPANIES / 2);
      } finally {
        second.close();
        await served.close();
        await first.close();
      }
    },
  );
});

/** All records as received, and all list items as the dialect decodes them. */
function contentOf({ db }: Warehouse) {
  const records = servedRecords(db);
  const ids = db.prepare('SELECT entity_id FROM _company ORDER BY entity_id').pluck().all() as string[];
  return {
    records: Object.fromEntries(ids.map((id) => [id, textOf(records.latest(id))])),
    summaries: Object.fromEntries(
      db
        .prepare('SELECT * FROM search_result ORDER BY entity_id')
        .all()
        .map((row) => payloadOf(row as Record<string, unknown>)),
    ),
    total: db.prepare('SELECT total FROM registry_stats ORDER BY _call_id DESC').pluck().get(),
  };
}

function textOf(state: ReturnType<ReturnType<typeof servedRecords>['latest']>): string {
  return state.is === 'record' ? state.text : state.is;
}

function payloadOf({ entity_id, ...row }: Record<string, unknown>): [string, object] {
  return [
    String(entity_id),
    Object.fromEntries(Object.entries(row).filter(([column]) => !column.startsWith('_'))),
  ];
}

function numbered(all: ReturnType<typeof companies>) {
  return all.map((company, at) => ({ ...company, id: String(9_007_199_254_740_993n + BigInt(at)) }));
}
