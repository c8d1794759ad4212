import type { Company } from '../../src/server/company_store.ts';
import { sampleCompanies } from '../../src/server/sample.ts';
import type { Shape, ShapeInput } from '../../src/server/shape/shape.ts';

/** The sample registry for a shape, or about `most` of it; where ids are JSON numbers they lie beyond 2^53. */
export async function companiesFor(
  { ids }: ShapeInput | Shape,
  most = Number.POSITIVE_INFINITY,
): Promise<Company[]> {
  const all = [...(await sampleCompanies())];
  const step = Math.max(1, Math.floor(all.length / most));
  const some = all.filter((_, index) => index % step === 0);
  if (ids !== 'number') return some;
  return some.map((company, index) => ({
    ...company,
    id: String(9_007_199_254_740_993n + BigInt(index) * 7919n),
  }));
}
