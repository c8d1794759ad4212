import { describe, expect, it } from 'vitest';
import type { ApiProfile, ApiProfileInput } from '../../src/api/api_profile.ts';
import { PROFILE_PRESETS } from '../../src/sandbox/profile_presets.ts';
import { randomProfile } from '../../src/sandbox/random_profile.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { probeAll } from '../support/probe_client.ts';
import { companiesFor } from '../support/probe_companies.ts';
import { gradesOf } from '../support/probe_grading.ts';
import { medianOf, openTally } from '../support/probe_scores.ts';

const MOST_CALLS = 16;
// As many as show it within a few seconds; `npm run bench:probe` takes hundreds.
const seeds = Array.from({ length: 36 }, (_, index) => index + 1);
const shapes: [string, ApiProfileInput | ApiProfile][] = [
  ...Object.entries(PROFILE_PRESETS),
  ...seeds.map((seed): [string, ApiProfile] => [`random ${seed}`, randomProfile(seed)]),
];

describe('a probe', () => {
  it('is never wrong while it is sure, takes ten calls at the median, and finds most of what there is', async () => {
    const calls: number[] = [];
    const wrong: string[] = [];
    const totals = openTally();
    for (const [name, profile] of shapes) {
      const { spent, grades } = await probed(profile);
      calls.push(spent);
      totals.count(grades);
      for (const [topic, grade] of grades) if (grade === 'wrong') wrong.push(`${name}: ${topic}`);
    }
    expect(wrong).toEqual([]);
    expect(Math.max(...calls)).toBeLessThanOrEqual(MOST_CALLS);
    expect(medianOf(calls)).toBeLessThanOrEqual(10);
    for (const topic of ['query parameter', 'list', 'id', 'name', 'record'])
      expect(totals.share(topic, 'right'), topic).toBeGreaterThan(0.95);
    for (const topic of ['next page', 'semantics'])
      expect(totals.share(topic, 'right'), topic).toBeGreaterThan(0.8);
  }, 120_000);
});

async function probed(profile: ApiProfileInput | ApiProfile) {
  const sandbox = await startSandbox({
    shape: profile,
    companies: await companiesFor(profile),
    keepArrivals: false,
  });
  try {
    const { conclusions, exchanges } = await probeAll(sandbox.baseUrl, sandbox.keyOf('main'));
    return { spent: exchanges.length, grades: gradesOf(conclusions, sandbox.shape, sandbox.dialect) };
  } finally {
    await sandbox.close();
  }
}
