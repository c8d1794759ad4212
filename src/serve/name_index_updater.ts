import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { NameIndex } from '../names/name_index.ts';
import type { BuiltIndex } from './name_index_worker.ts';

/**
 * Keeps the name index up with the mirror. It is built in a thread of its own, so that requests are answered
 * meanwhile, and built anew when companies came, went or changed: at once for small mirrors, and for large
 * ones as often as takes a tenth of one core at most.
 */
export interface NameIndexUpdater {
  current(): NameIndex;
  /** Resolves when the index shows at least what the mirror holds now. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface NameIndexUpdaterOptions {
  readonly warehousePath: string;
  /** Changes when an index would come out differently. */
  readonly mark: () => string;
  readonly now: () => number;
  /** Told when a later build fails; searches go on over the index before. */
  readonly failed: (error: Error) => void;
}

export async function openNameIndexUpdater(options: NameIndexUpdaterOptions): Promise<NameIndexUpdater> {
  const { warehousePath, mark, now, failed } = options;
  const closing = new AbortController();
  let building: Promise<void> | null = null;
  let latest = await buildIndex(warehousePath, now(), closing.signal);
  let restUntilMs = 0;

  const build = async () => {
    const startedMs = now();
    try {
      latest = await buildIndex(warehousePath, startedMs, closing.signal);
      restUntilMs = now() + (now() - startedMs) * REST_PER_WORK;
    } catch (error) {
      restUntilMs = now() + REST_AFTER_FAILURE_MS;
      throw error;
    } finally {
      building = null;
    }
  };
  const told = (error: unknown) => {
    if (!closing.signal.aborted) failed(error as Error);
  };
  const begin = () => (building ??= build());
  const timer = setInterval(() => {
    if (building === null && now() >= restUntilMs && mark() !== latest.mark) begin().catch(told);
  }, LOOK_EVERY_MS).unref();

  return {
    current: () => latest.index,
    async refresh() {
      // A build that is under way may have begun before the latest change.
      await building?.catch(told);
      if (mark() !== latest.mark) await begin();
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await building?.catch(() => undefined);
    },
  };
}

/** One thread a build: what sorting a million names takes goes with it. */
async function buildIndex(path: string, nowMs: number, signal: AbortSignal): Promise<BuiltIndex> {
  const file = `./name_index_worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
  const worker = new Worker(new URL(file, import.meta.url), { workerData: { path, nowMs } });
  try {
    const [built] = (await once(worker, 'message', { signal })) as [BuiltIndex];
    return built;
  } finally {
    await worker.terminate();
  }
}

const LOOK_EVERY_MS = 500;
const REST_PER_WORK = 9;
const REST_AFTER_FAILURE_MS = 10_000;
