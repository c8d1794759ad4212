import type { Knowledge } from '../../knowledge.ts';

/**
 * How long is looked for what may be out of reach: for a while, which is the longer the more companies it is; or until
 * hardly any search finds something any more, so that one find in a long time does not begin it anew.
 */
export class StopRule {
  /** Searches in a row that found nothing new, since the registry's own count last changed. */
  #inVain = 0;
  /** Of about a hundred searches up to the last, how many found something new. */
  #finds = USUAL_FINDS;

  constructor(knowledge: Knowledge) {
    for (const found of lastOf(knowledge).reverse()) this.answered(found > 0);
  }

  get inVain(): number {
    return this.#inVain;
  }

  answered(hasFound: boolean): void {
    this.#inVain = hasFound ? 0 : this.#inVain + 1;
    this.#finds = this.#finds * MEMORY + (hasFound ? 1 : 0);
  }

  /** The registry counts otherwise: what is missing now may be within reach. */
  renew(): void {
    this.#inVain = 0;
    this.#finds = USUAL_FINDS;
  }

  /** `least`: so many searches in a row may find nothing, whatever is missing. */
  isOver(missing: number, least = 0): boolean {
    return this.#inVain >= Math.max(least, this.#most(missing));
  }

  /** Half of the searches are used: the due first characters come next, so that all are tried before the end. */
  isHalfOver(missing: number): boolean {
    return 2 * this.#inVain >= this.#most(missing);
  }

  /** Searches in a row that may find nothing. */
  #most(missing: number): number {
    const root = Math.sqrt(missing);
    return this.#finds < FEWEST_FINDS
      ? SOME_IN_VAIN + SOME_FOR_EACH * root
      : LONG_IN_VAIN + LONG_FOR_EACH * root;
  }
}

function lastOf(knowledge: Knowledge): number[] {
  const last: number[] = [];
  for (const found of knowledge.newBySearches()) {
    last.push(found);
    if (last.length === LONGEST_MEMORY) break;
  }
  return last;
}

const LONG_IN_VAIN = 120;
const LONG_FOR_EACH = 10;
const SOME_IN_VAIN = 40;
const SOME_FOR_EACH = 8;
const MEMORY = 0.99;
const FEWEST_FINDS = 0.5;
const USUAL_FINDS = 30;
// What came before weighs nothing any more.
const LONGEST_MEMORY = 1_000;
