import type { Awaited } from './node.ts';

/** How well predictions came true: what a new one is to be multiplied by. */
export class Calibration {
  readonly #kinds = new Map<Awaited['kind'], { predicted: number; real: number }>();

  ratio(kind: Awaited['kind']): number {
    const { predicted, real } = this.#kinds.get(kind) ?? { predicted: 0, real: 0 };
    return Math.min(MOST, Math.max(LEAST, (real + DOUBT) / (predicted + DOUBT)));
  }

  learn({ kind, worth }: Awaited, found: number): void {
    const sums = this.#kinds.get(kind) ?? { predicted: 0, real: 0 };
    sums.predicted = sums.predicted * MEMORY + worth;
    sums.real = sums.real * MEMORY + found;
    this.#kinds.set(kind, sums);
  }
}

const MEMORY = 0.97;
const DOUBT = 0.5;
const LEAST = 0.05;
const MOST = 2;
