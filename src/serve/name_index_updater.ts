import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { NameIndex } from '../names/name_index.ts';
import type { BuiltIndex } from './name_index_worker.ts';

/**
 * Rebuilds the name index when companies change. A separate thread does this, so that requests are not delayed. After a
 * build that took t seconds, the next one starts at least 9t seconds later, so builds use at most a tenth of a core.
 */
export interface NameIndexUpdater {
  current(): NameIndex;
  /** Updates the index. Resolves when it covers all companies that the mirror had at the time of the call. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface NameIndexUpdaterOptions {
  readonly warehousePath: string;
  /** Returns a string that changes when the index must be rebuilt. */
  readonly readMark: () => string;
  readonly now: () => number;
  /** Called if a later build fails. Searches then continue to use the previous index. */
  readonly failed: (error: Error) => void;
}

export async function openNameIndexUpdater(options: NameIndexUpdaterOptions): Promise<NameIndexUpdater> {
  const { warehousePath, readMark, now, failed } = options;
  const closing = new AbortController();
  let building: Promise<void> | null = null;
  let latest = await buildIndex(warehousePath, now(), closing.signal);
  let pausedUntilMs = 0;

  const build = async () => {
    const startedMs = now();
    try {
      latest = await buildIndex(warehousePath, startedMs, closing.signal);
      pausedUntilMs = now() + (now() - startedMs) * PAUSE_PER_BUILD_TIME;
    } catch (error) {
      pausedUntilMs = now() + PAUSE_AFTER_FAILURE_MS;
      throw error;
    } finally {
      building = null;
    }
  };
  const report = (error: unknown) => {
    if (!closing.signal.aborted) failed(error as Error);
  };
  const startBuild = () => (building ??= build());
  const timer = setInterval(() => {
    if (building === null && now() >= pausedUntilMs && readMark() !== latest.mark) startBuild().catch(report);
  }, POLL_EVERY_MS).unref();

  return {
    current: () => latest.index,
    async refresh() {
      // A running build may have started before the last change, so another build may have to follow.
      await building?.catch(report);
      if (readMark() !== latest.mark) await startBuild();
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await building?.catch(() => undefined);
    },
  };
}

/** Builds the index in a new thread. When the thread ends, the memory used to sort a million names is freed. */
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

const POLL_EVERY_MS = 500;
const PAUSE_PER_BUILD_TIME = 9;
const PAUSE_AFTER_FAILURE_MS = 10_000;
