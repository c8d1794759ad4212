import { afterAll, beforeAll, expect, test } from 'vitest';
import { openUpstream, type Upstream } from '../support/upstream.ts';

// Runs every command that shows the remaining quota of an account with a reserve. 7 of 50 calls are used. Of the other
// 43, 10 are reserved for scheduled runs.

let upstream: Upstream;

beforeAll(async () => {
  const allowance = { per_minute: 'unlimited' as const, per_day: 50, reserve: 0.2 };
  upstream = await openUpstream({}, { allowance });
  await upstream.run('sync', '--max-calls', '7', '--focus', 'coverage');
});
afterAll(() => upstream.close());

test.each([
  ['status', '/allowance/left', 43],
  ['status', '/allowance/left_for_backfills', 33],
  ['plan', '/share_of_allowance/0/left', 43],
  ['plan', '/calls_left', 43],
  ['sync --dry-run', '/share_of_allowance/0/left', 43],
  ['sync --max-calls 0', '/calls_left', 43],
  ['backfill --missing --dry-run', '/share_of_allowance/0/left', 33],
  ['backfill --missing --dry-run', '/calls_left', 33],
] as const)('%s shows at %s that %i calls are left', async (command, pointer, left) => {
  const { json } = await upstream.run(...command.split(' '));
  const shown = pointer
    .split('/')
    .slice(1)
    .reduce((value, key) => value?.[key], json.data);
  expect(shown).toBe(left);
});
