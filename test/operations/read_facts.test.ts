import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configFrom } from '../../src/config/load_config.ts';
import { withFacts } from '../../src/report/facts.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

const NOW_MS = Date.UTC(2027, 2, 10, 12);

const setUp = () => {
  const folder = temporaryFolder();
  const config = configFrom({
    version: 1,
    account: { tier: 'free' },
    allowance: { per_day: 100 },
    upstream: { base_url: 'http://127.0.0.1:9/api', api_key: 'none' },
    warehouse: join(folder, 'warehouse.db'),
    ledger: join(folder, 'ledger.db'),
  });
  const sources = { nowMs: NOW_MS, formatTime: String };
  return { config, sources };
};

test('a mirror that was never filled has a health state but no facts from a warehouse', async () => {
  const { config, sources } = setUp();
  const reading = await withFacts(config, sources, ({ mirror, health }) => ({ mirror, health }));
  expect(reading).toMatchObject({ mirror: null, health: { state: 'empty' } });
});

test('no file stays open if the warehouse cannot be opened', async () => {
  const { config, sources } = setUp();
  writeFileSync(config.warehouse, 'no database');
  await expect(withFacts(config, sources, () => {})).rejects.toThrow(/warehouse/);
  // SQLite deletes the journal when the connection closes.
  expect(existsSync(`${config.ledger}-journal`)).toBe(false);
});
