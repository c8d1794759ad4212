interface ExperienceSettings {
  /** What is left of it with each further one. */
  readonly memory: number;
  readonly doubt: number;
  readonly least: number;
  readonly most: number;
}

/** What was predicted, and what came. */
export class Experience {
  readonly #settings: ExperienceSettings;
  #predicted = 0;
  #real = 0;

  constructor(settings: ExperienceSettings) {
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

/**
 * What the pages of one listing that is cut off brought, beside what was expected: it may begin with companies that a
 * listing above it showed. Those of a listing that can be read to its end lie on its later pages all the more.
 */
export function openListingExperience(): Experience {
  return new Experience(OF_A_LISTING);
}

const OF_A_LISTING = { memory: 1, doubt: 5, least: 0, most: 1 };
