import { describe, expect, it } from 'vitest';
import type { ApiProfile, ApiProfileInput } from '../../src/api/api_profile.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { PROFILE_PRESETS } from '../support/presets.ts';
import { probeAll } from '../support/probe_client.ts';
import { companiesFor } from '../support/probe_companies.ts';
import { gradesOf } from '../support/probe_grading.ts';
import { medianOf, openGradeCounts } from '../support/probe_scores.ts';
import { randomProfile } from '../support/random_profile.ts';

const MAX_CALLS = 16;
const MAX_MEDIAN_CALLS = 10;
// More APIs would take too long here. `npm run bench probe` tests hundreds of them.
const seeds = Array.from({ length: 3 }, (_, index) => index + 1);
const profiles: [string, ApiProfileInput | ApiProfile][] = [
  ...Object.entries(PROFILE_PRESETS),
  ...seeds.map((seed): [string, ApiProfile] => [`random ${seed}`, randomProfile(seed)]),
];

describe('a probe of simulated APIs', () => {
  it('a probe of simulated APIs finds most properties with few calls, and no sure finding is wrong', async () => {
    const calls: number[] = [];
    const wrong: string[] = [];
    const totals = openGradeCounts();
    for (const [name, profile] of profiles) {
      const { callsUsed, grades } = await probedProfile(profile);
      calls.push(callsUsed);
      totals.count(grades);
      for (const [topic, grade] of grades) if (grade === 'wrong') wrong.push(`${name}: ${topic}`);
    }
    expect(wrong).toEqual([]);
    expect(Math.max(...calls)).toBeLessThanOrEqual(MAX_CALLS);
    expect(medianOf(calls)).toBeLessThanOrEqual(MAX_MEDIAN_CALLS);
    for (const topic of ['query parameter', 'list', 'id', 'name', 'record'])
      expect(totals.share(topic, 'right'), topic).toBeGreaterThan(0.95);
    for (const topic of ['next page', 'semantics'])
      expect(totals.share(topic, 'right'), topic).toBeGreaterThan(0.8);
  }, 120_000);
});

async function probedProfile(profile: ApiProfileInput | ApiProfile) {
  const sandbox = await startSandbox({
    profile,
    companies: await companiesFor(profile),
    keepArrivals: false,
  });
  try {
    const { beliefs, exchanges } = await probeAll(sandbox.baseUrl, sandbox.keyOf('main'));
    return { callsUsed: exchanges.length, grades: gradesOf(beliefs, sandbox.profile, sandbox.dialect) };
  } finally {
    await sandbox.close();
  }
}
