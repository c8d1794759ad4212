import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, QueryState } from '../../knowledge.ts';
import { isAscii } from '../../names/folding.ts';
import { spreadOver } from '../../names/ordered_texts.ts';
import { findsName, semanticsOf } from '../../names/query_matching.ts';
import {
  CHARACTER_GROUPS,
  isPunctuation,
  SCRIPT_LEGAL_FORMS,
  SCRIPT_WORDS,
  type Script,
  scriptOf,
  scriptsAmong,
  scriptsIn,
} from './first_characters.ts';

interface UntriedCharacter {
  readonly text: string;
  readonly isDue: boolean;
  /** Whether the character comes before foreign scripts only if all known names are Latin. */
  readonly isForLatin: boolean;
}

/** The first characters that have not been sent as queries yet, in the order of their groups. */
export class UntriedCharacters {
  readonly #untried: UntriedCharacter[];
  /** The beginnings of common words in other scripts that have not been sent as queries yet. */
  readonly #words: Set<string>;
  /** The scripts that occur in known names. */
  readonly #scripts = new Set<Script>();
  /** The distinct characters in known names that belong to scripts with thousands of characters. */
  readonly #largeScriptCharacters = new Set<string>();
  /** The number of known names in a script with thousands of characters, minus the number of other known names. */
  #largeScriptSurplus = 0;
  /** The punctuation characters that should match a known name if sent as a query. */
  readonly #matchingPunctuation = new Set<string>();
  readonly #shouldMatch: (character: string, name: string) => boolean;

  /** `minLength` is the min query length that the responses have shown. */
  constructor(knowledge: Knowledge, dialect: Dialect, minLength = dialect.search.min_length) {
    const sent = new Map<string, QueryState>();
    for (const state of knowledge.queries()) if (state.query.by === 'name') sent.set(state.query.text, state);
    const semantics = semanticsOf(dialect);
    const isWhole = semantics === 'token';
    const isUnavailable = (text: string) => sent.has(text) || dialect.search.min_length > 1;
    this.#shouldMatch = matcherOf(dialect);
    this.#untried = CHARACTER_GROUPS.filter(
      ({ precedes, script }) => precedes !== 'never' && !(isWhole && script),
    )
      .toSorted((one, other) => one.rank - other.rank)
      .flatMap(({ characters, isDue, precedes }) =>
        characters.map((text) => ({ text, isDue, isForLatin: precedes !== 'always' })),
      )
      .filter(({ text }) => !isUnavailable(text));
    this.#words = new Set(scriptWords(dialect, minLength));
    for (const text of sent.keys()) this.#words.delete(text);
    const names = knowledge.textsInOrder('name');
    for (const script of scriptsAmong(names)) this.#scripts.add(script);
    const isByWords = isWhole || semantics === 'token_prefix';
    const step = Math.ceil(knowledge.knownCount() / SAMPLE);
    if (isByWords || this.#scripts.has('cjk') || this.#scripts.has('hangul'))
      for (const name of spreadOver(names, step)) this.addName(name);
    for (const text of sent.keys())
      if (isPunctuation(text) && names.at(text, 0)?.startsWith(text)) this.#matchingPunctuation.add(text);
    for (const [text, { status, rows }] of sent)
      if (status === 'refused' || (status === 'complete' && rows === 0)) this.#recordNoMatch(text);
  }

  /** Adds a newly known company's folded name. */
  addName(name: string): void {
    const scripts = scriptsIn(name);
    for (const script of scripts) this.#scripts.add(script);
    this.#largeScriptSurplus += scripts.includes('cjk') || scripts.includes('hangul') ? 1 : -1;
    for (const character of name) {
      if (isPunctuation(character) && this.#shouldMatch(character, name))
        this.#matchingPunctuation.add(character);
      const script = isAscii(character) ? null : scriptOf(character);
      if (script === 'cjk' || script === 'hangul') this.#largeScriptCharacters.add(character);
    }
  }

  /** Whether most known names use a script with thousands of characters. */
  get hasLargeScript(): boolean {
    return this.#largeScriptSurplus > 0 && this.#largeScriptCharacters.size >= MIN_LARGE_SCRIPT_CHARACTERS;
  }

  /** Learns from a response. `names` are the folded names on the page. */
  recordResponse({ query: { text }, status, rows }: QueryState, names: readonly string[]): void {
    this.#remove(text);
    const matching = names.filter((name) => name.includes(text)).length;
    if (status === 'refused' || rows === 0 || 2 * matching < names.length) this.#recordNoMatch(text);
  }

  /** Returns whether the text begins with a script that no known name uses. */
  isForeign(text: string): boolean {
    const script = scriptOf(text);
    return script !== null && this.#scripts.size > 0 && !this.#scripts.has(script);
  }

  /** Returns the next character to send before foreign scripts, or null if none is left. */
  next(isOpen: (text: string) => boolean): string | null {
    const isLatin = this.#isLatin;
    return (
      this.#untried.find(({ text, isForLatin }) => (isLatin || !isForLatin) && isOpen(text))?.text ?? null
    );
  }

  /**
   * Returns whether all known names are Latin and the text is an untried first character. If such a query finds
   * nothing, the stop rule ignores it, because the result shows nothing about other queries.
   */
  isExemptFromStopRule(text: string): boolean {
    return this.#words.has(text) || (this.#isLatin && this.#untried.some((one) => one.text === text));
  }

  get #isLatin(): boolean {
    return [...this.#scripts].every((script) => script === 'latin');
  }

  /**
   * The queries that must be sent before discovery gives up on the missing companies: characters, and words in
   * other scripts.
   */
  get due(): string[] {
    const characters = this.#untried.flatMap(({ text, isDue }) => (isDue ? [text] : []));
    return [...characters, ...this.#words];
  }

  #remove(text: string): void {
    this.#words.delete(text);
    const index = this.#untried.findIndex((one) => one.text === text);
    if (index >= 0) this.#untried.splice(index, 1);
  }

  /**
   * Records that a query with punctuation found no name with that character. If a known name should have matched, the
   * upstream drops punctuation from queries, so no more punctuation is sent.
   */
  #recordNoMatch(text: string): void {
    if (!this.#matchingPunctuation.has(text)) return;
    for (const one of this.#untried.filter((untried) => isPunctuation(untried.text))) this.#remove(one.text);
  }
}

/**
 * Returns the beginnings of common words in other scripts, as long as the query rule requires. If queries can match
 * inside a name, legal forms are included.
 */
function scriptWords(dialect: Dialect, minLength: number): string[] {
  const semantics = semanticsOf(dialect);
  const length = semantics === 'token' ? Infinity : Math.max(1, minLength);
  const isLongEnough = (word: string) => [...word].length >= minLength;
  const beginnings = SCRIPT_WORDS.filter(isLongEnough).map((word) => [...word].slice(0, length).join(''));
  return semantics === 'prefix' ? beginnings : [...beginnings, ...SCRIPT_LEGAL_FORMS.filter(isLongEnough)];
}

/**
 * Returns a function that tests whether a character, sent as a query, matches a name. If the query rule is unknown, the
 * name must match under every rule.
 */
function matcherOf(dialect: Dialect): (character: string, name: string) => boolean {
  const semantics = semanticsOf(dialect);
  if (dialect.search.matches === 'unknown' || semantics === 'prefix')
    return (character, name) => name.startsWith(character);
  if (semantics === 'substring') return (character, name) => findsName('substring', character, name);
  // The character must be a separate word.
  return (character, name) => ` ${name} `.includes(` ${character} `);
}

const SAMPLE = 2_000;
const MIN_LARGE_SCRIPT_CHARACTERS = 30;
