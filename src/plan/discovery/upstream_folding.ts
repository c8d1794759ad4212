import { isAscii, withoutDiacritics } from '../../names/folding.ts';

/** Does the query match the company? Both are folded. */
type QueryRule = (query: string, company: string) => boolean;

/**
 * Learns from responses how the upstream reads characters. Many upstreams ignore diacritics: `ç` is read as `c` and matches
 * both `Çelik` and `Celik`. Others read single letters as others, such as `ø` as `o`.
 */
export class UpstreamFolding {
  readonly #rule: QueryRule;
  /** Listed companies that match only without diacritics. */
  #votesForIgnoring = 0;
  /** Companies that match with the diacritics of the query, or that have diacritics and match in neither way. */
  #votesAgainst = 0;
  #ignoresDiacritics = false;
  readonly #readAsOthers = new Set<string>();

  /** `rule`: the assumed query rule if diacritics count. */
  constructor(rule: QueryRule) {
    this.#rule = rule;
  }

  /** Never becomes false again. */
  get ignoresDiacritics(): boolean {
    return this.#ignoresDiacritics;
  }

  /** Increases with each learned property. */
  get revision(): number {
    return this.#readAsOthers.size + (this.#ignoresDiacritics ? 1 : 0);
  }

  matches(query: string, company: string): boolean {
    if (!this.#ignoresDiacritics) return this.#rule(query, company);
    return this.#rule(withoutDiacritics(query), withoutDiacritics(company));
  }

  /** `companies`: the folded texts on a page of the query. */
  observe(query: string, companies: readonly string[]): void {
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

  /**
   * The query of characters that the upstream reads literally and that has the same matches; it can be the query itself.
   * null: unknown. A query of diacritics alone would become the empty query, so it stays.
   */
  readAs(query: string): string | null {
    if (isAscii(query)) return query;
    const read = (this.#ignoresDiacritics && withoutDiacritics(query)) || query;
    if (this.#readAsOthers.size > 0)
      for (const character of read) if (this.#readAsOthers.has(character)) return null;
    return read;
  }
}

/** The characters of the query that most of the listed companies do not have. */
function missingCharacters(query: string, companies: readonly string[]): string[] {
  const isMissing = (character: string) =>
    2 * companies.filter((company) => company.includes(character)).length < companies.length;
  return [...query].filter((character) => CAN_BE_READ_AS_OTHER.test(character) && isMissing(character));
}

/** Above this number of companies, the names are not read again to count their forms without diacritics. */
export const MOST_WITHOUT_DIACRITICS = 2_000_000;
const MIN_COMPANIES = 3;
// Latin letters other than a to z, and combining marks. In other scripts a match may be by a name that the page does not show.
const CAN_BE_READ_AS_OTHER = /[^\P{Script=Latin}a-z]|\p{M}/u;
