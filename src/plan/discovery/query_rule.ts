import type { Dialect } from '../../dialect/dialect.ts';
import type { Knowledge, QueryState } from '../../knowledge.ts';
import { wordsOf } from '../../names/folding.ts';
import { afterAll } from '../../names/ordered_texts.ts';
import { findsName, type Semantics, semanticsOf } from '../../names/query_matching.ts';
import type { KeySpace } from './key_space.ts';

/** A query whose listing is complete: every match is known. */
export interface CompleteListing {
  readonly query: string;
  readonly rows: number;
  /** Known names that begin with the query. */
  readonly asPrefix: number;
  /** Known names with a word that begins with the query. */
  readonly asWordPrefix: number;
  /** Known names with the query as a word. */
  readonly asWord: number;
}

/**
 * Infers the query rule of a name search. A complete listing returned exactly the known names that match by the true rule; by
 * another rule, more or fewer match. Each listing that fits one rule only is a vote for it. A rule is inferred if it has at
 * least three votes, and more than twice those of the second.
 */
export class RuleEvidence {
  readonly #votes: Record<Semantics, number> = { prefix: 0, token: 0, token_prefix: 0, substring: 0 };

  /** null: not enough evidence. */
  get rule(): Semantics | null {
    const [best, second] = Object.entries(this.#votes).sort(([, one], [, other]) => other - one);
    if (best === undefined || best[1] < MIN_VOTES || best[1] <= 2 * (second?.[1] ?? 0)) return null;
    return best[0] as Semantics;
  }

  addListing({ query, rows, asPrefix, asWordPrefix, asWord }: CompleteListing): void {
    if (rows === 0 || query.includes(' ')) return;
    const rules: Semantics[] = [];
    if (rows === asPrefix) rules.push('prefix');
    if (rows === asWordPrefix) rules.push('token_prefix');
    if (rows === asWord) rules.push('token');
    const [rule] = rules;
    if (rules.length === 1 && rule !== undefined) this.#votes[rule]++;
  }

  /** `names`: the folded names on a page of the query. A match inside a word is a vote for the substring rule. */
  addPage(query: string, names: readonly string[]): void {
    if (!names.every((name) => name.includes(query))) return;
    if (names.some((name) => !name.startsWith(query) && !findsName('token_prefix', query, name)))
      this.#votes.substring++;
  }
}

/** The query rule of names: that of the dialect, or, if the dialect has none, the one inferred from responses. */
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

  /** Learns from a response; returns whether the rule changed. `names`: the folded names on the page. */
  learn(keySpace: KeySpace, state: QueryState, names: readonly string[]): boolean {
    const before = this.semantics;
    this.#evidence.addPage(state.query.text, names);
    this.addState(keySpace, state);
    return this.semantics !== before;
  }

  /** Adds the evidence of a query, if it is one word and its listing is complete. */
  addState(keySpace: KeySpace, { query: { text }, status, rows }: QueryState): void {
    // Only a key space of words has the counts for each rule.
    if (status !== 'complete' || !keySpace.takesPairs || wordsOf(text)[0] !== text) return;
    const asPrefix = this.#knowledge.textsInOrder('name').countBetween(text, afterAll(text));
    const [asWordPrefix, asWord] = [keySpace.known(text), keySpace.ending(text)];
    this.#evidence.addListing({ query: text, rows, asPrefix, asWordPrefix, asWord });
  }
}

const MIN_VOTES = 3;
