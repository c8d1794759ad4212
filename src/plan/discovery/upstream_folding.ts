import { isAscii, withoutDiacritics } from '../../names/folding.ts';

/** Returns whether the query matches the company. Both texts are folded. */
type QueryRule = (query: string, company: string) => boolean;

/**
 * Learns from responses how the upstream reads characters. Many upstreams ignore diacritics: they read `ç` as `c`, so
 * it matches both `Çelik` and `Celik`. Some upstreams replace only certain letters, such as `ø` with `o`.
 */
export class UpstreamFolding {
  readonly #rule: QueryRule;
  /** The number of listed companies that match only without diacritics. */
  #votesForIgnoring = 0;
  /** The number of listed companies that match with diacritics, or do not match at all. */
  #votesAgainst = 0;
  #ignoresDiacritics = false;
  #dropsSpaces = false;
  readonly #readAsOthers = new Set<string>();

  /** `rule` is the assumed query rule, which does not ignore diacritics. */
  constructor(rule: QueryRule) {
    this.#rule = rule;
  }

  /** Whether responses have shown that the upstream ignores diacritics. Once true, it stays true. */
  get ignoresDiacritics(): boolean {
    return this.#ignoresDiacritics;
  }

  /** Whether a response has shown that the upstream drops a space at the end of a query. */
  get dropsSpaces(): boolean {
    return this.#dropsSpaces;
  }

  /** A counter that increases whenever something is learned about the upstream. */
  get revision(): number {
    return this.#readAsOthers.size + (this.#ignoresDiacritics ? 1 : 0) + (this.#dropsSpaces ? 1 : 0);
  }

  matches(query: string, company: string): boolean {
    if (!this.#ignoresDiacritics) return this.#rule(query, company);
    return this.#rule(withoutDiacritics(query), withoutDiacritics(company));
  }

  /** Learns from a page. `companies` holds the listed companies' folded texts. */
  observe(query: string, companies: readonly string[]): void {
    // A single name may itself end with the space, which its folded text does not show.
    const withoutSpace = companies.filter((company) => !company.includes(query)).length;
    if (query.endsWith(' ') && withoutSpace > DROPPED_SHARE * companies.length) this.#dropsSpaces = true;
    const plain = withoutDiacritics(query);
    const hasDiacritics = plain !== query;
    for (const company of companies) {
      if (!hasDiacritics && isAscii(company)) continue;
      if (this.#rule(query, company)) this.#votesAgainst += hasDiacritics ? 1 : 0;
      else if (plain !== '' && this.#rule(plain, withoutDiacritics(company))) this.#votesForIgnoring++;
      else this.#votesAgainst++;
    }
    if (this.#votesForIgnoring >= MIN_COMPANIES && this.#votesForIgnoring > this.#votesAgainst)
      this.#ignoresDiacritics = true;
    if (companies.length >= MIN_COMPANIES && !isAscii(query) && plain !== '')
      for (const character of missingCharacters(query, companies)) this.#readAsOthers.add(character);
  }

  noteDroppedSpace(): void {
    this.#dropsSpaces = true;
  }

  /**
   * Returns the query as the upstream reads it, or null if that is unknown. Both have the same matches, and they can be
   * identical. A query that consists only of diacritics is returned unchanged, because it would otherwise become the
   * empty query.
   */
  readAs(query: string): string | null {
    if (isAscii(query)) return query;
    const read = (this.#ignoresDiacritics && withoutDiacritics(query)) || query;
    if (this.#readAsOthers.size > 0)
      for (const character of read) if (this.#readAsOthers.has(character)) return null;
    return read;
  }
}

/** Returns the query's characters that are missing from most of the listed companies. */
function missingCharacters(query: string, companies: readonly string[]): string[] {
  const isMissing = (character: string) =>
    2 * companies.filter((company) => company.includes(character)).length < companies.length;
  return [...query].filter((character) => CAN_BE_READ_AS_OTHER.test(character) && isMissing(character));
}

const MIN_COMPANIES = 3;
const DROPPED_SHARE = 0.1;
// Matches Latin letters other than a to z, and combining marks. Other scripts are excluded, because a company may match
// by a name in such a script that the page does not show.
const CAN_BE_READ_AS_OTHER = /[^\P{Script=Latin}a-z]|\p{M}/u;
