import { existsSync } from 'node:fs';
import { configOf } from './vitest.config.ts';

const PURE = [
  'allowance',
  'api',
  'change_rate',
  'config',
  'dialect',
  'estimate',
  'json',
  'names',
  'plan',
  'probe',
];

/**
 * The tests of these folders that are not pure or not quick: they start servers or processes, or run whole simulations
 * or long random sequences.
 */
const SLOW = [
  'allowance/clock_steps',
  'allowance/call_forecast',
  'allowance/ledger',
  'allowance/processes',
  'allowance/windows',
  'api/limits',
  'config/effects',
  'dialect/evidence/wrong_dialects',
  'dialect/response_limits',
  'estimate/sync_estimate',
  'plan/discovery/character_inventories',
  'plan/discovery/concurrent_calls',
  'plan/discovery/daily_runs',
  'plan/discovery/empty_query',
  'plan/discovery/ignored_diacritics',
  'plan/discovery/inferred_rule',
  'plan/discovery/other_scripts',
  'plan/discovery/query_forms',
  'plan/discovery/searches_needed',
  'plan/discovery/short_queries',
  'plan/discovery/unreachable_companies',
  'plan/discovery/upstream_folding',
  'plan/discovery/warehouse_index',
  'plan/refresh/simulated_refresh',
  'plan/sync_planner',
  'plan/wanted/scoped_listing',
  'plan/wanted/watchlist',
  'probe/accuracy',
  'probe/bad_upstreams',
  'probe/complete_mirror',
  'probe/drift',
  'probe/probe',
  'probe/strict_registries',
].map((name) => `test/${name}.test.ts`);

// Without this check, a slow test whose file was renamed would run here.
const missing = SLOW.filter((path) => !existsSync(path));
if (missing.length > 0) throw new Error(`vitest.quick.config.ts names missing files: ${missing.join(', ')}`);

/** `npm run test:quick` tests the pure modules in less than 20 seconds, without a server. */
export default configOf(
  PURE.map((folder) => `test/${folder}/**/*.test.ts`),
  SLOW,
  ['test/allowance/window_table.test.ts'],
);
