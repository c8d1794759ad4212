import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateRegistry, lineOf, SAMPLE } from '../../data/generate.ts';

const sampleFile = new URL('../../data/sample-registry.jsonl', import.meta.url);

test('the committed sample is what the generator prints', () => {
  const made = [...generateRegistry(SAMPLE)].map((company) => `${lineOf(company)}\n`).join('');
  expect(made === readFileSync(sampleFile, 'utf8'), 'run `node data/generate.ts` and commit the file').toBe(
    true,
  );
});

test('ids are unique in every style, keep leading zeros, and can exceed 2^53', () => {
  const idsOf = (ids: 'registry' | 'numeric' | 'big_numeric') =>
    [...generateRegistry({ companies: 5_000, seed: 4, ids })].map(({ id }) => id);
  for (const style of ['registry', 'numeric', 'big_numeric'] as const) {
    expect(new Set(idsOf(style)).size).toBe(5_000);
  }
  expect(idsOf('registry').some((id) => /^0+\d+$/.test(id))).toBe(true);
  expect(idsOf('registry').some((id) => /^[A-Z]{2}\d+$/.test(id))).toBe(true);
  expect(idsOf('big_numeric').every((id) => BigInt(id) > BigInt(Number.MAX_SAFE_INTEGER))).toBe(true);
});

test("the sample's names have the properties of real names", () => {
  const companies = [...generateRegistry(SAMPLE)];
  const names = companies.map(({ name }) => name);
  const some = (pattern: RegExp) => names.filter((name) => pattern.test(name)).length;
  expect(some(/\p{Script=Greek}/u)).toBeGreaterThan(50);
  expect(some(/\p{Script=Cyrillic}/u)).toBeGreaterThan(50);
  expect(some(/[\p{Script=Han}\p{Script=Katakana}]/u)).toBeGreaterThan(50);
  expect(some(/\p{Script=Arabic}/u)).toBeGreaterThan(50);
  expect(some(/[àâçéèêëîïôùûüÿñæœøåäöß]/iu)).toBeGreaterThan(50);
  expect(some(/"/)).toBeGreaterThan(5);
  expect(some(/['’]/)).toBeGreaterThan(20);
  expect(some(/&/)).toBeGreaterThan(100);
  expect(names.length - new Set(names).size).toBeGreaterThan(100);
  expect(companies.some(({ fields }) => typeof fields.tax_reference === 'bigint')).toBe(true);
  expect(companies.some(({ fields }) => typeof fields.par_value === 'object')).toBe(true);
  expect(companies.some(({ fields }) => 'previous_names' in fields)).toBe(true);
});
