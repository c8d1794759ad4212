import { withoutMarks, wordsOf } from '../../folding.ts';
import type { Knowledge } from '../knowledge.ts';
import { findsName } from '../matching.ts';
import { SortedWords } from '../sorted_words.ts';
import { spreadOver } from '../texts_in_order.ts';
import { ALL_COMPANIES, type CompaniesWith, type WordsInOrder } from '../words_in_order.ts';
import { Beginnings } from './beginnings.ts';
import { generalModel } from './common_words.ts';
import type { Extensions, Field, Spread, Texts } from './field.ts';
import { isPunctuation } from './first_characters.ts';
import { NameModel } from './name_model.ts';
import { OrderedCounts } from './ordered_counts.ts';
import { MOST_UNMARKED, Reading } from './reading.ts';
import { characterSeeds, wordSeeds } from './seeds.ts';
import { WholeWords } from './whole_words.ts';

/**
 * Names searched by their words, whole or by how they begin: an index counts them. A word so frequent that its listing is
 * cut off is asked together with a second one, `limited ac`: so the words of the companies that have it are counted by
 * themselves.
 */
export class WordField implements Field {
  readonly by = 'name';
  readonly overlaps = true;
  readonly takesPairs = true;
  readonly #semantics: 'token' | 'token_prefix';
  readonly #minLength: number;
  readonly #knowledge: Knowledge;
  readonly #model = new NameModel(characterSeeds(), true, generalModel());
  readonly #words: Texts;
  readonly #beside = new Map<string, Texts>();
  readonly #reading: Reading;
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
    this.#reading = new Reading((text, company) =>
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

  get lessons(): number {
    return this.#companies + this.#reading.lessons;
  }

  see(name: string): void {
    const words = wordsOf(name);
    this.#companies++;
    if (this.#semantics === 'token_prefix') this.#learn(words);
    for (const held of this.#held) held.add(name);
    this.#words.add(words);
    for (const [word, texts] of this.#beside) if (this.#has(name, word)) texts.add(words);
    if (this.#marked !== null) this.#seeMarked(this.#marked, name);
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
    const found = texts.extensions(last, (one) => isAsked(before + one) || this.isBlurred(before + one));
    return { ...found, offered: found.offered.map((one) => ({ ...one, text: before + one.text })) };
  }

  /** All names are read once for a word beside which nothing counts; of very many, not for a few companies. */
  pairsWith(word: string, gap: () => number): boolean {
    if (this.#companies <= ALWAYS_READ || this.#beside.has(word)) return true;
    if (this.#knowledge.wordsInOrder(this.#companiesWith(word)) !== null) return true;
    return this.#held.length < MOST_READ && gap() * READ_FOR_EACH >= this.#companies;
  }

  finds(text: string, company: string): boolean {
    return this.#reading.finds(text, company);
  }

  observe(text: string, companies: readonly string[]): void {
    this.#reading.observe(text, companies);
  }

  /** Of a whole word no other says what it finds, unless it is known how it is read. */
  isBlurred(text: string): boolean {
    const read = this.#reading.readAs(text);
    return read === null ? this.#semantics !== 'token' : read !== text;
  }

  #has(name: string, word: string): boolean {
    return findsName(this.#semantics, word, name);
  }

  #countMarked(): void {
    if (this.#marked !== null || !this.#reading.overlooksMarks) return;
    this.#marked = [];
    if (this.#companies > MOST_UNMARKED) return;
    for (const name of this.#knowledge.textsInOrder('name').all()) this.#seeMarked(this.#marked, name);
  }

  #seeMarked(marked: string[], name: string): void {
    if (withoutMarks(name) === name) return;
    marked.push(name);
    this.#countUnmarked(this.#words, null, name);
    for (const [word, texts] of this.#beside) this.#countUnmarked(texts, word, name);
  }

  #countUnmarked(texts: Texts, beside: string | null, name: string): void {
    const unmarked = withoutMarks(name);
    if (beside !== null && !this.#has(unmarked, beside)) return;
    const isCounted = beside === null || this.#has(name, beside);
    texts.addUnmarked(isCounted ? wordsOf(name) : [], wordsOf(unmarked));
  }

  #learn(words: readonly string[]): void {
    for (const word of words) this.#model.learn(word);
  }

  /** The last word of a text, and the words that it is one of. */
  #split(text: string): { readonly before: string; readonly texts: Texts; readonly last: string } {
    this.#countMarked();
    const space = text.indexOf(' ');
    if (space === -1) return { before: '', texts: this.#words, last: text };
    const word = text.slice(0, space);
    return { before: `${word} `, texts: this.#wordsBeside(word), last: text.slice(space + 1) };
  }

  #wordsBeside(word: string): Texts {
    const existing = this.#beside.get(word);
    if (existing !== undefined) return existing;
    const texts = this.#openTexts(word);
    for (const name of this.#marked ?? []) this.#countUnmarked(texts, word, name);
    this.#beside.set(word, texts);
    return texts;
  }

  /** `beside`: the word that all these companies have; null: any. */
  #openTexts(beside: string | null): Texts {
    const first = beside === null ? FIRST_WORDS : [];
    const words = this.#wordsOf(beside === null ? ALL_COMPANIES : this.#companiesWith(beside));
    if (this.#semantics === 'token') return new WholeWords(words, first, beside);
    return new Beginnings({
      ...{ counts: new OrderedCounts(words, LONGEST), model: this.#model, longest: LONGEST, repeats: true },
      first: this.#minLength > 1 ? first : [],
      // A text that the first word begins with too narrows nothing.
      canBeAsked: (text) => [...text].length >= this.#minLength && beside?.startsWith(text) !== true,
      readAs: (text) => this.#reading.readAs(text),
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
