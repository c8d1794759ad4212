import type { FactSettings, Facts } from '../../src/report/facts.ts';
import { allowanceOf, UNLIMITED } from './ledger.ts';

/** The settings of an account without limits and a mirror without schedules or receivers. */
export const FACT_SETTINGS: FactSettings = {
  sourceName: 'Sandbox',
  accountId: 'main',
  tier: 'free',
  allowance: allowanceOf({}),
  hasDialect: true,
  hasNameSearch: true,
  canSplit: true,
  isWhole: true,
  licenceEnds: null,
  receivers: [],
  schedule: { timezone: 'UTC' },
  jobs: [],
};

/** The facts about an empty, healthy mirror. */
export function factsAt(nowMs: number): Facts {
  return {
    nowMs,
    settings: FACT_SETTINGS,
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
      coverageEstimate: { low: 0, high: 1, by: 'nothing', largestTotal: null, recaptured: null },
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
