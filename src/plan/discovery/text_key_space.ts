import type { SearchQuery } from '../../call.ts';
import type { Knowledge, QueryState } from '../../knowledge.ts';
import { withoutDiacritics } from '../../names/folding.ts';
import { spreadOver } from '../../names/ordered_texts.ts';
import { findsName } from '../../names/query_matching.ts';
import type { Counts, Extensions, KeySpace, Spread } from './key_space.ts';
import { generalModel, NameModel } from './name_model.ts';
import { OrderedCounts } from './ordered_counts.ts';
import { PrefixCounts } from './prefix_counts.ts';
import { PrefixTexts } from './prefix_texts.ts';
import { CHARACTER_SEEDS, IDENTIFIER_SEEDS, scriptSeeds } from './seeds.ts';
import { MOST_WITHOUT_DIACRITICS, UpstreamFolding } from './upstream_folding.ts';

/**
 * A key space for queries that match names or identifiers by prefix, or names by substring.
 *
 * If queries match by prefix, a query's extensions partition its companies, except for companies whose text equals the
 * query. A truncated query can therefore be replaced by its extensions, as in the hierarchical crawl of Sheng et al.
 * (2012). Every substring of a name is a prefix of one of the name's suffixes. A suffix trie therefore counts the
 * companies for each substring of up to six characters.
 */
export class TextKeySpace implements KeySpace {
  readonly by: SearchQuery['by'];
  readonly overlaps: boolean;
  readonly takesPairs = false;
  readonly #semantics: 'prefix' | 'substring';
  readonly #model: NameModel;
  readonly #texts: PrefixTexts;
  #companies = 0;
  /** Whether a space at the end of a query changes the upstream's result; null if unknown. */
  #countsSpaces: boolean | null = null;
  /** The number of times that `#countsSpaces` has changed. */
  #spaceChanges = 0;
  readonly #upstreamFolding: UpstreamFolding;
  readonly #knowledge: Knowledge;
  /** Whether the known companies' texts are also counted without diacritics. */
  #isCountedWithoutDiacritics = false;

  private constructor(
    by: SearchQuery['by'],
    semantics: 'prefix' | 'substring',
    minLength: number,
    knowledge: Knowledge,
    counts: Counts,
  ) {
    this.by = by;
    this.#knowledge = knowledge;
    this.#upstreamFolding = new UpstreamFolding((query, company) => isMatch(semantics, query, company));
    this.overlaps = semantics === 'substring';
    this.#semantics = semantics;
    this.#model = modelOf(by, semantics);
    this.#texts = new PrefixTexts({
      counts,
      model: this.#model,
      longest: semantics === 'prefix' ? LONGEST_PREFIX : LONGEST_SUBSTRING,
      repeats: semantics === 'substring',
      first: by === 'name' ? scriptSeeds(semantics, minLength) : [],
      canBeSent: (query) => !this.#losesSpace(query) && [...query].length >= minLength,
      readAs: (query) => this.#upstreamFolding.readAs(query),
    });
  }

  /**
   * Opens a key space for the prefix rule. An index counts the texts, and a sample of the texts trains the name model.
   */
  static byPrefix(by: SearchQuery['by'], minLength: number, knowledge: Knowledge): TextKeySpace {
    const counts = new OrderedCounts(knowledge.textsInOrder(by), LONGEST_PREFIX);
    const keySpace = new TextKeySpace(by, 'prefix', minLength, knowledge, counts);
    keySpace.#companies = knowledge.knownCount();
    for (const text of counts.sample(SAMPLE)) keySpace.#model.learn(text);
    return keySpace;
  }

  /** Opens a key space for the substring rule. All known names are read into memory. */
  static bySubstring(minLength: number, knowledge: Knowledge): TextKeySpace {
    const keySpace = new TextKeySpace('name', 'substring', minLength, knowledge, new PrefixCounts());
    keySpace.#companies = knowledge.knownCount();
    const names = knowledge.textsInOrder('name');
    for (const name of spreadOver(names, Math.ceil(keySpace.#companies / SAMPLE)))
      keySpace.#model.learn(name);
    for (const name of names.all()) keySpace.#count(name);
    return keySpace;
  }

  get companies(): number {
    return this.#companies;
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
    return this.#companies + this.#upstreamFolding.revision + this.#spaceChanges;
  }

  add(text: string): void {
    this.#companies++;
    this.#model.learn(text);
    this.#count(text);
  }

  known(query: string): number {
    return this.#counted().known(query);
  }

  ending(query: string): number {
    return this.#counted().ending(query);
  }

  spread(query: string): Spread {
    return this.#counted().spread(query);
  }

  extensions(query: string, isSent: (query: string) => boolean): Extensions {
    return this.#counted().extensions(query, isSent);
  }

  matches(query: string, company: string): boolean {
    return this.#upstreamFolding.matches(query, company);
  }

  observe(query: string, companies: readonly string[]): void {
    if (this.by === 'name') this.#upstreamFolding.observe(query, companies);
    if (!query.endsWith(' ') || companies.length === 0) return;
    this.#learnSpaces(companies.every((company) => company.includes(query)));
  }

  /**
   * Learns whether the upstream ignores a space at the end of a query. If it does not, the total for `wood` exceeds the
   * total for `wood ` by at least the number of known companies that match only `wood`.
   */
  recall(states: readonly QueryState[]): void {
    const totals = new Map(states.map(({ query, total }) => [query.text, total]));
    for (const { query, rows, total } of states) {
      const { text } = query;
      if (!text.endsWith(' ')) continue;
      const known = this.known(text);
      const trimmed = text.trimEnd();
      const trimmedTotal = totals.get(trimmed) ?? null;
      const isSameListing =
        total !== null && trimmedTotal !== null && total + this.known(trimmed) - known > trimmedTotal;
      if (known < rows || isSameListing) this.#learnSpaces(false);
    }
  }

  #learnSpaces(countsSpaces: boolean): void {
    if (countsSpaces !== this.#countsSpaces) this.#spaceChanges++;
    this.#countsSpaces = countsSpaces;
  }

  pairsWith(): boolean {
    return false;
  }

  /** Every substring of a query finds all companies that the query finds. */
  covering(query: string): readonly string[] {
    return this.#semantics === 'substring' ? innerSubstringsOf(query) : [];
  }

  isAliased(query: string): boolean {
    return this.#losesSpace(query) || this.#upstreamFolding.readAs(query) !== query;
  }

  #losesSpace(query: string): boolean {
    return query.endsWith(' ') && this.#countsSpaces === false;
  }

  #count(text: string): void {
    this.#texts.add(this.#textsOf(text));
    if (this.#isCountedWithoutDiacritics) this.#countWithoutDiacritics(text);
  }

  /**
   * Returns the counted texts. Once the upstream is known to ignore diacritics, they include the texts without
   * diacritics.
   */
  #counted(): PrefixTexts {
    if (this.#isCountedWithoutDiacritics || !this.#upstreamFolding.ignoresDiacritics) return this.#texts;
    this.#isCountedWithoutDiacritics = true;
    if (this.#companies <= MOST_WITHOUT_DIACRITICS)
      for (const name of this.#knowledge.textsInOrder(this.by).all()) this.#countWithoutDiacritics(name);
    return this.#texts;
  }

  #countWithoutDiacritics(name: string): void {
    const plain = withoutDiacritics(name);
    if (plain !== name) this.#texts.addWithoutDiacritics(this.#textsOf(name), this.#textsOf(plain));
  }

  #textsOf(text: string): string[] {
    return this.#semantics === 'prefix' ? [text] : suffixesOf(text);
  }
}

/**
 * Creates the name model. For the substring rule, it has no general model, because common words led to more queries
 * without a new company at the end of discovery.
 */
function modelOf(by: SearchQuery['by'], semantics: 'prefix' | 'substring'): NameModel {
  if (by === 'identifier') return new NameModel(IDENTIFIER_SEEDS, true);
  return semantics === 'prefix'
    ? new NameModel(CHARACTER_SEEDS, true, generalModel())
    : new NameModel(CHARACTER_SEEDS, false);
}

function isMatch(semantics: 'prefix' | 'substring', query: string, company: string): boolean {
  return semantics === 'prefix' ? company.startsWith(query) : findsName('substring', query, company);
}

/** Returns all of the text's suffixes, each shortened to at most six characters. */
function suffixesOf(text: string): string[] {
  const characters = [...text];
  return characters.map((_, at) => characters.slice(at, at + LONGEST_SUBSTRING).join(''));
}

/** Returns the substrings that do not begin at the first character. */
function innerSubstringsOf(text: string): string[] {
  const characters = [...text];
  const ends = characters.map((_, at) => at + 1);
  return characters.flatMap((_, from) =>
    from === 0 ? [] : ends.filter((to) => to > from).map((to) => characters.slice(from, to).join('')),
  );
}

const LONGEST_PREFIX = 24;
// Six characters distinguish most names, and longer substrings would need more memory.
const LONGEST_SUBSTRING = 6;
const SAMPLE = 5_000;
