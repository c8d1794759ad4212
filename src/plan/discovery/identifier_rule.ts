import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, ListedCompany, QueryState } from '../../knowledge.ts';
import { folded } from '../../names/folding.ts';
import { afterAll, nextAfter, spreadOver } from '../../names/ordered_texts.ts';
import { comparedText, foldedIdentifier } from '../../names/query_matching.ts';

/** A search for an identifier prefix, with the numbers that decide whether identifiers are searched by prefix. */
interface PrefixSearch {
  readonly rows: number;
  /** The number of companies whose identifier begins with the prefix. */
  readonly byIdentifier: number;
  /** The number of companies whose name contains the prefix. */
  readonly byName: number;
}

/** A prefix to search for. */
interface TrialPrefix {
  readonly text: string;
  /** The share of known companies whose identifier begins with the prefix. */
  readonly share: number;
}

/**
 * Whether the upstream searches identifiers by prefix. If the dialect does not define it, one search for a prefix of
 * known identifiers shows it. If the upstream rejects this search, which can have too many matches, a longer prefix is
 * sent once. A later run infers the rule from the stored state of these searches.
 */
export class IdentifierRule {
  readonly #knowledge: Knowledge;
  readonly #dialect: Dialect;
  /** Null if unknown. */
  #isPrefix: boolean | null;
  #trial: TrialPrefix | null = null;

  constructor(knowledge: Knowledge, dialect: Dialect) {
    this.#knowledge = knowledge;
    this.#dialect = dialect;
    this.#isPrefix = this.#inferred;
  }

  get isPrefix(): boolean {
    return this.#isPrefix === true;
  }

  get isUnknown(): boolean {
    return this.#isPrefix === null;
  }

  /** The prefix to search for; null if the rule is known or if too few companies are known. */
  get trial(): TrialPrefix | null {
    if (this.#isPrefix !== null) return null;
    this.#trial ??= trialPrefix(sampleOf(this.#knowledge), this.#minLength);
    return this.#trial;
  }

  /** Learns from a response to the trial, and returns whether identifiers are searched by prefix. */
  learn({ query: { text }, status }: QueryState, rows: readonly ListedCompany[]): boolean {
    this.#trial = null;
    if (status === 'refused') {
      this.#isPrefix = this.#inferred;
      return false;
    }
    const byIdentifier = rows.filter((row) => comparedText(row, 'identifier').startsWith(text)).length;
    const byName = rows.filter((row) => comparedText(row, 'name').includes(folded(text))).length;
    this.#isPrefix = provesPrefixRule({ rows: rows.length, byIdentifier, byName });
    return this.#isPrefix;
  }

  get #inferred(): boolean | null {
    const { identifiers } = withInferredIdentifiers(this.#dialect, this.#knowledge).search;
    return identifiers === 'unknown' ? null : identifiers === 'prefix';
  }

  get #minLength(): number {
    const rejected = trialsIn(this.#knowledge).map(({ query }) => query.text.length + MORE_CHARACTERS);
    return Math.max(this.#dialect.search.min_length, MIN_LENGTH, ...rejected);
  }
}

/** Returns the dialect with the rule for identifiers that stored queries show, if the dialect does not define it. */
export function withInferredIdentifiers(dialect: Dialect, knowledge: Knowledge): Dialect {
  const { search } = dialect;
  if (search.identifiers !== 'unknown') return dialect;
  const trials = trialsIn(knowledge);
  const answered = trials.filter(({ status }) => status !== 'refused');
  if (answered.length === 0 && trials.length < MOST_TRIALS) return dialect;
  const isPrefix = answered.some((state) => provesPrefixRule(matchesOf(state, knowledge)));
  return { ...dialect, search: { ...search, identifiers: isPrefix ? 'prefix' : 'none' } };
}

/** Returns the queries that show how many companies the registry has: those by identifier only if it searches prefixes. */
export function conclusiveQueries({ search }: Dialect, knowledge: Knowledge): QueryState[] {
  const queries = [...knowledge.queries()];
  return search.identifiers === 'prefix' ? queries : queries.filter(({ query }) => query.by === 'name');
}

/** Returns the searches for identifier prefixes. A complete identifier shows nothing about prefixes. */
function trialsIn(knowledge: Knowledge): QueryState[] {
  const ids = knowledge.textsInOrder('identifier');
  const isComplete = (text: string) => ids.countBetween(text, nextAfter(text)) > 0;
  return [...knowledge.queries()].filter(
    ({ query: { by, text } }) =>
      by === 'identifier' && text.length >= MIN_LENGTH && !isComplete(foldedIdentifier(text)),
  );
}

function matchesOf({ query: { text }, rows }: QueryState, knowledge: Knowledge): PrefixSearch {
  const byIdentifier = knowledge.textsInOrder('identifier').countBetween(text, afterAll(text));
  // Counting the names reads all of them, so they are counted only if the result can depend on it.
  const names =
    rows === 0 || byIdentifier === 0 ? [] : knowledge.textsInOrder('name').containing(folded(text));
  return { rows, byIdentifier, byName: [...names].length };
}

/**
 * Returns whether only the prefix rule explains the rows. At least one row must match by its identifier alone, and no
 * row may match neither by its identifier nor by its name.
 */
function provesPrefixRule({ rows, byIdentifier, byName }: PrefixSearch): boolean {
  return rows > byName && rows <= byIdentifier + byName;
}

function sampleOf(knowledge: Knowledge): string[] {
  const step = Math.ceil(knowledge.knownCount() / SAMPLE);
  return [...spreadOver(knowledge.textsInOrder('identifier'), Math.max(1, step))];
}

/**
 * Returns the most frequent prefix of the shortest length at which the identifiers differ. A short prefix matches the
 * most companies. A prefix that all identifiers share would also be found by an upstream that ignores the query.
 */
function trialPrefix(ids: readonly string[], minLength: number): TrialPrefix | null {
  if (ids.length < MIN_IDS) return null;
  const complete = new Set(ids);
  const longest = Math.max(...ids.map((id) => id.length));
  for (let length = minLength; length < longest; length++) {
    const counts = new Map<string, number>();
    for (const id of ids) {
      const prefix = [...id].slice(0, length).join('');
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
    const [best] = [...counts]
      .filter(([prefix, count]) => count < ids.length && /\d/.test(prefix) && !complete.has(prefix))
      .sort(([, one], [, other]) => other - one);
    if (best !== undefined) return { text: best[0], share: best[1] / ids.length };
  }
  return null;
}

// Upstreams rarely require more characters, and shorter queries can match names.
const MIN_LENGTH = 3;
const MORE_CHARACTERS = 2;
const MOST_TRIALS = 2;
const MIN_IDS = 3;
const SAMPLE = 2_000;
