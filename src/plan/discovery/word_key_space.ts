import type { Knowledge } from '../../knowledge.ts';
import { wordsOf } from '../../names/folding.ts';
import { spreadOver } from '../../names/ordered_texts.ts';
import { findsName } from '../../names/query_matching.ts';
import type { Extensions, KeySpace, Spread } from './key_space.ts';
import { generalModel, NameModel } from './name_model.ts';
import { CHARACTER_SEEDS, isPunctuation } from './seeds.ts';
import { UpstreamFolding } from './upstream_folding.ts';
import { type WordSemantics, WordTexts } from './word_texts.ts';

/**
 * A key space for queries that match names by word or by word prefix. The queries overlap, because a name has several
 * words. If a word's listing is truncated, the word is sent together with a second word (`limited ac`). Similarly,
 * Sheng et al. (2012) add a second attribute to a query with too many results.
 */
export class WordKeySpace implements KeySpace {
  readonly by = 'name';
  readonly overlaps = true;
  readonly takesPairs = true;
  readonly #semantics: WordSemantics;
  readonly #model = new NameModel(WORD_CHARACTERS, true, generalModel());
  readonly #words: WordTexts;
  readonly #minLength: number;
  readonly #upstreamFolding: UpstreamFolding;

  constructor(semantics: WordSemantics, minLength: number, knowledge: Knowledge) {
    this.#semantics = semantics;
    this.#minLength = minLength;
    this.#upstreamFolding = new UpstreamFolding((query, company) =>
      isPunctuation(query) ? company.includes(query) : findsName(semantics, query, company),
    );
    this.#words = new WordTexts({
      ...{ semantics, minLength, knowledge, model: this.#model, upstreamFolding: this.#upstreamFolding },
    });
    if (semantics === 'token') return;
    const step = Math.ceil(this.companies / SAMPLE);
    for (const name of spreadOver(knowledge.textsInOrder('name'), step)) this.#learn(name);
  }

  get companies(): number {
    return this.#words.companies;
  }

  get alphabets(): number {
    return this.#model.alphabets.length;
  }

  isForeign(text: string): boolean {
    return this.#model.isForeign(text);
  }

  get hasInventory(): boolean {
    return this.#model.hasInventory;
  }

  get revision(): number {
    return this.companies + this.#upstreamFolding.revision;
  }

  add(name: string): void {
    if (this.#semantics === 'token_prefix') this.#learn(name);
    this.#words.add(name);
  }

  known(query: string): number {
    const { texts, last } = this.#words.lastWordOf(query);
    return texts.known(last);
  }

  ending(query: string): number {
    const { texts, last } = this.#words.lastWordOf(query);
    return texts.ending(last);
  }

  spread(query: string): Spread {
    const { texts, last } = this.#words.lastWordOf(query);
    return texts.spread(last);
  }

  extensions(query: string, isSent: (query: string) => boolean): Extensions {
    const { prefix, texts, last } = this.#words.lastWordOf(query);
    const isExcluded = (word: string) => {
      const text = prefix + word;
      return isSent(text) || this.isAliased(text) || [...text].length < this.#minLength;
    };
    const extensions = texts.extensions(last, isExcluded);
    return {
      ...extensions,
      offered: extensions.offered.map((one) => ({ ...one, text: prefix + one.text })),
    };
  }

  pairsWith(word: string, unseen: () => number): boolean {
    return this.#words.pairsWith(word, unseen);
  }

  matches(query: string, company: string): boolean {
    return this.#upstreamFolding.matches(query, company);
  }

  observe(query: string, companies: readonly string[]): void {
    this.#upstreamFolding.observe(query, companies);
  }

  recall(): void {}

  /** A pair finds only companies that its second word also finds. */
  covering(query: string): readonly string[] {
    const space = query.indexOf(' ');
    if (space === -1) return [];
    const second = query.slice(space + 1);
    return this.#semantics === 'token' ? [second] : prefixesOf(second);
  }

  /**
   * A whole word is sent even if it is unknown how the upstream reads it, because no other query is known to find the
   * same companies.
   */
  isAliased(query: string): boolean {
    const read = this.#upstreamFolding.readAs(query);
    return read === null ? this.#semantics !== 'token' : read !== query;
  }

  #learn(name: string): void {
    for (const word of wordsOf(name)) this.#model.learn(word);
  }
}

function prefixesOf(word: string): string[] {
  return Array.from(word, (_, at) => word.slice(0, at + 1));
}

const SAMPLE = 2_000;
const WORD_CHARACTERS = CHARACTER_SEEDS.filter(({ text }) => !isPunctuation(text));
