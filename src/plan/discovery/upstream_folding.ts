import { isAscii, withoutDiacritics } from '../../names/folding.ts';

/** Does a query of this text find this company? Both are folded. */
type Rule = (text: string, company: string) => boolean;

/**
 * How the upstream reads characters, as its answers show. Many overlook marks: `ç` asks for what `c` does, and finds
 * `Çelik` and `Celik` alike. Others read single letters as plain ones, as `ø` for `o`.
 */
export class UpstreamFolding {
  readonly #rule: Rule;
  /** Companies shown that only a search without marks can find. */
  #overlooking = 0;
  /** Those that were found by the marks that were asked for, or have some and are found in neither way. */
  #against = 0;
  #ignoresDiacritics = false;
  readonly #asOthers = new Set<string>();

  /** `rule`: what is taken to hold where marks are heeded. */
  constructor(rule: Rule) {
    this.#rule = rule;
  }

  /** Once this is so, it stays so. */
  get ignoresDiacritics(): boolean {
    return this.#ignoresDiacritics;
  }

  /** Grows with all that was learned. */
  get revision(): number {
    return this.#asOthers.size + (this.#ignoresDiacritics ? 1 : 0);
  }

  finds(text: string, company: string): boolean {
    if (!this.#ignoresDiacritics) return this.#rule(text, company);
    return this.#rule(withoutDiacritics(text), withoutDiacritics(company));
  }

  /** Folded companies that a query of this text showed. */
  observe(text: string, companies: readonly string[]): void {
    const plain = withoutDiacritics(text);
    const isMarked = plain !== text;
    for (const company of companies) {
      if (!isMarked && isAscii(company)) continue;
      if (this.#rule(text, company)) this.#against += isMarked ? 1 : 0;
      else if (plain !== '' && this.#rule(plain, withoutDiacritics(company))) this.#overlooking++;
      else this.#against++;
    }
    if (this.#overlooking >= FEWEST_COMPANIES && this.#overlooking > this.#against)
      this.#ignoresDiacritics = true;
    if (companies.length >= FEWEST_COMPANIES && !isAscii(text) && plain !== '')
      for (const character of charactersMissed(text, companies)) this.#asOthers.add(character);
  }

  /**
   * A text of characters that are read as they stand, which asks for the same; null: none is known. A mark alone asks for
   * everything, as nothing else may.
   */
  readAs(text: string): string | null {
    if (isAscii(text)) return text;
    const read = (this.#ignoresDiacritics && withoutDiacritics(text)) || text;
    if (this.#asOthers.size > 0) for (const character of read) if (this.#asOthers.has(character)) return null;
    return read;
  }
}

/** Those of this text that most of the companies that it found do not have. */
function charactersMissed(text: string, companies: readonly string[]): string[] {
  const isMissed = (character: string) =>
    2 * companies.filter((company) => company.includes(character)).length < companies.length;
  return [...text].filter((character) => READ_AS_OTHERS.test(character) && isMissed(character));
}

/** Of so many companies at most the names are read, to count those with marks below their plain forms. */
export const MOST_WITHOUT_DIACRITICS = 2_000_000;
const FEWEST_COMPANIES = 3;
// Latin letters that are not plain, and marks. Other scripts may be found by names that are not shown.
const READ_AS_OTHERS = /[^\P{Script=Latin}a-z]|\p{M}/u;
