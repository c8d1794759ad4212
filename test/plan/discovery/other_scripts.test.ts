import { expect, test } from 'vitest';
import { generateRegistry } from '../../../data/generate.ts';
import { SCRIPT_LEGAL_FORMS, SCRIPT_WORDS, scriptSeeds } from '../../../src/plan/discovery/seeds.ts';
import { discover } from '../../support/simulation/discover.ts';
import { PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const JAPANESE = ['鈴木', '山田', '田中', '佐藤', '北沢', '青森'].map((name) => `株式会社${name}商事`);
const KOREAN = ['삼성', '현대', '기아', '엘지'].map((name) => `${name} 주식회사`);

test.each<[RegistrySettings['semantics'], number]>([
  ['token_prefix', 2],
  ['substring', 2],
])('discovery finds names in other scripts: %s, at least %d characters', (semantics, minLength) => {
  const latin = syntheticCompanies(60).map(({ name }) => name);
  expect(missedBy([...latin, ...JAPANESE, ...KOREAN], { ...PLAIN, semantics, minLength })).toEqual([]);
});

test('discovery finds names in other scripts if no Latin query finds a company', () => {
  expect(missedBy(JAPANESE, { ...PLAIN, minLength: 2 })).toEqual([]);
});

test('discovery finds most Cyrillic names by prefixes of at least three characters', () => {
  const names = [...generateRegistry({ companies: 6_000, seed: 3 })].map(({ name }) => name);
  const cyrillic = names.filter((name) => /^\p{Script=Cyrillic}/u.test(name)).slice(0, 150);
  expect(cyrillic).toHaveLength(150);
  expect(missedBy(cyrillic, { ...PLAIN, minLength: 3 }).length).toBeLessThanOrEqual(50);
});

test('the seeds in other scripts are as long as the min query length', () => {
  const seeds = (semantics: RegistrySettings['semantics'], minLength: number) =>
    scriptSeeds(semantics, minLength).map(({ text }) => text);
  expect(seeds('token', 1)).toEqual([...SCRIPT_WORDS, ...SCRIPT_LEGAL_FORMS]);
  expect(seeds('prefix', 1)).toEqual([]);
  expect(seeds('prefix', 2)).toEqual(expect.arrayContaining(['株式', '上海', 'ст']));
  expect(seeds('prefix', 3).every((text) => [...text].length === 3)).toBe(true);
});

function missedBy(names: readonly string[], settings: RegistrySettings): string[] {
  const companies = names.map((name, at) => ({ id: String(1_000 + at), name }));
  const { mirror } = discover(new Registry(companies, settings), { mostCalls: 10_000, enough: Infinity });
  return companies.filter(({ id }) => !mirror.companies.has(id)).map(({ name }) => name);
}
