import type { Knowledge } from '../../knowledge.ts';
import { withoutDiacritics, wordsOf } from '../../names/folding.ts';
import { ALL_COMPANIES, type CompaniesWith, type WordsInOrder } from '../../names/ordered_texts.ts';
import { SortedWords } from '../../names/ordered_words.ts';
import { findsName } from '../../names/query_matching.ts';
import type { KnownTexts } from './key_space.ts';
import type { NameModel } from './name_model.ts';
import { OrderedCounts } from './ordered_counts.ts';
import { PrefixTexts } from './prefix_texts.ts';
import { FIRST_WORDS, scriptSeeds } from './seeds.ts';
import { MOST_WITHOUT_DIACRITICS, type UpstreamFolding } from './upstream_folding.ts';
import { WholeWords } from './whole_words.ts';

export type WordSemantics = 'token' | 'token_prefix';

/** A query's last word, to which extensions add characters, and the known texts in which the word is counted. */
export interface LastWord {
  /** The first word and the space after it, or '' if the query has only one word. */
  readonly prefix: string;
  readonly texts: KnownTexts;
  readonly last: string;
}

/**
 * The words in known names, in several lists. One list holds the words of all companies. Each of the other lists holds
 * the words of the companies with one particular word, so that pairs can be counted. For example, `limited ac` matches
 * companies with `limited` and another word that begins with `ac`.
 */
export class WordTexts {
  readonly #semantics: WordSemantics;
  readonly #minLength: number;
  readonly #knowledge: Knowledge;
  readonly #model: NameModel;
  readonly #upstreamFolding: UpstreamFolding;
  readonly #all: KnownTexts;
  /** The other lists, by the word that all their companies have. */
  readonly #beside = new Map<string, KnownTexts>();
  /** The known names with diacritics; null until the upstream is known to ignore diacritics. */
  #namesWithDiacritics: string[] | null = null;
  /** Word lists that were read from the names, because the warehouse has no index for them. */
  readonly #inMemory: SortedWords[] = [];
  #companies: number;

  constructor(options: {
    readonly semantics: WordSemantics;
    readonly minLength: number;
    readonly knowledge: Knowledge;
    readonly model: NameModel;
    readonly upstreamFolding: UpstreamFolding;
  }) {
    this.#semantics = options.semantics;
    this.#minLength = options.minLength;
    this.#knowledge = options.knowledge;
    this.#model = options.model;
    this.#upstreamFolding = options.upstreamFolding;
    this.#all = this.#open(null);
    this.#companies = options.knowledge.knownCount();
  }

  get companies(): number {
    return this.#companies;
  }

  add(name: string): void {
    const words = wordsOf(name);
    this.#companies++;
    for (const held of this.#inMemory) held.add(name);
    this.#all.add(words);
    for (const [word, texts] of this.#beside) if (this.#hasWord(name, word)) texts.add(words);
    if (this.#namesWithDiacritics !== null) this.#addName(this.#namesWithDiacritics, name);
  }

  lastWordOf(query: string): LastWord {
    this.#collectDiacritics();
    const space = query.indexOf(' ');
    if (space === -1) return { prefix: '', texts: this.#all, last: query };
    const word = query.slice(0, space);
    return { prefix: `${word} `, texts: this.#textsBeside(word), last: query.slice(space + 1) };
  }

  /**
   * Returns whether to count the words that occur together with this word. Without an index, all names must be read to
   * count them. In a large registry, they are therefore counted only if many unseen companies have the word.
   */
  pairsWith(word: string, unseen: () => number): boolean {
    if (this.#companies <= ALWAYS_READ || this.#beside.has(word)) return true;
    if (this.#knowledge.wordsInOrder(this.#companiesWith(word)) !== null) return true;
    return this.#inMemory.length < MAX_IN_MEMORY && unseen() * NAMES_READ_PER_UNSEEN >= this.#companies;
  }

  #textsBeside(word: string): KnownTexts {
    const existing = this.#beside.get(word);
    if (existing !== undefined) return existing;
    const texts = this.#open(word);
    for (const name of this.#namesWithDiacritics ?? []) this.#addWithoutDiacritics(texts, word, name);
    this.#beside.set(word, texts);
    return texts;
  }

  /** Opens a list. `beside` is the word that all companies in the list have; null for the list of all companies. */
  #open(beside: string | null): KnownTexts {
    const isAll = beside === null;
    const first = isAll ? [...FIRST_WORDS, ...scriptSeeds(this.#semantics, this.#minLength)] : [];
    const words = this.#wordsOf(beside === null ? ALL_COMPANIES : this.#companiesWith(beside));
    if (this.#semantics === 'token') return new WholeWords(words, first, beside);
    return new PrefixTexts({
      ...{ counts: new OrderedCounts(words, LONGEST), model: this.#model, longest: LONGEST, repeats: true },
      first: this.#minLength > 1 ? first : [],
      // A second word that is a prefix of the first word is not sent, because the pair matches the same companies as
      // the first word alone.
      canBeSent: (query) => [...query].length >= this.#minLength && beside?.startsWith(query) !== true,
      readAs: (query) => this.#upstreamFolding.readAs(query),
    });
  }

  #wordsOf(companies: CompaniesWith): WordsInOrder {
    const indexed = this.#knowledge.wordsInOrder(companies);
    if (indexed !== null) return indexed;
    const held = new SortedWords(
      companies,
      this.#knowledge.textsInOrder('name').containing(companies.beside),
    );
    this.#inMemory.push(held);
    return held;
  }

  #companiesWith(word: string): CompaniesWith {
    return { beside: word, isWhole: this.#semantics === 'token' };
  }

  #hasWord(name: string, word: string): boolean {
    return findsName(this.#semantics, word, name);
  }

  /** Also counts the known names without diacritics, once the upstream is known to ignore diacritics. */
  #collectDiacritics(): void {
    if (this.#namesWithDiacritics !== null || !this.#upstreamFolding.ignoresDiacritics) return;
    const collected: string[] = [];
    this.#namesWithDiacritics = collected;
    if (this.#companies > MOST_WITHOUT_DIACRITICS) return;
    for (const name of this.#knowledge.textsInOrder('name').all()) this.#addName(collected, name);
  }

  #addName(namesWithDiacritics: string[], name: string): void {
    if (withoutDiacritics(name) === name) return;
    namesWithDiacritics.push(name);
    this.#addWithoutDiacritics(this.#all, null, name);
    for (const [word, texts] of this.#beside) this.#addWithoutDiacritics(texts, word, name);
  }

  #addWithoutDiacritics(texts: KnownTexts, beside: string | null, name: string): void {
    const plain = withoutDiacritics(name);
    if (beside !== null && !this.#hasWord(plain, beside)) return;
    const isCounted = beside === null || this.#hasWord(name, beside);
    texts.addWithoutDiacritics(isCounted ? wordsOf(name) : [], wordsOf(plain));
  }
}

const LONGEST = 24;
const ALWAYS_READ = 100_000;
const NAMES_READ_PER_UNSEEN = 5_000;
const MAX_IN_MEMORY = 64;
