import { FIRST_PAGE, type SearchCall, type SearchQuery } from '../../call.ts';
import type { LoadResult, QueryState } from '../../knowledge.ts';

/**
 * Learns whether only upper-case queries find companies, because the search distinguishes case and names are in upper
 * case. The query trees contain lower-case queries. Once only upper-case queries find companies, the trees' queries are
 * sent in upper case, and the queries that were sent in lower case count as not sent.
 *
 * An empty result of a lower-case query is doubted if a known name matches the query. If no company is known, one of the
 * first empty results, whose queries match the most names, is doubted after every EMPTY_QUERIES empty results. A doubted
 * query is sent in upper case too. Nothing is doubted once a lower-case query has found a company.
 */
export class QueryCase {
  #isUpper = false;
  #lowerFinds = false;
  #emptyInLower = 0;
  /** The first queries in lower case that found nothing. */
  readonly #firstEmpty: string[] = [];
  #trialsLeft = MAX_TRIALS;
  #trial: SearchCall | null = null;

  constructor(states: Iterable<QueryState>) {
    const upper: QueryState[] = [];
    for (const state of states) {
      if (isUpperCase(state.query)) upper.push(state);
      else this.#addLower(state);
    }
    for (const state of upper) this.#addUpper(state);
  }

  /** Returns the doubted query in upper case, or null if there is none. */
  takeTrial(): SearchCall | null {
    const trial = this.#trial;
    this.#trial = null;
    return trial;
  }

  /**
   * Learns from a query's state, and returns whether the trees' queries are sent in upper case from now on. `isKnown`
   * returns whether a known name matches the query.
   */
  learn(state: QueryState, isKnown: () => boolean): boolean {
    if (this.#isUpper) return false;
    if (isUpperCase(state.query)) {
      this.#addUpper(state);
      return this.#isUpper;
    }
    this.#addLower(state);
    if (this.#lowerFinds || !isLowerCase(state.query) || state.rows > 0 || this.#trialsLeft === 0)
      return false;
    const isDoubted = isKnown();
    if (this.#emptyInLower % EMPTY_QUERIES !== 0 && !isDoubted) return false;
    this.#trialsLeft--;
    const text = isDoubted ? state.query.text : (this.#firstEmpty.shift() ?? state.query.text);
    const query = { by: state.query.by, text: inUpperCase(text) };
    const reason = 'shows whether the search distinguishes case';
    this.#trial = { kind: 'search', query, page: FIRST_PAGE, reason, expected: 1 };
    return false;
  }

  /** Returns the call as it is sent. */
  sent(call: SearchCall): SearchCall {
    if (!this.#isUpper || call.query.by !== 'name') return call;
    return { ...call, query: { by: 'name', text: inUpperCase(call.query.text) } };
  }

  /** Returns the query as it is in the trees. */
  inTree(query: SearchQuery): SearchQuery {
    return this.#isUpper && query.by === 'name' ? { by: 'name', text: query.text.toLowerCase() } : query;
  }

  /** Returns the result with the query as it is in the trees. */
  resultInTree(result: LoadResult): LoadResult {
    const { call, query } = result;
    if (!this.#isUpper || call.kind !== 'search') return result;
    return {
      ...result,
      call: { ...call, query: this.inTree(call.query) },
      query: query === null ? null : { ...query, query: this.inTree(query.query) },
    };
  }

  /** Returns the states of the queries that the trees can contain. Once upper case is sent, lower case is omitted. */
  statesInTree(states: Iterable<QueryState>): QueryState[] {
    if (!this.#isUpper) return [...states];
    return [...states]
      .filter(({ query: { by, text } }) => by !== 'name' || text === inUpperCase(text))
      .map((state) => ({ ...state, query: this.inTree(state.query) }));
  }

  #addLower({ query, status, rows }: QueryState): void {
    if (!isLowerCase(query)) return;
    if (rows > 0) this.#lowerFinds = true;
    else if (status === 'complete') {
      this.#emptyInLower++;
      if (this.#firstEmpty.length < MAX_TRIALS) this.#firstEmpty.push(query.text);
    }
  }

  #addUpper({ rows }: QueryState): void {
    if (rows > 0 && this.#emptyInLower > 0 && !this.#lowerFinds) this.#isUpper = true;
  }
}

function isLowerCase({ by, text }: SearchQuery): boolean {
  return by === 'name' && text === text.toLowerCase() && text !== inUpperCase(text);
}

function isUpperCase({ by, text }: SearchQuery): boolean {
  return by === 'name' && text === inUpperCase(text) && text !== text.toLowerCase();
}

/** Converts to upper case. A character such as `ß`, which lower case would not restore, is kept. */
function inUpperCase(text: string): string {
  return [...text]
    .map((character) => {
      const upper = character.toUpperCase();
      return upper.toLowerCase() === character ? upper : character;
    })
    .join('');
}

const MAX_TRIALS = 3;
const EMPTY_QUERIES = 8;
