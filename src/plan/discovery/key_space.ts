import type { SearchQuery } from '../../call.ts';
import type { Knowledge, QueryState } from '../../knowledge.ts';
import { withoutDiacritics, wordsOf } from '../../names/folding.ts';
import { ALL_COMPANIES, spreadOver, type WordsInOrder } from '../../names/ordered_texts.ts';
import { SortedWords } from '../../names/ordered_words.ts';
import { findsName, type Semantics } from '../../names/query_matching.ts';
import { CaptureSample } from './capture_sample.ts';
import type { Extensions, KnownTexts, Spread } from './known_texts.ts';
import { generalModel, NameModel } from './name_model.ts';
import { OrderedCounts } from './ordered_counts.ts';
import { PrefixCounts } from './prefix_counts.ts';
import { PrefixTexts } from './prefix_texts.ts';
import { CHARACTER_SEEDS, FIRST_WORDS, IDENTIFIER_SEEDS, isPunctuation, scriptSeeds } from './seeds.ts';
import { UpstreamFolding } from './upstream_folding.ts';
import { WholeWords } from './whole_words.ts';

/** A query's last word, to which extensions add characters, and the known texts in which the word is counted. */
interface LastWord {
  /** The first word and the space after it, or '' if the query is not a pair. */
  readonly prefix: string;
  readonly texts: KnownTexts;
  readonly last: string;
}

/**
 * The known companies' texts, by which the upstream's rule finds them:
 *
 * - names or identifiers by prefix. A query's extensions partition its companies, except for companies whose text equals
 *   the query. A truncated query can therefore be replaced by its extensions, as in the hierarchical crawl of Sheng et
 *   al. (2012);
 * - names by substring. Every substring of a name is a prefix of one of the name's suffixes, of which the first six
 *   characters are counted, or as many as the upstream requires;
 * - names by word or word prefix. If a word's listing is truncated, the word is sent together with a second word
 *   (`limited ac`). Similarly, Sheng et al. add a second attribute to a query with too many results. For each such first
 *   word, the words of its companies are counted in a list of their own.
 *
 * If names match several queries, the queries overlap.
 */
export class KeySpace {
  readonly by: SearchQuery['by'];
  /** Whether one company can match two queries when neither of them extends the other. */
  readonly overlaps: boolean;
  /** Whether a second word can be added to a word with a truncated listing, as in `word second`. */
  readonly takesPairs: boolean;
  readonly #rule: Semantics;
  readonly #minLength: number;
  readonly #knowledge: Knowledge;
  readonly #model: NameModel;
  readonly #upstreamFolding: UpstreamFolding;
  readonly #all: KnownTexts;
  /** The other lists, by the word that all their companies have. */
  readonly #beside = new Map<string, KnownTexts>();
  /** Word lists that were read from the names, because the warehouse has no index for them. */
  readonly #inMemory: SortedWords[] = [];
  /** The known names with diacritics; null until the upstream is known to ignore diacritics. */
  #namesWithDiacritics: string[] | null = null;
  #companies: number;
  readonly #captures = new CaptureSample();

  /** Identifiers are always searched by prefix. */
  constructor(by: SearchQuery['by'], rule: Semantics, minLength: number, knowledge: Knowledge) {
    this.by = by;
    this.#rule = by === 'identifier' ? 'prefix' : rule;
    this.overlaps = this.#rule !== 'prefix';
    this.takesPairs = this.#rule === 'token' || this.#rule === 'token_prefix';
    this.#minLength = minLength;
    this.#knowledge = knowledge;
    this.#companies = knowledge.knownCount();
    this.#model = modelOf(by, this.#rule, minLength);
    this.#upstreamFolding = new UpstreamFolding((query, company) => isMatch(this.#rule, query, company));
    this.#all = this.#open(null);
    const step = Math.max(1, Math.ceil(this.#companies / SAMPLE));
    for (const text of spreadOver(knowledge.textsInOrder(by), step)) {
      this.#learn(text);
      if (this.overlaps) this.#captures.add(text, this.#queriesOf(text));
    }
    this.#recall([...knowledge.queries()].filter(({ query }) => query.by === by));
  }

  get companies(): number {
    return this.#companies;
  }

  /** The number of alphabets that known texts use. A further alphabet adds extensions to many queries. */
  get alphabets(): number {
    return this.#model.alphabets.length;
  }

  /** Returns whether the text begins with a letter of a script that no known text uses. */
  isForeign(text: string): boolean {
    return this.#model.isForeign(text);
  }

  /** Whether most characters in known texts belong to a script with thousands of characters. */
  get hasInventory(): boolean {
    return this.#model.hasInventory;
  }

  /** A counter that increases whenever a company is added or something is learned about the upstream. */
  get revision(): number {
    return this.#companies + this.#upstreamFolding.revision;
  }

  /** Adds a company by its folded name or identifier. */
  add(text: string): void {
    const texts = this.#textsOf(text);
    this.#companies++;
    this.#learn(text);
    if (this.overlaps) this.#captures.add(text, this.#queriesOf(text));
    for (const held of this.#inMemory) held.add(text);
    this.#all.add(texts);
    for (const [word, list] of this.#beside) if (this.#hasWord(text, word)) list.add(texts);
    if (this.#namesWithDiacritics !== null) this.#addDiacritics(this.#namesWithDiacritics, text);
  }

  /** Returns the number of known companies that match the query. */
  known(query: string): number {
    const { texts, last } = this.#lastWordOf(query);
    return texts.known(last);
  }

  /** Records the share of the query's companies that was listed. */
  recordListing(query: string, share: number): void {
    if (this.overlaps) this.#captures.record(query, this.takesPairs ? wordsOf(query) : [query], share);
  }

  /** Returns how much the known companies that match the query resemble unseen companies, from 0 to 1. */
  resemblance(query: string): number {
    if (!this.overlaps) return 1;
    const { last } = this.#lastWordOf(query);
    return this.#captures.resemblance(last);
  }

  /** Returns the number of known companies that match the query but none of its extensions. */
  ending(query: string): number {
    const { texts, last } = this.#lastWordOf(query);
    return texts.ending(last);
  }

  spread(query: string): Spread {
    const { texts, last } = this.#lastWordOf(query);
    return texts.spread(last);
  }

  extensions(query: string, isSent: (query: string) => boolean): Extensions {
    const { prefix, texts, last } = this.#lastWordOf(query);
    const extensions = texts.extensions(last, (word) => isSent(prefix + word));
    if (prefix === '') return extensions;
    return {
      ...extensions,
      offered: extensions.offered.map((one) => ({ ...one, text: prefix + one.text })),
    };
  }

  /**
   * Returns whether to count the words that occur together with this word. All names must be read to count them. In a
   * large registry, they are therefore counted only if many unseen companies have the word, as `unseen` estimates.
   */
  pairsWith(word: string, unseen: () => number): boolean {
    if (!this.takesPairs) return false;
    if (this.#companies <= ALWAYS_READ || this.#beside.has(word)) return true;
    return this.#inMemory.length < MAX_IN_MEMORY && unseen() * NAMES_READ_PER_UNSEEN >= this.#companies;
  }

  /** Returns whether the query matches the company under the assumed query rule. */
  matches(query: string, company: string): boolean {
    return this.#upstreamFolding.matches(query, company);
  }

  /**
   * Learns how the upstream reads characters. `companies` are the folded names or identifiers on one of the query's
   * pages.
   */
  observe(query: string, companies: readonly string[]): void {
    if (this.by === 'name') this.#upstreamFolding.observe(query, companies);
  }

  /**
   * Returns the queries that find every company that this query finds, except this query's own prefixes: every substring
   * of the query or, for a pair such as `limited ac`, its second word.
   */
  covering(query: string): readonly string[] {
    if (this.#rule === 'substring') return innerSubstringsOf(query);
    const space = this.takesPairs ? query.indexOf(' ') : -1;
    if (space === -1) return [];
    const second = query.slice(space + 1);
    return this.#rule === 'token' ? [second] : prefixesOf(second);
  }

  /**
   * Returns whether the upstream reads this query as another query, so that the response shows nothing about this query.
   * A whole word is sent even if it is unknown how the upstream reads it, because no other query is known to find the
   * same companies.
   */
  isAliased(query: string): boolean {
    if (this.#losesSpace(query)) return true;
    const read = this.#upstreamFolding.readAs(query);
    return read === null ? this.#rule !== 'token' : read !== query;
  }

  #losesSpace(query: string): boolean {
    return query.endsWith(' ') && this.#upstreamFolding.dropsSpaces;
  }

  #lastWordOf(query: string): LastWord {
    this.#collectDiacritics();
    const space = this.takesPairs ? query.indexOf(' ') : -1;
    if (space === -1) return { prefix: '', texts: this.#all, last: query };
    const word = query.slice(0, space);
    return { prefix: `${word} `, texts: this.#textsBeside(word), last: query.slice(space + 1) };
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
    const isLongEnough = (query: string) => [...query].length >= this.#minLength;
    const readAs = (query: string) => this.#upstreamFolding.readAs(query);
    const words = this.takesPairs && (this.#rule === 'token' || this.#minLength > 1) ? FIRST_WORDS : [];
    const isFirst = beside === null && this.by === 'name';
    const first = isFirst ? [...words, ...scriptSeeds(this.#rule, this.#minLength)] : [];
    if (this.#rule === 'token')
      return new WholeWords(this.#wordsOf(beside), {
        first,
        beside,
        canBeSent: (word) => isLongEnough(word) && !this.isAliased(word),
      });
    const longest = this.#rule === 'substring' ? this.#substringLength : LONGEST_PREFIX;
    const settings = {
      model: this.#model,
      longest,
      repeats: this.overlaps,
      first,
      readAs,
      // A second word that is a prefix of the first word is not sent, because the pair matches the same companies as the
      // first word alone.
      canBeSent: (query: string) =>
        isLongEnough(query) && !this.#losesSpace(query) && beside?.startsWith(query) !== true,
    };
    if (this.#rule === 'substring') return this.#openSubstrings(settings);
    const texts = this.takesPairs ? this.#wordsOf(beside) : this.#knowledge.textsInOrder(this.by);
    return new PrefixTexts({ ...settings, counts: new OrderedCounts(texts) });
  }

  /** Reads the known names into memory. In a large registry, a sample of the names represents all of them. */
  #openSubstrings(settings: Omit<ConstructorParameters<typeof PrefixTexts>[0], 'counts'>): KnownTexts {
    const texts = new PrefixTexts({ ...settings, counts: new PrefixCounts() });
    const names = this.#knowledge.textsInOrder('name');
    const step = this.#companies <= ALWAYS_READ ? 1 : Math.ceil(this.#companies / SUBSTRING_SAMPLE);
    for (const name of step === 1 ? names.all() : spreadOver(names, step))
      texts.add(this.#suffixesOf(name), step);
    return texts;
  }

  #wordsOf(beside: string | null): WordsInOrder {
    const indexed = beside === null ? this.#knowledge.wordsInOrder() : null;
    if (indexed !== null) return indexed;
    const companies = beside === null ? ALL_COMPANIES : { beside, isWhole: this.#rule === 'token' };
    const names = this.#knowledge.textsInOrder('name').containing(companies.beside);
    const held = new SortedWords(companies, names);
    this.#inMemory.push(held);
    return held;
  }

  #hasWord(name: string, word: string): boolean {
    return findsName(this.#rule, word, name);
  }

  /** Returns the texts of a company's name by which queries find it. */
  *#queriesOf(name: string): Iterable<string> {
    const texts = this.#textsOf(name);
    if (this.#rule === 'token') yield* texts;
    else for (const text of texts) yield* prefixesOf(text);
  }

  #textsOf(text: string): string[] {
    if (this.takesPairs) return wordsOf(text);
    return this.#rule === 'substring' ? this.#suffixesOf(text) : [text];
  }

  /** Returns all of the text's suffixes, each shortened to the characters that are counted. */
  #suffixesOf(text: string): string[] {
    const characters = [...text];
    return characters.map((_, at) => characters.slice(at, at + this.#substringLength).join(''));
  }

  /** The number of characters of a substring that are counted. */
  get #substringLength(): number {
    return Math.max(LONGEST_SUBSTRING, this.#minLength);
  }

  #learn(text: string): void {
    // Whole words are not extended by characters.
    if (this.#rule === 'token') return;
    for (const one of this.takesPairs ? wordsOf(text) : [text]) this.#model.learn(one);
  }

  /**
   * Learns from earlier queries whether the upstream drops a space at the end of a query: the listings for `wood ` and
   * `wood` then have the same total, although known companies match only `wood`.
   */
  #recall(states: readonly QueryState[]): void {
    const totals = new Map(states.map(({ query, total }) => [query.text, total]));
    for (const { query, total } of states) {
      const shorter = query.text.trimEnd();
      if (shorter === query.text || total === null || total !== totals.get(shorter)) continue;
      if (this.known(shorter) > this.known(query.text)) this.#upstreamFolding.noteDroppedSpace();
    }
  }

  /** Also counts the known names without diacritics, once the upstream is known to ignore diacritics. */
  #collectDiacritics(): void {
    if (this.#namesWithDiacritics !== null || !this.#upstreamFolding.ignoresDiacritics) return;
    const collected: string[] = [];
    this.#namesWithDiacritics = collected;
    if (this.#companies > MOST_WITHOUT_DIACRITICS) return;
    for (const name of this.#knowledge.textsInOrder('name').all()) this.#addDiacritics(collected, name);
  }

  #addDiacritics(namesWithDiacritics: string[], name: string): void {
    if (withoutDiacritics(name) === name) return;
    if (this.takesPairs) namesWithDiacritics.push(name);
    this.#addWithoutDiacritics(this.#all, null, name);
    for (const [word, texts] of this.#beside) this.#addWithoutDiacritics(texts, word, name);
  }

  #addWithoutDiacritics(texts: KnownTexts, beside: string | null, name: string): void {
    const plain = withoutDiacritics(name);
    if (beside !== null && !this.#hasWord(plain, beside)) return;
    const isCounted = beside === null || this.#hasWord(name, beside);
    texts.addWithoutDiacritics(isCounted ? this.#textsOf(name) : [], this.#textsOf(plain));
  }
}

/**
 * Creates the name model. For the substring rule, it has a general model only if queries must have three characters or
 * more: without it, no first query in Latin letters is likely. Otherwise, common words led to more queries without a new
 * company at the end of discovery.
 */
function modelOf(by: SearchQuery['by'], rule: Semantics, minLength: number): NameModel {
  if (by === 'identifier') return new NameModel(IDENTIFIER_SEEDS, true);
  if (rule === 'substring')
    return new NameModel(CHARACTER_SEEDS, false, minLength > 2 ? generalModel() : null);
  return new NameModel(rule === 'prefix' ? CHARACTER_SEEDS : WORD_CHARACTERS, true, generalModel());
}

/** Word queries find no punctuation, but some upstreams find it anywhere in a name. */
function isMatch(rule: Semantics, query: string, company: string): boolean {
  if (rule === 'prefix') return company.startsWith(query);
  const isInside = rule !== 'substring' && isPunctuation(query);
  return isInside ? company.includes(query) : findsName(rule, query, company);
}

/** Returns the substrings that do not begin at the first character. */
function innerSubstringsOf(text: string): string[] {
  const [, ...inner] = [...text];
  return inner.flatMap((_, from) => prefixesOf(inner.slice(from).join('')));
}

function prefixesOf(text: string): string[] {
  const characters = [...text];
  return characters.map((_, at) => characters.slice(0, at + 1).join(''));
}

const LONGEST_PREFIX = 24;
// Six characters distinguish most names, and longer substrings would need more memory.
const LONGEST_SUBSTRING = 6;
const SAMPLE = 5_000;
const SUBSTRING_SAMPLE = 50_000;
/** If more companies than this are known, reading all their names takes too long. */
const ALWAYS_READ = 100_000;
/** If more companies than this are known, their names are not read again to count them without diacritics. */
const MOST_WITHOUT_DIACRITICS = 2_000_000;
const NAMES_READ_PER_UNSEEN = 5_000;
const MAX_IN_MEMORY = 64;
const WORD_CHARACTERS = CHARACTER_SEEDS.filter(({ text }) => !isPunctuation(text));
