import type { SearchQuery } from '../../call.ts';
import { withoutMarks } from '../../folding.ts';
import type { Knowledge } from '../knowledge.ts';
import { findsName } from '../matching.ts';
import { spreadOver } from '../texts_in_order.ts';
import { Beginnings } from './beginnings.ts';
import { generalModel } from './common_words.ts';
import type { Counts, Extensions, Field, Spread } from './field.ts';
import { NameModel } from './name_model.ts';
import { OrderedCounts } from './ordered_counts.ts';
import { MOST_UNMARKED, Reading } from './reading.ts';
import { characterSeeds, identifierSeeds } from './seeds.ts';
import { TextCounts } from './text_counts.ts';

/** A field searched by how it begins, or by what it contains. */
export class TextField implements Field {
  readonly by: SearchQuery['by'];
  readonly overlaps: boolean;
  readonly takesPairs = false;
  readonly #semantics: 'prefix' | 'substring';
  readonly #model: NameModel;
  readonly #texts: Beginnings;
  #companies = 0;
  /** Does the upstream heed a space at the end of a text? null: not seen yet. */
  #heedsSpaces: boolean | null = null;
  /** How often that came out otherwise than before. */
  #spacesLearned = 0;
  readonly #reading: Reading;
  readonly #knowledge: Knowledge;
  /** Was it counted what known companies are found by where marks are overlooked? */
  #isUnmarkedCounted = false;

  private constructor(
    by: SearchQuery['by'],
    semantics: 'prefix' | 'substring',
    minLength: number,
    knowledge: Knowledge,
    counts: Counts,
  ) {
    this.by = by;
    this.#knowledge = knowledge;
    this.#reading = new Reading((text, company) => isFoundBy(semantics, text, company));
    this.overlaps = semantics === 'substring';
    this.#semantics = semantics;
    this.#model = modelOf(by, semantics);
    this.#texts = new Beginnings({
      counts,
      model: this.#model,
      longest: semantics === 'prefix' ? LONGEST : LONGEST_INNER,
      repeats: semantics === 'substring',
      first: [],
      canBeAsked: (text) => !this.#losesSpace(text) && [...text].length >= minLength,
      readAs: (text) => this.#reading.readAs(text),
    });
  }

  /** Names or identifiers searched by how they begin: an index counts them, and what they are like is read off a sample. */
  static byBeginning(by: SearchQuery['by'], minLength: number, knowledge: Knowledge): TextField {
    const counts = new OrderedCounts(knowledge.textsInOrder(by), LONGEST);
    const field = new TextField(by, 'prefix', minLength, knowledge, counts);
    field.#companies = knowledge.knownCount();
    for (const text of counts.sample(SAMPLE)) field.#model.learn(text);
    return field;
  }

  /** Names searched by what they contain: all that is known is read. */
  static byPart(minLength: number, knowledge: Knowledge): TextField {
    const field = new TextField('name', 'substring', minLength, knowledge, new TextCounts());
    field.#companies = knowledge.knownCount();
    const names = knowledge.textsInOrder('name');
    for (const name of spreadOver(names, Math.ceil(field.#companies / SAMPLE))) field.#model.learn(name);
    for (const name of names.all()) field.#count(name);
    return field;
  }

  get companies(): number {
    return this.#companies;
  }

  get lessons(): number {
    return this.#companies + this.#reading.lessons + this.#spacesLearned;
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
    return this.#reading.finds(text, company);
  }

  observe(text: string, companies: readonly string[]): void {
    if (this.by === 'name') this.#reading.observe(text, companies);
    if (!text.endsWith(' ') || companies.length === 0) return;
    const heedsSpaces = companies.every((company) => company.includes(text));
    if (heedsSpaces !== this.#heedsSpaces) this.#spacesLearned++;
    this.#heedsSpaces = heedsSpaces;
  }

  pairsWith(): boolean {
    return false;
  }

  isBlurred(text: string): boolean {
    return this.#losesSpace(text) || this.#reading.readAs(text) !== text;
  }

  #losesSpace(text: string): boolean {
    return text.endsWith(' ') && this.#heedsSpaces === false;
  }

  #count(text: string): void {
    this.#texts.add(this.#textsOf(text));
    if (this.#isUnmarkedCounted) this.#countUnmarked(text);
  }

  #counted(): Beginnings {
    if (this.#isUnmarkedCounted || !this.#reading.overlooksMarks) return this.#texts;
    this.#isUnmarkedCounted = true;
    if (this.#companies <= MOST_UNMARKED)
      for (const name of this.#knowledge.textsInOrder(this.by).all()) this.#countUnmarked(name);
    return this.#texts;
  }

  #countUnmarked(name: string): void {
    const unmarked = withoutMarks(name);
    if (unmarked !== name) this.#texts.addUnmarked(this.#textsOf(name), this.#textsOf(unmarked));
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
