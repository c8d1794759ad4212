import { defineConfig } from 'vitest/config';
import { TMPDIR } from '../../vitest.config.ts';

/** The configuration for `npm run mutate`, which names the room's test files. */
export default defineConfig({
  test: {
    include: JSON.parse(process.env.MUTATE_TESTS ?? '[]'),
    env: { TMPDIR },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
