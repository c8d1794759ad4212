import { Experience } from './experience.ts';
import type { Awaited } from './query_node.ts';

/** How well predictions came true: what a new one is to be multiplied by. */
export class Calibration {
  readonly #kinds = new Map<Awaited['kind'], Experience>();

  ratio(kind: Awaited['kind']): number {
    return this.#kinds.get(kind)?.ratio ?? 1;
  }

  learn({ kind, expectedYield }: Awaited, found: number): void {
    const experience = this.#kinds.get(kind) ?? new Experience(OF_A_KIND);
    experience.learn(expectedYield, found);
    this.#kinds.set(kind, experience);
  }
}

const OF_A_KIND = { memory: 0.97, doubt: 0.5, least: 0.05, most: 2 };
