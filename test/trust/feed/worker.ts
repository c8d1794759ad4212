import { parentPort, workerData } from 'node:worker_threads';
import { liveHistory, type Step } from './history.ts';

/** The result of one history. */
export interface Simulated {
  readonly steps: ReadonlyMap<Step, number>;
  /** How the copy differs from the export, or null if it does not. */
  readonly error: string | null;
}

const { first, end, step } = workerData as { first: number; end: number; step: number };
for (let seed = first; seed < end; seed += step) parentPort?.postMessage(await simulated(seed));

async function simulated(seed: number): Promise<Simulated> {
  try {
    return { steps: await liveHistory(seed), error: null };
  } catch (error) {
    return { steps: new Map(), error: error instanceof Error ? error.message : String(error) };
  }
}
