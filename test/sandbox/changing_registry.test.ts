import { describe, expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { defaultProfile } from '../../src/api/api_profile.ts';
import { changingRegistry } from '../../src/sandbox/changing_registry.ts';
import { companyCatalogue } from '../../src/sandbox/company_catalogue.ts';
import { fieldsOf, SandboxCompanies } from '../../src/warehouse/sandbox_companies.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2027, 0, 1);
const companies = [...generateRegistry({ companies: 1_000, seed: 9 })];

function registry(options: Partial<Parameters<typeof changingRegistry>[1]> = {}) {
  const store = new SandboxCompanies(companies);
  const rates = { changed: 60, appearing: 12, deleted: 6 };
  const catalogue = companyCatalogue(store, defaultProfile, () => START_MS);
  return { store, catalogue, changing: changingRegistry(store, { rates, seed: 1, ...options }) };
}

test('the number of changes matches the configured rates, whatever the length of a step', () => {
  for (const steps of [1, 7, 3_600]) {
    const { changing } = registry();
    const happened = Array.from({ length: steps }, () =>
      changing.advance((2 * HOUR_MS) / steps, START_MS),
    ).flat();
    const count = (kind: string) => happened.filter((change) => change.kind === kind).length;
    // Because of rounding, the last change of each kind may not happen.
    expect(count('changed')).toBeGreaterThanOrEqual(119);
    expect(count('changed')).toBeLessThanOrEqual(120);
    expect(count('appearing')).toBeGreaterThanOrEqual(23);
    expect(count('deleted')).toBeGreaterThanOrEqual(11);
  }
});

describe("the sandbox's automatic changes", () => {
  test('automatic changes keep the status and the date of dissolution consistent', () => {
    const { store, changing } = registry({ rates: { changed: 500, appearing: 0, deleted: 0 } });
    changing.advance(HOUR_MS, START_MS);
    for (const company of store.all()) {
      const { status, dissolved_on } = fieldsOf(company);
      expect([company.id, status, dissolved_on !== null]).toEqual([
        company.id,
        status,
        status === 'dissolved',
      ]);
    }
  });

  test('automatic changes leave tombstones for deleted companies', () => {
    const { store, catalogue, changing } = registry({ rates: { changed: 0, appearing: 0, deleted: 10 } });
    const happened = changing.advance(HOUR_MS, START_MS);
    expect(happened).toHaveLength(10);
    expect(store.count()).toBe(990);
    for (const { id } of happened) expect(catalogue.document(id)).toMatchObject({ gone: true });
  });

  test.each([
    { shown: 1, differing: 'summary' },
    { shown: 0, differing: 'record alone' },
  ])('automatic changes appear in list items for a share of $shown of the changes', ({ shown }) => {
    const { catalogue, changing } = registry({ rates: { changed: 40, appearing: 0, deleted: 0 }, shown });
    const before = new Map(
      companies.map(({ id }) => [id, [catalogue.summary(id), catalogue.document(id)?.text]]),
    );
    for (const { id } of changing.advance(HOUR_MS, START_MS)) {
      const [summary, record] = before.get(id) ?? [];
      expect(catalogue.document(id)?.text).not.toBe(record);
      expect(catalogue.summary(id) !== summary).toBe(shown === 1);
    }
  });
});
