import { findsName, type Semantics } from '../../names/query_matching.ts';

/** A query that was read to its end: every match is known. */
export interface AnsweredToEnd {
  readonly text: string;
  readonly rows: number;
  /** Known names that begin with it; names with a word that does; names with the word itself. */
  readonly asPrefix: number;
  readonly asWordPrefix: number;
  readonly asWord: number;
}

/**
 * Infers the query rule of a name search. A query that was read to its end returned exactly the known names that match by the
 * true rule. Another rule matches more or fewer of them.
 */
export class RuleEvidence {
  readonly #votes: Record<Semantics, number> = { prefix: 0, token: 0, token_prefix: 0, substring: 0 };

  /** null: not enough evidence. */
  get rule(): Semantics | null {
    const [best, second] = Object.entries(this.#votes).sort(([, one], [, other]) => other - one);
    if (best === undefined || best[1] < FEWEST || best[1] <= 2 * (second?.[1] ?? 0)) return null;
    return best[0] as Semantics;
  }

  answered({ text, rows, asPrefix, asWordPrefix, asWord }: AnsweredToEnd): void {
    if (rows === 0 || text.includes(' ')) return;
    const rules: Semantics[] = [];
    if (rows === asPrefix) rules.push('prefix');
    if (rows === asWordPrefix) rules.push('token_prefix');
    if (rows === asWord) rules.push('token');
    // A response that fits several rules is no evidence.
    const [rule] = rules;
    if (rules.length === 1 && rule !== undefined) this.#votes[rule]++;
  }

  /** Folded names on a page of a query. */
  showed(text: string, names: readonly string[]): void {
    if (!names.every((name) => name.includes(text))) return;
    if (names.some((name) => !name.startsWith(text) && !findsName('token_prefix', text, name)))
      this.#votes.substring++;
  }
}

const FEWEST = 3;
