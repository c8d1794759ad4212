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
 * The slow tests of these folders: they run whole simulations, processes or random sequences, for 2 to 40 seconds each.
 */
const SLOW = [
  'allowance/clock_ahead',
  'allowance/clock_set_back',
  'allowance/ledger',
  'allowance/processes',
  'allowance/windows',
  'estimate/sync_estimate',
  'plan/discovery/concurrent_calls',
  'plan/discovery/empty_query',
  'plan/discovery/query_forms',
  'plan/discovery/unreachable_companies',
  'plan/discovery/untried_characters',
  'plan/discovery/upstream_folding',
  'plan/discovery/warehouse_index',
  'plan/refresh/simulated_refresh',
  'plan/sync_planner',
  'plan/wanted/watchlist_planner',
  'probe/accuracy',
  'probe/bad_upstreams',
  'probe/complete_mirror',
  'probe/drift',
  'probe/findings/empty_query',
  'probe/probe',
].map((name) => `test/${name}.test.ts`);

// Without this check, a slow test whose file was renamed would run here.
const missing = SLOW.filter((path) => !existsSync(path));
if (missing.length > 0) throw new Error(`vitest.quick.config.ts names missing files: ${missing.join(', ')}`);

/** `npm run test:quick` tests the pure modules in less than half a minute, without a server. */
export default configOf(
  PURE.map((folder) => `test/${folder}/**/*.test.ts`),
  SLOW,
);
