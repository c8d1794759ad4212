import { expect, test } from 'vitest';
import { END, generalModel, NameModel } from '../../../src/plan/discovery/name_model.ts';
import { CHARACTER_SEEDS } from '../../../src/plan/discovery/seeds.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

test.each([
  [0, true],
  [0, false],
  [500, true],
  [500, false],
])(
  "after %i names, the name model's probabilities for the next character add up to about 1 (anchored: %s)",
  (names, isAnchored) => {
    const model = new NameModel(CHARACTER_SEEDS, isAnchored);
    for (const { name } of syntheticCompanies(names)) model.learn(name.toLowerCase());
    for (const text of ['', 'a', 'acme', 'acme ', 'limited', 'never seen before']) {
      const sum = [...model.following(text).values()].reduce((total, one) => total + one, 0);
      expect(sum, text).toBeGreaterThan(0.85);
      expect(sum, text).toBeLessThan(1.15);
    }
  },
);

test('before any name is known, the name model gives common first characters the highest probability', () => {
  const likely = new NameModel(CHARACTER_SEEDS, true).following('');
  expect(ranked(likely).slice(0, 3)).toEqual(['a', 'c', 's']);
  expect(likely.get('7')).toBeGreaterThan(likely.get('株') ?? 1);
});

test("in the name model, a character's probability rises with its frequency", () => {
  const model = new NameModel(CHARACTER_SEEDS, true);
  for (let times = 0; times < 9; times++) model.learn('acme');
  model.learn('acre');
  const likely = model.following('ac');
  expect(likely.get('m')).toBeGreaterThan(4 * (likely.get('r') ?? 1));
  expect(likely.get('r')).toBeGreaterThan(likely.get('z') ?? 1);
});

test('in the name model, a name is more likely to end where names have often ended', () => {
  const model = new NameModel(CHARACTER_SEEDS, true);
  for (let times = 0; times < 10; times++) model.learn('acme');
  expect(model.following('acme').get(END)).toBeGreaterThan(0.8);
  expect(model.following('acm').get(END)).toBeLessThan(0.05);
});

test('the name model gives characters that it has not seen a positive probability', () => {
  const model = new NameModel(CHARACTER_SEEDS, true);
  for (let times = 0; times < 1000; times++) model.learn('acme');
  expect(model.knows('q')).toBe(false);
  expect(model.knows('m')).toBe(true);
  expect(model.following('ac').get('q')).toBeGreaterThan(0);
});

test("a new character in a name joins the model's alphabet as one code point", () => {
  const model = new NameModel(CHARACTER_SEEDS, true);
  expect(model.following('a').get('😀')).toBeUndefined();
  model.learn('a😀');
  expect(ranked(model.following('a'))[0]).toBe('😀');
});

test('the general model determines the prediction until observed names outweigh it', () => {
  const model = new NameModel(CHARACTER_SEEDS, true, generalModel());
  expect(ranked(model.following('q'))[0]).toBe('u');
  expect(model.following('st').get('r')).toBeGreaterThan(20 * (model.following('st').get('s') ?? 1));
  const before = model.following('co').get('x') ?? 1;
  expect(before).toBeLessThan(0.05);
  for (let times = 0; times < 400; times++) model.learn('coxab');
  expect(model.following('co').get('x')).toBeGreaterThan(0.9);
});

test('in the name model, common words have the same distribution of first letters as names', () => {
  const likely = generalModel().following('');
  for (const frequent of ['s', 'c', 'm', 'p', 'b', 'a'])
    for (const rare of ['q', 'x', 'y', 'z'])
      expect(likely.get(frequent)).toBeGreaterThan(likely.get(rare) ?? 1);
});

test('an anchored model treats a query as the start of a name, and other models as any part of a name', () => {
  const anchored = new NameModel(CHARACTER_SEEDS, true);
  const anywhere = new NameModel(CHARACTER_SEEDS, false);
  for (const model of [anchored, anywhere]) {
    for (let times = 0; times < 20; times++) model.learn('able');
    for (let times = 0; times < 5; times++) model.learn('bid');
  }
  expect(ranked(anchored.following('b'))[0]).toBe('i');
  expect(ranked(anywhere.following('b'))[0]).toBe('l');
});

function ranked(likely: ReadonlyMap<string, number>): string[] {
  return [...likely].sort(([, one], [, other]) => other - one).map(([character]) => character);
}

test('after 10,000 names, the name model learns from every second name', () => {
  const model = new NameModel(CHARACTER_SEEDS, true);
  for (let names = 0; names < 10_000; names++) model.learn('a');
  for (const name of ['b', 'c', 'd', 'e']) model.learn(name);
  expect(['b', 'c', 'd', 'e'].map((name) => model.knows(name))).toEqual([true, false, true, false]);
});

test('in the name model, an unknown letter of a known alphabet is likelier at the start of a name than later', () => {
  const model = new NameModel(CHARACTER_SEEDS, true);
  for (const word of ['строй', 'мебел', 'имоти']) model.learn(word);
  const likelihoodAfter = (text: string) =>
    model.unseen(text).find(({ character }) => character === 'х')?.likelihood ?? 0;
  expect(likelihoodAfter('')).toBeGreaterThan(2 * likelihoodAfter('с'));
  expect(model.alphabets).toHaveLength(1);
});
