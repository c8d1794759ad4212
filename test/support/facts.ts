import type { Config } from '../../src/config/config.ts';
import { configFrom } from '../../src/config/load_config.ts';
import type { Facts } from '../../src/report/facts.ts';
import { dialectOf } from './dialect.ts';
import { UNLIMITED } from './ledger.ts';

/** The configuration of an account without limits. */
export const FACT_CONFIG: Config = {
  ...configFrom({
    version: 1,
    source: { name: 'Sandbox' },
    upstream: { base_url: 'http://127.0.0.1:9/api', api_key: null },
    allowance: { unlimited: true, per_minute: 'unlimited', reserve: 0 },
  }),
  dialect: dialectOf(),
};

/** The facts about an empty, healthy mirror. */
export function factsAt(nowMs: number): Facts {
  return {
    nowMs,
    config: FACT_CONFIG,
    mirror: {
      coverage: {
        known: 0,
        fetched: 0,
        gone: 0,
        registryTotal: null,
        registryTotalAt: null,
        knownShare: null,
        fetchedShare: null,
      },
      coverageEstimate: { low: 0, high: 1, by: 'nothing', largestTotal: null },
      completion: { is: 'unknown', until: null },
      lastSuccessAt: null,
      runs: [],
      quarantined: 0,
      waiting: 0,
      holder: null,
      isHeld: false,
      schedules: [],
      files: { bytes: 0, walBytes: 0, schemaVersion: null },
    },
    allowance: { scheduled: UNLIMITED, backfill: UNLIMITED },
    health: { state: 'healthy', problems: [], waitsUntilMs: null, doubts: [] },
  };
}
