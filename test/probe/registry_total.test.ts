import { describe, expect, it } from 'vitest';
import { findRegistryTotal } from '../../src/probe/total.ts';

describe('the registry count in the statistics', () => {
  it.each([
    [{ companies: { total: 4000 } }, '/companies/total', 'sure'],
    [{ companies: { total: 4000, active: 3000 }, officers: { total: 9000 } }, '/companies/total', 'sure'],
    [{ total_companies: 2600000, total_persons: 9, built_at: '2026-05-09' }, '/total_companies', 'sure'],
    [{ version: 3, updated: 1_700_000_000 }, null, 'likely'],
    [{ empresas: { activas: 247, extinguidas: 72 } }, null, 'likely'],
    [{ counts: { companies: { active: 315, dissolved: 105 } } }, null, 'likely'],
  ])('the registry count is found in %j at the path %s', (body, path, certainty) => {
    expect(findRegistryTotal(body, null)).toMatchObject({ value: path, certainty });
  });

  it("the registry count is the number that equals an empty query's total", () => {
    expect(findRegistryTotal({ a: { records: 500 }, b: { entities: 500_000 } }, 500)).toMatchObject({
      value: '/a/records',
      certainty: 'sure',
    });
  });
});
