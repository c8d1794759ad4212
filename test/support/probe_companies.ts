import type { ApiProfile, ApiProfileInput } from '../../src/api/api_profile.ts';
import { sampleCompanies } from '../../src/sandbox/company_file.ts';
import type { Company } from '../../src/warehouse/sandbox_companies.ts';

let sample: Promise<readonly Company[]> | null = null;

/** The sample registry, which each test process reads once. */
export function sampleRegistry(): Promise<readonly Company[]> {
  sample ??= Array.fromAsync(sampleCompanies());
  return sample;
}

/** Returns about `maxCompanies` companies from the sample registry. Ids that are JSON numbers exceed 2^53. */
export async function companiesFor(
  { ids }: ApiProfileInput | ApiProfile,
  maxCompanies = Number.POSITIVE_INFINITY,
): Promise<Company[]> {
  const all = await sampleRegistry();
  const step = Math.max(1, Math.floor(all.length / maxCompanies));
  const some = all.filter((_, index) => index % step === 0);
  if (ids !== 'number') return some;
  return some.map((company, index) => ({
    ...company,
    id: String(9_007_199_254_740_993n + BigInt(index) * 7919n),
  }));
}
