import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, QueryState } from '../../knowledge.ts';
import { isAscii } from '../../names/folding.ts';
import { spreadOver } from '../../names/ordered_texts.ts';
import { findsName, semanticsOf } from '../../names/query_matching.ts';
import {
  CHARACTER_GROUPS,
  isPunctuation,
  type Script,
  scriptOf,
  scriptsAmong,
  scriptsIn,
} from './first_characters.ts';

/** First characters that no query has tried, in the order of their groups. */
export class FirstLooks {
  readonly #untried: { readonly text: string; readonly isDue: boolean; readonly isForLatin: boolean }[];
  readonly #scripts = new Set<Script>();
  /** Different characters of scripts that have thousands. */
  readonly #ofThousands = new Set<string>();
  /** More names use such a script than do not, if positive. */
  #surplus = 0;
  /** Punctuation whose queries should match known names. */
  readonly #punctuation = new Set<string>();
  readonly #fits: (character: string, name: string) => boolean;

  constructor(knowledge: Knowledge, dialect: Dialect) {
    const asked = new Map<string, QueryState>();
    for (const state of knowledge.queries())
      if (state.query.by === 'name') asked.set(state.query.text, state);
    const semantics = semanticsOf(dialect);
    const isWhole = semantics === 'token';
    const isAsked = (text: string) => asked.has(text) || dialect.search.min_length > 1;
    this.#fits = fitOf(dialect);
    this.#untried = CHARACTER_GROUPS.filter(
      ({ precedes, script }) => precedes !== 'never' && !(isWhole && script),
    )
      .toSorted((one, other) => one.rank - other.rank)
      .flatMap(({ characters, isDue, precedes }) =>
        characters.map((text) => ({ text, isDue, isForLatin: precedes !== 'always' })),
      )
      .filter(({ text }) => !isAsked(text));
    const names = knowledge.textsInOrder('name');
    for (const script of scriptsAmong(names)) this.#scripts.add(script);
    const isByWords = isWhole || semantics === 'token_prefix';
    const places = Math.ceil(knowledge.knownCount() / SAMPLE);
    if (isByWords || this.#scripts.has('cjk') || this.#scripts.has('hangul'))
      for (const name of spreadOver(names, places)) this.see(name);
    for (const text of asked.keys())
      if (isPunctuation(text) && names.at(text, 0)?.startsWith(text)) this.#punctuation.add(text);
    for (const [text, { status, rows }] of asked)
      if (status === 'refused' || (status === 'complete' && rows === 0)) this.#foundNone(text);
  }

  /** A company became known; its folded name. */
  see(name: string): void {
    const scripts = scriptsIn(name);
    for (const script of scripts) this.#scripts.add(script);
    this.#surplus += scripts.includes('cjk') || scripts.includes('hangul') ? 1 : -1;
    for (const character of name) {
      if (isPunctuation(character) && this.#fits(character, name)) this.#punctuation.add(character);
      const script = isAscii(character) ? null : scriptOf(character);
      if (script === 'cjk' || script === 'hangul') this.#ofThousands.add(character);
    }
  }

  /** Are most known names written in a script of thousands of characters? */
  get isOfThousands(): boolean {
    return this.#surplus > 0 && this.#ofThousands.size >= FEWEST_OF_THOUSANDS;
  }

  answered({ query: { text }, status, rows }: QueryState, names: readonly string[]): void {
    this.#tried(text);
    if (!isPunctuation(text)) return;
    const fitting = names.filter((name) => name.includes(text)).length;
    if (status === 'refused' || rows === 0 || 2 * fitting < names.length) this.#foundNone(text);
  }

  /** Does no known name use the script of this text? */
  isForeign(text: string): boolean {
    const script = scriptOf(text);
    return script !== null && this.#scripts.size > 0 && !this.#scripts.has(script);
  }

  /** The next character to try before a foreign script; null: all were tried. */
  next(isOpen: (text: string) => boolean): string | null {
    const isLatin = this.#isLatin;
    return (
      this.#untried.find(({ text, isForLatin }) => (isLatin || !isForLatin) && isOpen(text))?.text ?? null
    );
  }

  /** Is it a first character that was not tried, among Latin names? Then an empty response says nothing of other queries. */
  isApart(text: string): boolean {
    return this.#isLatin && this.#untried.some((one) => one.text === text);
  }

  get #isLatin(): boolean {
    return [...this.#scripts].every((script) => script === 'latin');
  }

  /** Characters to try before the search for missing companies ends. */
  get due(): string[] {
    return this.#untried.flatMap(({ text, isDue }) => (isDue ? [text] : []));
  }

  #tried(text: string): void {
    const place = this.#untried.findIndex((one) => one.text === text);
    if (place >= 0) this.#untried.splice(place, 1);
  }

  /** If known names should match, the upstream drops punctuation from queries. */
  #foundNone(text: string): void {
    if (!this.#punctuation.has(text)) return;
    for (const one of this.#untried.filter((untried) => isPunctuation(untried.text))) this.#tried(one.text);
  }
}

/** Should a query of this character match this name? For an unknown rule: by any rule. */
function fitOf(dialect: Dialect): (character: string, name: string) => boolean {
  const semantics = semanticsOf(dialect);
  if (dialect.search.matches === 'unknown' || semantics === 'prefix')
    return (character, name) => name.startsWith(character);
  if (semantics === 'substring') return (character, name) => findsName('substring', character, name);
  // A word between two spaces.
  return (character, name) => ` ${name} `.includes(` ${character} `);
}

const SAMPLE = 2_000;
const FEWEST_OF_THOUSANDS = 30;
