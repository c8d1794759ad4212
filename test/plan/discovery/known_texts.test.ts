import { expect, test } from 'vitest';
import { ALL_COMPANIES } from '../../../src/names/ordered_texts.ts';
import { SortedWords } from '../../../src/names/ordered_words.ts';
import { NameModel } from '../../../src/plan/discovery/name_model.ts';
import { PrefixCounts } from '../../../src/plan/discovery/prefix_counts.ts';
import { type PrefixSettings, PrefixTexts } from '../../../src/plan/discovery/prefix_texts.ts';
import { WholeWords } from '../../../src/plan/discovery/whole_words.ts';

/** A name model without observed names. `a` has a probability of 75%, and `b` one of 25%. */
const model = () =>
  new NameModel(
    [
      { text: 'a', weight: 3 },
      { text: 'b', weight: 1 },
    ],
    true,
  );

function prefixesOf(texts: readonly string[], settings: Partial<PrefixSettings> = {}): PrefixTexts {
  const prefixes = new PrefixTexts({
    ...{ counts: new PrefixCounts(), model: model(), longest: 24, repeats: false, first: [] },
    ...{ canBeSent: () => true, readAs: (query) => query },
    ...settings,
  });
  for (const text of texts) prefixes.add(text.split(' '));
  return prefixes;
}

const never = () => false;
const unsentTexts = (texts: PrefixTexts, query = '') =>
  texts.extensions(query, never).offered.map(({ text }) => text);

test('extensions are ranked by known companies and by the probability of their next character', () => {
  const { offered, ...others } = prefixesOf(['b', 'bc', 'bd']).extensions('', never);
  // `b`: 3 / (1 + 3) + 0.25. `a`: 0.75. `c` was observed only after `b`.
  expect(offered.slice(0, 2)).toEqual([
    { text: 'b', likelihood: 0.25, hasNewCharacter: true },
    { text: 'a', likelihood: expect.closeTo(0.75), hasNewCharacter: true },
  ]);
  expect(offered).toHaveLength(2);
  expect(others).toEqual({ otherLikelihood: 0, sentLikelihood: 0, isTruncated: false });
});

test('a follower that is not a seed has a low probability, and a trained character is not new', () => {
  const trained = model();
  trained.learn('ba');
  const { offered } = prefixesOf(['bx'], { model: trained }).extensions('b', never);
  const x = offered.find(({ text }) => text === 'bx');
  expect(x).toEqual({ text: 'bx', likelihood: 1e-6, hasNewCharacter: true });
  expect(offered.find(({ text }) => text === 'ba')?.hasNewCharacter).toBe(false);
});

test('a sent extension is not offered, and its probability is reported', () => {
  const extensions = prefixesOf(['ab']).extensions('', (query) => query === 'a');
  expect(extensions.offered.map(({ text }) => text)).toEqual(['b']);
  expect(extensions.sentLikelihood).toBeCloseTo(0.75);
});

test('if a query is too short, its extensions are offered instead', () => {
  const { offered } = prefixesOf([], { canBeSent: (query) => query.length >= 2 }).extensions('', never);
  expect(offered.map(({ text, likelihood }) => [text, likelihood])).toEqual([
    ['aa', expect.closeTo(0.75 * 0.75)],
    ['ab', expect.closeTo(0.75 * 0.25)],
    ['ba', expect.closeTo(0.25 * 0.75)],
    ['bb', expect.closeTo(0.25 * 0.25)],
  ]);
});

test('an aliased extension is replaced by the query that the upstream reads', () => {
  const readAs = (query: string) => query.replaceAll('b', 'c');
  const aliased = prefixesOf(['b', 'c'], { readAs });
  expect(unsentTexts(aliased)).toEqual(['a', 'c']);
  expect(aliased.spread('').distinct).toBe(1);
  expect(unsentTexts(prefixesOf([], { readAs: (query) => (query === 'b' ? null : query) }))).toEqual(['a']);
  expect(unsentTexts(prefixesOf([], { readAs: (query) => query.replaceAll('b', '') }))).toEqual(['a']);
});

test('no extension begins with a space, has two spaces in a row or half of a character', () => {
  const spaced = new NameModel(
    [
      { text: 'a', weight: 1 },
      { text: ' ', weight: 1 },
    ],
    true,
  );
  const texts = prefixesOf([], { model: spaced });
  expect(unsentTexts(texts)).toEqual(['a']);
  expect(unsentTexts(texts, 'a')).toEqual(['aa', 'a ']);
  expect(unsentTexts(texts, 'a ')).toEqual(['a a']);
  expect(unsentTexts(prefixesOf(['a\u{1F3ED}'], { longest: 2 }), 'a')).toEqual(['aa', 'ab']);
});

test('a query of the maximum length has no extensions', () => {
  const texts = prefixesOf(['abc', 'abd'], { longest: 2 });
  const none = { offered: [], otherLikelihood: 1, sentLikelihood: 0, isTruncated: false };
  expect(texts.extensions('ab', never)).toEqual(none);
  expect(texts.extensions('a', never).offered.map(({ text }) => text)).toEqual(['ab', 'aa']);
  expect([texts.ending('ab'), texts.ending('a'), texts.known('ab')]).toEqual([2, 0, 2]);
  expect(unsentTexts(prefixesOf([], { longest: 2, canBeSent: (query) => query.length > 2 }))).toEqual([]);
});

test('a name may end after a query if many companies share names', () => {
  const trained = model();
  trained.learn('ab');
  const other = (repeats: boolean, query: string) =>
    prefixesOf(['ab'], { model: trained, repeats }).extensions(query, never).otherLikelihood;
  expect(other(true, 'ab')).toBeCloseTo(trained.following('ab').get('') ?? 0);
  expect(other(true, 'ab')).toBeGreaterThan(0.4);
  expect([other(true, ''), other(false, 'ab')]).toEqual([0, 0]);
});

test('at most 400 extensions are offered, and the probabilities of the others are added up', () => {
  const seeds = Array.from({ length: 500 }, (_, at) => ({
    text: String.fromCodePoint(0x4e00 + at),
    weight: 1,
  }));
  const texts = prefixesOf([], { model: new NameModel(seeds, true) });
  const extensions = texts.extensions('', never);
  expect(extensions.offered).toHaveLength(400);
  expect(extensions).toMatchObject({ otherLikelihood: expect.closeTo(0.2), isTruncated: true });
  const [first] = extensions.offered;
  const allSent = texts.extensions('', (query) => query !== first?.text);
  expect(allSent).toMatchObject({
    otherLikelihood: 0,
    sentLikelihood: expect.closeTo(0.998),
    isTruncated: false,
  });
});

test('characters in a large script that occur in no known name are offered last', () => {
  // The first 30 kanji of level 1, and a seed that occurs in none of them.
  const kanji = new TextDecoder('euc-jp').decode(
    Uint8Array.from(Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? 0xb0 : 0xa1 + (at >> 1)))),
  );
  const trained = model();
  trained.learn(kanji);
  const unseen = trained.unseen('');
  const characters = unseen.map(({ character }) => character);
  const likelihood = unseen[0]?.likelihood ?? 0;
  expect([kanji.length, characters.length]).toEqual([30, expect.any(Number)]);
  expect(characters.some((character) => kanji.includes(character))).toBe(false);
  // Characters that begin a name precede all others.
  expect(characters.slice(0, 3)).toEqual(['株', '有', '合']);
  // 31 different characters were observed once, and one of them at the start of a name.
  expect(likelihood).toBeCloseTo(((31 / 62) * (1 / 2)) / (2 * characters.length), 10);
  const { offered } = prefixesOf([], { model: trained }).extensions('', never);
  expect(
    offered
      .slice(0, 32)
      .map(({ text }) => text)
      .toSorted(),
  ).toEqual([...kanji, 'a', 'b'].toSorted());
  expect(offered[32]).toEqual({ text: characters[0], likelihood, hasNewCharacter: true });
});

test('a known letter of an alphabet makes the unknown letters candidates, before characters in large scripts', () => {
  const trained = model();
  trained.learn('русский');
  const letters = trained.unseen('').map(({ character }) => character);
  expect(letters).toEqual(expect.arrayContaining(['ж', 'х', '„']));
  expect(letters).not.toContain('р');
  expect(letters).not.toContain('α');
});

test('common words are offered beside single characters, unless they were sent or are aliased', () => {
  const first = ['ltd', 'co', 'inc', 'ag'].map((text) => ({
    text,
    likelihood: 0.01,
    hasNewCharacter: false,
  }));
  const texts = prefixesOf([], {
    first,
    readAs: (query) => (query === 'inc' ? null : query),
    longest: 3,
  });
  const { offered } = texts.extensions('', (query) => query === 'ag');
  expect(offered.map(({ text }) => text)).toEqual(['a', 'b', 'ltd', 'co']);
  // Beside 400 single characters, at most 20 common words are added.
  const seeds = Array.from({ length: 400 }, (_, at) => ({
    text: String.fromCodePoint(0x4e00 + at),
    weight: 1,
  }));
  const words = Array.from({ length: 30 }, (_, at) => ({
    text: `w${at}`,
    likelihood: 1e-4,
    hasNewCharacter: false,
  }));
  const many = prefixesOf([], {
    first: words,
    model: new NameModel(seeds, true),
    canBeSent: (query) => query !== 'w2',
  });
  const added = many.extensions('', (query) => query === 'w1').offered.slice(400);
  expect(added.map(({ text }) => text)).toEqual(
    [0, ...Array.from({ length: 19 }, (_, at) => at + 3)].map((at) => `w${at}`),
  );
  expect(many.extensions('w0', never).offered.some(({ text }) => text === 'w3')).toBe(false);
  expect(unsentTexts(texts, 'a')).toEqual(['aa', 'ab']);
});

test('a company counts once for each prefix that its names share', () => {
  const texts = prefixesOf(['acme acorn', 'acme']);
  expect(['', 'a', 'ac', 'acm', 'aco', 'b'].map((query) => texts.known(query))).toEqual([2, 2, 2, 2, 1, 0]);
  expect(texts.ending('acme')).toBe(2);
  // Two companies match three extensions of `ac`.
  expect(texts.spread('ac')).toEqual({ distinct: 2, perCompany: 1.5 });
  expect(texts.spread('b')).toEqual({ distinct: 0, perCompany: 1 });
});

const NAMES = ['acme limited', 'acme bank', 'bank of limited'];

function wordsOf(names: readonly string[], beside: string | null = null, first: readonly string[] = []) {
  const index = new SortedWords(beside === null ? ALL_COMPANIES : { beside, isWhole: true }, names);
  const common = first.map((text) => ({ text, likelihood: 0.001, hasNewCharacter: false }));
  const words = new WholeWords(index, { first: common, beside, canBeSent: () => true });
  const add = (name: string) => {
    index.add(name);
    words.add(name.split(' '));
  };
  return { words, add };
}

test("a word's probability is its share of the known companies", () => {
  const { words } = wordsOf(NAMES, null, ['bank', 'plc']);
  const { offered, ...others } = words.extensions('', (word) => word === 'limited');
  expect(new Map(offered.map(({ text, likelihood }) => [text, likelihood]))).toEqual(
    new Map([
      ['acme', 2 / 3],
      ['bank', 2 / 3],
      ['of', 1 / 3],
      ['plc', 0.001],
    ]),
  );
  expect(offered.at(-1)?.text).toBe('plc');
  expect(others).toEqual({ otherLikelihood: 0, sentLikelihood: 0, isTruncated: false });
});

test('only the empty query has words as extensions, and each company matches several words', () => {
  const { words } = wordsOf(NAMES);
  const none = { offered: [], otherLikelihood: 1, sentLikelihood: 0, isTruncated: false };
  expect(words.extensions('acme', never)).toEqual(none);
  expect(words.spread('')).toEqual({ distinct: 4, perCompany: 7 / 3 });
  expect(words.spread('acme')).toEqual({ distinct: 0, perCompany: 1 });
  expect([words.known(''), words.known('acme'), words.known('of'), words.known('ac')]).toEqual([3, 2, 1, 0]);
  expect([words.ending(''), words.ending('acme')]).toEqual([0, 2]);
  expect(wordsOf([]).words.spread('')).toEqual({ distinct: 0, perCompany: 1 });
});

test('added companies are counted, with each word once', () => {
  const { words, add } = wordsOf(NAMES);
  expect(words.known('nova')).toBe(0);
  add('nova nova acme');
  expect([words.known(''), words.known('nova'), words.known('acme')]).toEqual([4, 1, 3]);
  expect(words.spread('')).toEqual({ distinct: 5, perCompany: 9 / 4 });
  add('nova');
  expect(words.known('nova')).toBe(2);
  const nova = words.extensions('', never).offered.find(({ text }) => text === 'nova');
  expect(nova?.likelihood).toBe(2 / 5);
});

test('the word that all companies on a list share is no extension', () => {
  const { words, add } = wordsOf(NAMES, 'limited');
  expect([words.known(''), words.known('limited'), words.known('acme')]).toEqual([2, 0, 1]);
  expect(words.spread('')).toEqual({ distinct: 3, perCompany: 1.5 });
  add('limited trust');
  expect([words.known('limited'), words.known('trust')]).toEqual([0, 1]);
  expect(words.spread('')).toEqual({ distinct: 4, perCompany: 4 / 3 });
});

test('a company with diacritics also counts for its words without them', () => {
  const { words } = wordsOf(['åcme bank']);
  words.addWithoutDiacritics(['åcme', 'bank'], ['acme', 'bank']);
  expect(['', 'åcme', 'acme', 'bank'].map((word) => words.known(word))).toEqual([1, 1, 1, 1]);
  expect(words.spread('').perCompany).toBe(3);
  // Another company matches only without diacritics.
  words.addWithoutDiacritics([], ['acme', 'acme']);
  expect([words.known(''), words.known('acme')]).toEqual([2, 2]);
  const acme = words.extensions('', never).offered.find(({ text }) => text === 'acme');
  expect(acme?.likelihood).toBe(1);
});

test('at most 200 words and 20 common words are offered', () => {
  const names = Array.from({ length: 300 }, (_, at) => `word${at} word${at % 250}`);
  const common = Array.from({ length: 30 }, (_, at) => `common${at}`);
  const extensions = wordsOf(names, null, common).words.extensions('', never);
  expect(extensions.offered).toHaveLength(220);
  expect(extensions.isTruncated).toBe(true);
  // 100 words have one company each.
  expect(extensions.otherLikelihood).toBeCloseTo(100 / 300 + 30 * 0.001);
  expect(extensions.offered.filter(({ text }) => text.startsWith('common'))).toHaveLength(20);
});
