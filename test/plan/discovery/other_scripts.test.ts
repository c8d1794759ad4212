import { expect, test } from 'vitest';
import { isAscii } from '../../../src/names/folding.ts';
import { SCRIPT_LEGAL_FORMS, SCRIPT_WORDS } from '../../../src/plan/discovery/first_characters.ts';
import { UntriedCharacters } from '../../../src/plan/discovery/untried_characters.ts';
import { dialectWith, listed } from '../../support/estimate_knowledge.ts';
import { discover } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const JAPANESE = ['鈴木', '山田', '田中', '佐藤', '北沢', '青森'].map((name) => `株式会社${name}商事`);
const BULGARIAN = ['Марин', 'Петров', 'Иванов', 'Димитров'].map((name) => `${name} Строй ООД`);

test.each<[RegistrySettings['semantics'], number]>([
  ['token_prefix', 2],
  ['substring', 2],
  ['substring', 3],
])('discovery finds names in other scripts: %s, at least %d characters', (semantics, minLength) => {
  const latin = syntheticCompanies(60).map(({ name }) => name);
  expect(missedBy([...latin, ...JAPANESE, ...BULGARIAN], { ...PLAIN, semantics, minLength })).toEqual([]);
});

test('discovery finds names in other scripts if no Latin query finds a company', () => {
  expect(missedBy(JAPANESE, { ...PLAIN, minLength: 2 })).toEqual([]);
});

test('words in other scripts are due until they are sent', () => {
  const mirror = new MemoryMirror();
  const dueWith = (settings: Partial<RegistrySettings>) =>
    new UntriedCharacters(mirror, dialectWith(settings)).due.filter((text) => !isAscii(text));
  expect(dueWith({ semantics: 'token' })).toEqual([...SCRIPT_WORDS, ...SCRIPT_LEGAL_FORMS]);
  expect(dueWith({ minLength: 1 })).toContain('株');
  expect(dueWith({ minLength: 2 })).toEqual(expect.arrayContaining(['株式', '上海', 'ст']));
  // A word that is shorter than the min query length would be rejected.
  expect(dueWith({ minLength: 3 }).every((text) => [...text].length === 3)).toBe(true);
  mirror.queryStates.set('name:стр', listed('name', 'стр', 0));
  expect(dueWith({ minLength: 3 })).toContain('общ');
  expect(dueWith({ minLength: 3 })).not.toContain('стр');
});

test('words in other scripts are exempt from the stop rule', () => {
  const mirror = new MemoryMirror();
  mirror.add({ id: '1', name: '山田商事' });
  const untried = new UntriedCharacters(mirror, dialectWith({ minLength: 3 }));
  expect(['стр', 'abc'].map((text) => untried.isExemptFromStopRule(text))).toEqual([true, false]);
});

function missedBy(names: readonly string[], settings: RegistrySettings): string[] {
  const companies = names.map((name, at) => ({ id: String(1_000 + at), name }));
  const { mirror } = discover(new Registry(companies, settings), { mostCalls: 10_000, enough: Infinity });
  return companies.filter(({ id }) => !mirror.companies.has(id)).map(({ name }) => name);
}
