import { expect, test } from 'vitest';
import { killBetweenStatements } from './killing.ts';

test('killed between any two statements, sync goes on: nothing is lost, nothing is spent uncounted', async () => {
  const killed = await killBetweenStatements({ seed: 7, kills: 8, companies: 60 });
  expect(killed).toMatchObject({ seed: 7, records: 60, broken: [] });
  expect(killed.kills).toBeGreaterThan(3);
}, 60_000);
