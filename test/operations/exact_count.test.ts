import { expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { changingRegistry } from '../../src/sandbox/changing_registry.ts';
import { openMirrored } from '../support/served_mirror.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** In an hour, more companies join than leave, so the mirror knows more companies than the registry then counts. */
const CHANGES = { changed: 8, appearing: 6, deleted: 4 };

test('no search looks for more companies once repeated listings have shown as many as the registry counts', async () => {
  const mirror = await openMirrored({
    companies: [...generateRegistry({ companies: 300, seed: 3 })],
    configuration: { max_age: { stats: '12h', summaries: '12h' } },
  });
  try {
    const { db } = mirror.house.warehouse;
    await mirror.sync();
    const registry = changingRegistry(mirror.sandbox.companies, { rates: CHANGES, seed: 7, shown: 1 });
    registry.advance(HOUR_MS, mirror.now() + DAY_MS);
    const { totals } = await mirror.sync(DAY_MS);
    expect(totals).toMatchObject({ listed: 6, changed: 8 });
    const reasons = db
      .prepare<[], string>("SELECT DISTINCT reason FROM _call WHERE run_id = 2 AND kind = 'search'")
      .pluck()
      .all();
    expect(reasons.toSorted()).toEqual(['summaries are due again', 'summaries are due again: next page']);

    const again = await mirror.sync();
    expect(again.totals.callsByKind).toEqual({ stats: 0, search: 0, entity: 0 });
  } finally {
    await mirror.close();
  }
});
