import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, QueryState } from '../../knowledge.ts';
import { wordsOf } from '../../names/folding.ts';
import { afterAll } from '../../names/ordered_texts.ts';
import { findsName, type Semantics, semanticsOf } from '../../names/query_matching.ts';
import type { KeySpace } from './key_space.ts';

/** A query with a complete listing, so that every match is known. */
interface CompleteListing {
  readonly query: string;
  readonly rows: number;
  /** The number of known names that begin with the query. */
  readonly asPrefix: number;
  /** The number of known names with a word that begins with the query. */
  readonly asWordPrefix: number;
  /** The number of known names that have the query as a word. */
  readonly asWord: number;
}

/**
 * Infers the query rule for name searches. Under the true rule, the number of matching known names equals the number of
 * rows in a complete listing. Under another rule, the two numbers usually differ. Each listing that fits exactly one
 * rule is a vote for that rule. A rule is inferred if it has at least three votes and more than twice as many votes as
 * any other rule.
 *
 * If a query finds nothing although known words begin with it, that is a vote for whole words. At most three such votes
 * count, because the upstream may also return nothing for a query that is too short.
 */
export class RuleEvidence {
  readonly #votes: Record<Semantics, number> = { prefix: 0, token: 0, token_prefix: 0, substring: 0 };
  #emptyPrefixes = 0;

  /** The inferred rule; null if there is not enough evidence. */
  get rule(): Semantics | null {
    const token = this.#votes.token + Math.min(this.#emptyPrefixes, MIN_VOTES);
    const [best, second] = Object.entries({ ...this.#votes, token }).sort(
      ([, one], [, other]) => other - one,
    );
    if (best === undefined || best[1] < MIN_VOTES || best[1] <= 2 * (second?.[1] ?? 0)) return null;
    return best[0] as Semantics;
  }

  addListing({ query, rows, asPrefix, asWordPrefix, asWord }: CompleteListing): void {
    if (query.includes(' ')) return;
    if (rows === 0) {
      if (asWordPrefix > 0 && asWord === 0) this.#emptyPrefixes++;
      return;
    }
    const rules: Semantics[] = [];
    if (rows === asPrefix) rules.push('prefix');
    if (rows === asWordPrefix) rules.push('token_prefix');
    if (rows === asWord) rules.push('token');
    const [rule] = rules;
    if (rules.length === 1 && rule !== undefined) this.#votes[rule]++;
  }

  /** Adds the folded names on one of the query's pages. A match inside a word is a vote for the substring rule. */
  addPage(query: string, names: readonly string[]): void {
    if (!names.every((name) => name.includes(query))) return;
    if (names.some((name) => !name.startsWith(query) && !findsName('token_prefix', query, name)))
      this.#votes.substring++;
  }
}

/** The query rule for names, which is inferred from responses if the dialect does not define it. */
export class QueryRule {
  readonly #knowledge: Knowledge;
  readonly #dialect: Dialect;
  readonly #evidence = new RuleEvidence();

  constructor(knowledge: Knowledge, dialect: Dialect) {
    this.#knowledge = knowledge;
    this.#dialect = dialect;
  }

  get isUnknown(): boolean {
    return this.#dialect.search.matches === 'unknown';
  }

  get semantics(): Semantics {
    const rule = this.isUnknown ? this.#evidence.rule : null;
    return rule ?? semanticsOf(this.#dialect);
  }

  /** Learns from a response, and returns whether the rule changed. `names` are the folded names on the page. */
  learn(keySpace: KeySpace, state: QueryState, names: readonly string[]): boolean {
    const before = this.semantics;
    this.#evidence.addPage(state.query.text, names);
    this.addState(keySpace, state);
    return this.semantics !== before;
  }

  /** Adds the evidence from a single-word query with a complete listing. */
  addState(keySpace: KeySpace, { query: { text }, status, rows }: QueryState): void {
    // Only a word key space can count the matches under each rule.
    if (status !== 'complete' || !keySpace.takesPairs || wordsOf(text)[0] !== text) return;
    const asPrefix = this.#knowledge.textsInOrder('name').countBetween(text, afterAll(text));
    const [asWordPrefix, asWord] = [keySpace.known(text), keySpace.ending(text)];
    this.#evidence.addListing({ query: text, rows, asPrefix, asWordPrefix, asWord });
  }
}

const MIN_VOTES = 3;
