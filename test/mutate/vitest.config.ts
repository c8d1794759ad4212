import { defineConfig } from 'vitest/config';

/** The configuration of `npm run mutate`, which names the test files of the room. */
export default defineConfig({
  test: {
    include: JSON.parse(process.env.MUTATE_TESTS ?? '[]'),
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
