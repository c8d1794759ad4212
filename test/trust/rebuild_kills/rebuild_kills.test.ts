import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/random.ts';
import { temporaryFolder } from '../../support/loader.ts';
import { killExport, killReprocess } from './rounds.ts';

// These tests kill the rebuild only a few times. `npm run trust rebuild-kills` kills it fifty times or more.
const KILLS = 8;

test('a killed reprocess leaves either the old or the new tables, and the next reprocess succeeds', {
  timeout: 180_000,
}, async () => {
  const { broken, completed, killed } = await killReprocess({ ...rounds(), folder: temporaryFolder() });
  expect(broken).toEqual([]);
  expect(killed).toBe(KILLS);
  expect(completed).toBeGreaterThan(0);
});

test('a killed export leaves complete files', { timeout: 180_000 }, async () => {
  const { broken, completed, killed } = await killExport({ ...rounds(), folder: temporaryFolder() });
  expect(broken).toEqual([]);
  expect(killed).toBe(KILLS);
  expect(completed).toBeGreaterThan(0);
});

function rounds() {
  return { kills: KILLS, companies: 700, random: seededRandom(7).next };
}
