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

/** Tests of these folders that run whole simulations, processes or random sequences: 2 to 50 seconds each. */
const SLOW = [
  'allowance/clock_set_back',
  'allowance/ledger',
  'allowance/processes',
  'estimate/budget',
  'estimate/sync_estimate',
  'plan/discovery/first_characters',
  'plan/discovery/from_the_warehouse',
  'plan/discovery/full_listing',
  'plan/discovery/out_of_reach',
  'plan/discovery/searches',
  'plan/discovery/several_calls',
  'plan/discovery/unknown_rule',
  'plan/discovery/upstream_folding',
  'plan/refresh/simulated_refresh',
  'plan/sync_planner',
  'plan/wanted/watchlist_planner',
  'probe/bad_upstreams',
  'probe/drift',
  'probe/findings',
  'probe/full_listing',
  'probe/mirror',
];

/** `npm run test:quick`: the pure parts, without a server and in less than half a minute. */
export default configOf(
  PURE.map((folder) => `test/${folder}/**/*.test.ts`),
  SLOW.map((name) => `test/${name}.test.ts`),
);
