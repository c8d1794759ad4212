import type { Extension, Extensions, Spread, Texts } from './field.ts';

/** Texts that are found as a whole only: what was seen can be asked, the most frequent first. */
export class WholeWords implements Texts {
  readonly #first: readonly Extension[];
  /** The word that all these companies have, so that it narrows nothing; null: none. */
  readonly #beside: string | null;
  readonly #counts = new Map<string, number>();
  #companies = 0;
  /** Each counted once for each company. */
  #words = 0;

  constructor(first: readonly Extension[], beside: string | null) {
    this.#first = first;
    this.#beside = beside;
  }

  add(texts: readonly string[]): void {
    this.#companies++;
    for (const word of new Set(texts)) {
      if (word === this.#beside) continue;
      this.#words++;
      this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    }
  }

  known(text: string): number {
    return text === '' ? this.#companies : (this.#counts.get(text) ?? 0);
  }

  ending(text: string): number {
    return text === '' ? 0 : this.known(text);
  }

  spread(text: string): Spread {
    if (text !== '') return { ways: 0, each: 1 };
    return { ways: this.#counts.size, each: Math.max(1, this.#words / Math.max(1, this.#companies)) };
  }

  extensions(text: string, isAsked: (text: string) => boolean): Extensions {
    if (text !== '') return { offered: [], otherwise: 1, isCut: false };
    const likelihoods = new Map(this.#first.map((one) => [one.text, one.likelihood]));
    for (const [word, count] of this.#counts) likelihoods.set(word, count / this.#companies);
    const open = [...likelihoods].filter(([word]) => !isAsked(word)).sort((a, b) => b[1] - a[1]);
    const offered = open.slice(0, MOST_OFFERED);
    let otherwise = 0;
    for (const [, likelihood] of open.slice(MOST_OFFERED)) otherwise += likelihood;
    return {
      offered: offered.map(([word, likelihood]) => ({ text: word, likelihood, isStrange: false })),
      otherwise,
      isCut: offered.length < open.length,
    };
  }
}

const MOST_OFFERED = 200;
