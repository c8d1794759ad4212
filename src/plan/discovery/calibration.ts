import type { Awaited } from './node.ts';

/** How well predictions came true: what a new one is to be multiplied by. */
export class Calibration {
  readonly #kinds = new Map<Awaited['kind'], Experience>();

  ratio(kind: Awaited['kind']): number {
    return this.#kinds.get(kind)?.ratio ?? 1;
  }

  learn({ kind, worth }: Awaited, found: number): void {
    const experience = this.#kinds.get(kind) ?? new Experience(OF_A_KIND);
    experience.learn(worth, found);
    this.#kinds.set(kind, experience);
  }
}

/**
 * What the pages of one listing that is cut off brought, beside what was expected: it may begin with companies that a
 * listing above it showed. Those of a listing that can be read to its end lie on its later pages all the more.
 */
export function openListingExperience(): Experience {
  return new Experience(OF_A_LISTING);
}

/** What was predicted, and what came. */
export class Experience {
  readonly #settings: typeof OF_A_KIND;
  #predicted = 0;
  #real = 0;

  constructor(settings: typeof OF_A_KIND) {
    this.#settings = settings;
  }

  get ratio(): number {
    const { doubt, least, most } = this.#settings;
    return Math.min(most, Math.max(least, (this.#real + doubt) / (this.#predicted + doubt)));
  }

  learn(predicted: number, real: number): void {
    this.#predicted = this.#predicted * this.#settings.memory + predicted;
    this.#real = this.#real * this.#settings.memory + real;
  }
}

const OF_A_KIND = { memory: 0.97, doubt: 0.5, least: 0.05, most: 2 };
const OF_A_LISTING = { memory: 1, doubt: 5, least: 0, most: 1 };
