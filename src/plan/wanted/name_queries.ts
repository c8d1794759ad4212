import type { SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, QueryState } from '../../knowledge.ts';
import { folded, wordsOf } from '../../names/folding.ts';
import { windowOf } from '../../names/query_matching.ts';

/** A query that finds at least one wanted name, with its state. */
export interface NameQuery {
  readonly text: string;
  /** The indexes of the wanted names that the query finds. */
  readonly names: number[];
  /** The indexes of the wanted names that equal the query. */
  readonly wholes: number[];
  /** The names for which the query was last sent. */
  servedNames: readonly number[];
  /** The number of known companies that the query finds. */
  known: number;
  state: QueryState | null;
  /** Whether the upstream refused the query, or it failed several times. It is not sent again. */
  isGivenUp: boolean;
}

/** All queries that find at least one wanted name, and their expected totals. */
export class NameQueries {
  readonly #dialect: Dialect;
  readonly #knowledge: Pick<Knowledge, 'latestStats'>;
  readonly #queries = new Map<string, NameQuery>();
  readonly #ofName: (readonly NameQuery[])[];
  #known = 0;
  #registryTotal = Number.POSITIVE_INFINITY;

  constructor(names: readonly string[], dialect: Dialect, knowledge: Pick<Knowledge, 'latestStats'>) {
    this.#dialect = dialect;
    this.#knowledge = knowledge;
    this.#ofName = names.map((name, at) => {
      const whole = this.#at(wholeOf(name));
      whole.wholes.push(at);
      const all = new Set([whole, ...this.#partsOf(name).map((text) => this.#at(text))]);
      for (const query of all) query.names.push(at);
      return [...all];
    });
  }

  get({ by, text }: SearchQuery): NameQuery | undefined {
    return by === 'name' ? this.#queries.get(text) : undefined;
  }

  all(): Iterable<NameQuery> {
    return this.#queries.values();
  }

  ofName(at: number): readonly NameQuery[] {
    return this.#ofName[at] ?? [];
  }

  /** Reads the registry count, which affects the expected totals. */
  countRegistry(): void {
    this.#registryTotal = this.#knowledge.latestStats()?.total ?? Number.POSITIVE_INFINITY;
  }

  /** Counts a known company in every query that finds it. */
  see(name: string): void {
    this.#known++;
    for (const text of this.#partsOf(name)) {
      const found = this.#queries.get(text);
      if (found !== undefined) found.known++;
    }
  }

  /**
   * Returns the number of pages until the listing is complete, or Infinity if it cannot become complete. Without a
   * total, the share of companies that the query finds is estimated from a sample: the known and the wanted names, and
   * some names that it does not find. A query with an overestimated yield is chosen more often, so the estimate is
   * raised by its relative error.
   */
  pagesLeft({ names, wholes, known, state }: NameQuery): number {
    if (state?.status === 'capped') return Number.POSITIVE_INFINITY;
    const found = known + names.length;
    const sample = this.#known + this.#ofName.length + OTHER_NAMES;
    const estimate = ((this.#registryTotal * (found + 0.5)) / sample) * (1 + 1 / Math.sqrt(found));
    const total =
      state === null ? (names.length === wholes.length ? 1 : estimate) : (state.total ?? state.rows);
    if (total > windowOf(this.#dialect)) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.ceil(total / this.#dialect.search.paging.size) - (state?.pages ?? 0));
  }

  /**
   * Returns the shorter queries that certainly find the name. A word is used only if every tokeniser recognises it, so
   * it must consist of letters and digits between spaces. If the query rule is unknown, only a whole name is certain to
   * find the name.
   */
  #partsOf(name: string): string[] {
    const { matches, min_length } = this.#dialect.search;
    if (matches === 'unknown') return [];
    const whole = wholeOf(name);
    const words = whole.split(' ').filter((word) => wordsOf(word)[0] === word);
    const texts = matches === 'prefix' ? [whole] : words;
    const parts = matches === 'token' ? words : texts.flatMap(prefixesOf);
    return [...new Set(parts)].filter((text) => text !== whole && [...text].length >= min_length);
  }

  #at(text: string): NameQuery {
    const existing = this.#queries.get(text);
    if (existing !== undefined) return existing;
    const query: NameQuery = {
      text,
      names: [],
      wholes: [],
      servedNames: [],
      known: 0,
      state: null,
      isGivenUp: false,
    };
    this.#queries.set(text, query);
    return query;
  }
}

/** Returns the query for the whole name, which finds almost no other company. */
function wholeOf(name: string): string {
  return folded(name).replace(/[.,]+$/u, '');
}

function prefixesOf(text: string): string[] {
  const characters = [...text].slice(0, LONGEST_PREFIX);
  // No query ends with a space, because only some upstreams trim it.
  return characters
    .map((_, at) => characters.slice(0, at + 1).join(''))
    .filter((prefix) => !prefix.endsWith(' '));
}

const LONGEST_PREFIX = 24;
// A few wanted names do not represent the registry. The sample therefore includes this many names that no query finds.
const OTHER_NAMES = 100;
