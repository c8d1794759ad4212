import type { Knowledge } from '../../knowledge.ts';
import { withoutDiacritics, wordsOf } from '../../names/folding.ts';
import {
  ALL_COMPANIES,
  type CompaniesWith,
  spreadOver,
  type WordsInOrder,
} from '../../names/ordered_texts.ts';
import { SortedWords } from '../../names/ordered_words.ts';
import { findsName } from '../../names/query_matching.ts';
import { generalModel } from './common_words.ts';
import { isPunctuation } from './first_characters.ts';
import type { Extensions, KeySpace, KnownTexts, Spread } from './key_space.ts';
import { NameModel } from './name_model.ts';
import { OrderedCounts } from './ordered_counts.ts';
import { PrefixTexts } from './prefixes.ts';
import { characterSeeds, wordSeeds } from './query_seeds.ts';
import { MOST_WITHOUT_DIACRITICS, UpstreamFolding } from './upstream_folding.ts';
import { WholeWords } from './whole_words.ts';

/**
 * Names searched by their words, whole or by how they begin: an index counts them. A word so frequent that its listing is
 * cut off is asked together with a second one, `limited ac`: so the words of the companies that have it are counted by
 * themselves.
 */
export class WordKeySpace implements KeySpace {
  readonly by = 'name';
  readonly overlaps = true;
  readonly takesPairs = true;
  readonly #semantics: 'token' | 'token_prefix';
  readonly #minLength: number;
  readonly #knowledge: Knowledge;
  readonly #model = new NameModel(characterSeeds(), true, generalModel());
  readonly #words: KnownTexts;
  readonly #beside = new Map<string, KnownTexts>();
  readonly #upstreamFolding: UpstreamFolding;
  /** Known names that have marks, where they are overlooked; null: they were not looked for. */
  #marked: string[] | null = null;
  /** Words that no index counts. */
  readonly #held: SortedWords[] = [];
  #companies = 0;

  constructor(semantics: 'token' | 'token_prefix', minLength: number, knowledge: Knowledge) {
    this.#semantics = semantics;
    this.#minLength = minLength;
    this.#knowledge = knowledge;
    const finds = (text: string, company: string) => findsName(semantics, text, company);
    this.#upstreamFolding = new UpstreamFolding((text, company) =>
      isPunctuation(text) ? company.includes(text) : finds(text, company),
    );
    this.#words = this.#openTexts(null);
    this.#companies = knowledge.knownCount();
    if (semantics === 'token') return;
    const places = Math.ceil(this.#companies / SAMPLE);
    for (const name of spreadOver(knowledge.textsInOrder('name'), places)) this.#learn(wordsOf(name));
  }

  get companies(): number {
    return this.#companies;
  }

  get revision(): number {
    return this.#companies + this.#upstreamFolding.revision;
  }

  see(name: string): void {
    const words = wordsOf(name);
    this.#companies++;
    if (this.#semantics === 'token_prefix') this.#learn(words);
    for (const held of this.#held) held.add(name);
    this.#words.add(words);
    for (const [word, texts] of this.#beside) if (this.#has(name, word)) texts.add(words);
    if (this.#marked !== null) this.#seeDiacritics(this.#marked, name);
  }

  known(text: string): number {
    const { texts, last } = this.#split(text);
    return texts.known(last);
  }

  ending(text: string): number {
    const { texts, last } = this.#split(text);
    return texts.ending(last);
  }

  spread(text: string): Spread {
    const { texts, last } = this.#split(text);
    return texts.spread(last);
  }

  extensions(text: string, isAsked: (text: string) => boolean): Extensions {
    const { before, texts, last } = this.#split(text);
    const found = texts.extensions(last, (one) => isAsked(before + one) || this.isAliased(before + one));
    return { ...found, offered: found.offered.map((one) => ({ ...one, text: before + one.text })) };
  }

  /** All names are read once for a word beside which nothing counts; of very many, not for a few companies. */
  pairsWith(word: string, unseen: () => number): boolean {
    if (this.#companies <= ALWAYS_READ || this.#beside.has(word)) return true;
    if (this.#knowledge.wordsInOrder(this.#companiesWith(word)) !== null) return true;
    return this.#held.length < MOST_READ && unseen() * READ_FOR_EACH >= this.#companies;
  }

  finds(text: string, company: string): boolean {
    return this.#upstreamFolding.finds(text, company);
  }

  observe(text: string, companies: readonly string[]): void {
    this.#upstreamFolding.observe(text, companies);
  }

  /** Of a whole word no other says what it finds, unless it is known how it is read. */
  isAliased(text: string): boolean {
    const read = this.#upstreamFolding.readAs(text);
    return read === null ? this.#semantics !== 'token' : read !== text;
  }

  #has(name: string, word: string): boolean {
    return findsName(this.#semantics, word, name);
  }

  #countDiacritics(): void {
    if (this.#marked !== null || !this.#upstreamFolding.ignoresDiacritics) return;
    this.#marked = [];
    if (this.#companies > MOST_WITHOUT_DIACRITICS) return;
    for (const name of this.#knowledge.textsInOrder('name').all()) this.#seeDiacritics(this.#marked, name);
  }

  #seeDiacritics(marked: string[], name: string): void {
    if (withoutDiacritics(name) === name) return;
    marked.push(name);
    this.#countWithoutDiacritics(this.#words, null, name);
    for (const [word, texts] of this.#beside) this.#countWithoutDiacritics(texts, word, name);
  }

  #countWithoutDiacritics(texts: KnownTexts, beside: string | null, name: string): void {
    const plain = withoutDiacritics(name);
    if (beside !== null && !this.#has(plain, beside)) return;
    const isCounted = beside === null || this.#has(name, beside);
    texts.addWithoutDiacritics(isCounted ? wordsOf(name) : [], wordsOf(plain));
  }

  #learn(words: readonly string[]): void {
    for (const word of words) this.#model.learn(word);
  }

  /** The last word of a text, and the words that it is one of. */
  #split(text: string): { readonly before: string; readonly texts: KnownTexts; readonly last: string } {
    this.#countDiacritics();
    const space = text.indexOf(' ');
    if (space === -1) return { before: '', texts: this.#words, last: text };
    const word = text.slice(0, space);
    return { before: `${word} `, texts: this.#wordsBeside(word), last: text.slice(space + 1) };
  }

  #wordsBeside(word: string): KnownTexts {
    const existing = this.#beside.get(word);
    if (existing !== undefined) return existing;
    const texts = this.#openTexts(word);
    for (const name of this.#marked ?? []) this.#countWithoutDiacritics(texts, word, name);
    this.#beside.set(word, texts);
    return texts;
  }

  /** `beside`: the word that all these companies have; null: any. */
  #openTexts(beside: string | null): KnownTexts {
    const first = beside === null ? FIRST_WORDS : [];
    const words = this.#wordsOf(beside === null ? ALL_COMPANIES : this.#companiesWith(beside));
    if (this.#semantics === 'token') return new WholeWords(words, first, beside);
    return new PrefixTexts({
      ...{ counts: new OrderedCounts(words, LONGEST), model: this.#model, longest: LONGEST, repeats: true },
      first: this.#minLength > 1 ? first : [],
      // A text that the first word begins with too narrows nothing.
      canBeAsked: (text) => [...text].length >= this.#minLength && beside?.startsWith(text) !== true,
      readAs: (text) => this.#upstreamFolding.readAs(text),
    });
  }

  #companiesWith(word: string): CompaniesWith {
    return { beside: word, isWhole: this.#semantics === 'token' };
  }

  #wordsOf(companies: CompaniesWith): WordsInOrder {
    const counted = this.#knowledge.wordsInOrder(companies);
    if (counted !== null) return counted;
    const held = new SortedWords(
      companies,
      this.#knowledge.textsInOrder('name').containing(companies.beside),
    );
    this.#held.push(held);
    return held;
  }
}

const LONGEST = 24;
const SAMPLE = 2_000;
const ALWAYS_READ = 100_000;
const READ_FOR_EACH = 5_000;
const MOST_READ = 64;
const FIRST_WORDS = wordSeeds().map(({ text, weight }) => ({
  ...{ text, likelihood: 0.02 * weight, isStrange: false },
}));
