import type { Awaited } from './node.ts';

/** How well predictions of one kind came true lately: what they are to be multiplied by. */
export class Calibration {
  readonly #kinds = new Map<Awaited['kind'], { predicted: number; real: number }>();

  ratio(kind: Awaited['kind']): number {
    const sums = this.#kinds.get(kind);
    return sums === undefined ? 1 : Math.min(MOST, (sums.real + DOUBT) / (sums.predicted + DOUBT));
  }

  learn({ kind, worth: predicted }: Awaited, real: number): void {
    const sums = this.#kinds.get(kind) ?? { predicted: 0, real: 0 };
    sums.predicted = sums.predicted * MEMORY + predicted;
    sums.real = sums.real * MEMORY + real;
    this.#kinds.set(kind, sums);
  }
}

const MEMORY = 0.97;
const DOUBT = 0.5;
const MOST = 2;
