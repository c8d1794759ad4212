import { expect, test } from 'vitest';
import { mirrorCatalogue } from '../../src/serve/mirror_catalogue.ts';
import { bench, dialectWith, resultPage, temporaryWarehouse } from '../support/loader.ts';

const DAY_MS = 86_400_000;

test("the mirror's own figures in the statistics all differ, and each is in its place", () => {
  const warehouse = temporaryWarehouse();
  // One record in the first class of ages, two in the second, and so on, and one that is older than all classes.
  const ages = [0, 2, 3, 10, 20, 29, 40, 50, 60, 70, 200];
  const startMs = Date.now() - DAY_MS / 2;
  for (const [at, days] of ages.toReversed().entries())
    bench({ warehouse, startMs: startMs - days * DAY_MS }).record(`C${at}`, {
      id: `C${at}`,
      name: `N${at}`,
    });
  const lister = bench({ warehouse, startMs });
  lister.search('x', resultPage({ id: 'L1' }, { id: 'L2' }));
  lister.record('C0', '', 410);
  const catalogue = mirrorCatalogue({
    db: warehouse.db,
    dialect: dialectWith(),
    namesTakeIdentifiers: true,
    now: Date.now,
  });
  const { mirror } = JSON.parse(catalogue.stats());
  expect(mirror).toMatchObject({ companies: 12, records: 10, gone: 1 });
  const within = { within_1_day: 1, within_7_days: 3, within_30_days: 6, within_90_days: 10 };
  expect(mirror.freshness).toMatchObject(within);
  const { oldest_record_at: oldest, newest_record_at: newest } = mirror.freshness;
  expect((Date.parse(newest) - Date.parse(oldest)) / DAY_MS).toBeCloseTo(70, 2);
});
