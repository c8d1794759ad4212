import { describe, expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { defaultProfile } from '../../src/api/api_profile.ts';
import { type JsonObject, parseJson } from '../../src/json/json.ts';
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

test('the same seed causes the same changes', () => {
  const outcome = (seed: number) => {
    const { store, changing } = registry({ seed });
    changing.advance(5 * HOUR_MS, START_MS);
    return [...store.all()];
  };
  expect(outcome(3)).toEqual(outcome(3));
  expect(outcome(3)).not.toEqual(outcome(4));
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

  test('an appointment adds a director with the date of the change, and changes nothing else', () => {
    const rates = { changed: 40, appearing: 0, deleted: 0 };
    const { store, changing } = registry({ rates, shown: 1, appointed: 1 });
    const before = new Map([...store.all()].map(({ id, name, fieldsText }) => [id, { name, fieldsText }]));
    const happened = changing.advance(HOUR_MS, START_MS);
    expect(happened).toHaveLength(40);
    const changed = [...store.all()].filter(
      ({ id, fieldsText }) => before.get(id)?.fieldsText !== fieldsText,
    );
    expect(changed.map(({ id }) => id).sort()).toEqual([...new Set(happened.map(({ id }) => id))].sort());
    for (const company of changed) {
      const { officers, ...others } = fieldsOf(company);
      const { officers: _, ...same } = parseJson(before.get(company.id)?.fieldsText ?? '{}') as JsonObject;
      expect(others).toEqual(same);
      expect(officers).toContainEqual(
        expect.objectContaining({ name: expect.any(String), role: 'director', since: '2027-01-01' }),
      );
    }
  });

  test('automatic changes leave tombstones for deleted companies', () => {
    const { store, catalogue, changing } = registry({ rates: { changed: 0, appearing: 0, deleted: 10 } });
    const happened = changing.advance(HOUR_MS, START_MS);
    expect(happened).toHaveLength(10);
    expect(store.count()).toBe(990);
    for (const { id } of happened) expect(catalogue.document(id)).toMatchObject({ gone: true });
  });

  test('automatic changes create ids after the last id, or between existing ids', () => {
    const newIds = (where: 'top' | 'anywhere') => {
      const { catalogue, changing } = registry({
        rates: { changed: 0, appearing: 30, deleted: 0 },
        newIds: where,
      });
      const ids = changing.advance(HOUR_MS, START_MS).map(({ id }) => id);
      expect(new Set(ids).size).toBe(30);
      for (const id of ids) expect(companies.some((company) => company.id === id)).toBe(false);
      for (const id of ids) {
        const found = catalogue.matches({
          by: 'identifier',
          text: id,
          names: 'prefix',
          identifiers: 'exact',
        });
        expect(found.ids(0, 9)).toEqual([id]);
      }
      return ids;
    };
    const last = companies.at(-1)?.id ?? '';
    const isOfTheLast = (id: string) => id.replace(/\d/g, '') === last.replace(/\d/g, '') && id > last;
    expect(newIds('top').every(isOfTheLast)).toBe(true);
    expect(newIds('anywhere').every(isOfTheLast)).toBe(false);
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

  test('automatic changes add a replaced name to the previous names', () => {
    const { store, changing } = registry({ rates: { changed: 200, appearing: 0, deleted: 0 }, shown: 1 });
    const names = new Map(companies.map(({ id, name }) => [id, name]));
    const ids = new Set(changing.advance(HOUR_MS, START_MS).map(({ id }) => id));
    const renamed = [...ids]
      .map((id) => store.get(id))
      .filter((company) => company?.name !== names.get(company?.id ?? ''));
    expect(renamed.length).toBeGreaterThan(20);
    for (const company of renamed) expect(company?.fieldsText).toContain('previous_names');
  });
});
