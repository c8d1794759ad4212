import type { SearchQuery } from '../../call.ts';
import type { Knowledge } from '../../knowledge.ts';
import { withoutDiacritics } from '../../names/folding.ts';
import { spreadOver } from '../../names/ordered_texts.ts';
import { findsName } from '../../names/query_matching.ts';
import { generalModel } from './common_words.ts';
import type { Counts, Extensions, KeySpace, Spread } from './key_space.ts';
import { NameModel } from './name_model.ts';
import { OrderedCounts } from './ordered_counts.ts';
import { PrefixCounts } from './prefix_counts.ts';
import { PrefixTexts } from './prefixes.ts';
import { characterSeeds, identifierSeeds } from './query_seeds.ts';
import { MOST_WITHOUT_DIACRITICS, UpstreamFolding } from './upstream_folding.ts';

/** A field searched by how it begins, or by what it contains. */
export class TextKeySpace implements KeySpace {
  readonly by: SearchQuery['by'];
  readonly overlaps: boolean;
  readonly takesPairs = false;
  readonly #semantics: 'prefix' | 'substring';
  readonly #model: NameModel;
  readonly #texts: PrefixTexts;
  #companies = 0;
  /** Does the upstream heed a space at the end of a text? null: not seen yet. */
  #heedsSpaces: boolean | null = null;
  /** How often that came out otherwise than before. */
  #spacesLearned = 0;
  readonly #upstreamFolding: UpstreamFolding;
  readonly #knowledge: Knowledge;
  /** Was it counted what known companies are found by where marks are overlooked? */
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
    this.#upstreamFolding = new UpstreamFolding((text, company) => isFoundBy(semantics, text, company));
    this.overlaps = semantics === 'substring';
    this.#semantics = semantics;
    this.#model = modelOf(by, semantics);
    this.#texts = new PrefixTexts({
      counts,
      model: this.#model,
      longest: semantics === 'prefix' ? LONGEST : LONGEST_INNER,
      repeats: semantics === 'substring',
      first: [],
      canBeAsked: (text) => !this.#losesSpace(text) && [...text].length >= minLength,
      readAs: (text) => this.#upstreamFolding.readAs(text),
    });
  }

  /** Names or identifiers searched by how they begin: an index counts them, and what they are like is read off a sample. */
  static byPrefix(by: SearchQuery['by'], minLength: number, knowledge: Knowledge): TextKeySpace {
    const counts = new OrderedCounts(knowledge.textsInOrder(by), LONGEST);
    const keySpace = new TextKeySpace(by, 'prefix', minLength, knowledge, counts);
    keySpace.#companies = knowledge.knownCount();
    for (const text of counts.sample(SAMPLE)) keySpace.#model.learn(text);
    return keySpace;
  }

  /** Names searched by what they contain: all that is known is read. */
  static byPart(minLength: number, knowledge: Knowledge): TextKeySpace {
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

  get revision(): number {
    return this.#companies + this.#upstreamFolding.revision + this.#spacesLearned;
  }

  see(text: string): void {
    this.#companies++;
    this.#model.learn(text);
    this.#count(text);
  }

  known(text: string): number {
    return this.#counted().known(text);
  }

  ending(text: string): number {
    return this.#counted().ending(text);
  }

  spread(text: string): Spread {
    return this.#counted().spread(text);
  }

  extensions(text: string, isAsked: (text: string) => boolean): Extensions {
    return this.#counted().extensions(text, isAsked);
  }

  finds(text: string, company: string): boolean {
    return this.#upstreamFolding.finds(text, company);
  }

  observe(text: string, companies: readonly string[]): void {
    if (this.by === 'name') this.#upstreamFolding.observe(text, companies);
    if (!text.endsWith(' ') || companies.length === 0) return;
    const heedsSpaces = companies.every((company) => company.includes(text));
    if (heedsSpaces !== this.#heedsSpaces) this.#spacesLearned++;
    this.#heedsSpaces = heedsSpaces;
  }

  pairsWith(): boolean {
    return false;
  }

  isAliased(text: string): boolean {
    return this.#losesSpace(text) || this.#upstreamFolding.readAs(text) !== text;
  }

  #losesSpace(text: string): boolean {
    return text.endsWith(' ') && this.#heedsSpaces === false;
  }

  #count(text: string): void {
    this.#texts.add(this.#textsOf(text));
    if (this.#isCountedWithoutDiacritics) this.#countWithoutDiacritics(text);
  }

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
    return this.#semantics === 'prefix' ? [text] : innerTexts(text);
  }
}

/** Where it is searched by what it contains, common words would only cost searches at the end. */
function modelOf(by: SearchQuery['by'], semantics: 'prefix' | 'substring'): NameModel {
  if (by === 'identifier') return new NameModel(identifierSeeds(), true);
  return semantics === 'prefix'
    ? new NameModel(characterSeeds(), true, generalModel())
    : new NameModel(characterSeeds(), false);
}

function isFoundBy(semantics: 'prefix' | 'substring', text: string, company: string): boolean {
  return semantics === 'prefix' ? company.startsWith(text) : findsName('substring', text, company);
}

function innerTexts(text: string): string[] {
  const characters = [...text];
  return characters.map((_, at) => characters.slice(at, at + LONGEST_INNER).join(''));
}

const LONGEST = 24;
// Six characters tell names apart well enough, and what names contain multiplies.
const LONGEST_INNER = 6;
const SAMPLE = 5_000;
