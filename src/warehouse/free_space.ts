import { type StatsFs, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { FailedError } from '../errors.ts';

export interface ResponseLimits {
  /** The maximum number of responses in flight. */
  readonly count: number;
  readonly maxBodyBytes: number;
}

/**
 * Returns a function that throws a FailedError if the warehouse's disk could become full before all responses in flight
 * are stored. Such a response would be lost, although its unit is spent.
 */
export function openSpaceCheck(warehousePath: string, limits: ResponseLimits): () => void {
  const folder = dirname(warehousePath);
  const neededBytes = bytesToSpare(limits);
  return () => {
    const stats = statsOf(folder);
    // Some network file systems do not report their size.
    if (stats === null || stats.blocks === 0) return;
    const freeBytes = stats.bavail * stats.bsize;
    if (freeBytes >= neededBytes) return;
    throw new FailedError(
      `the disk of the warehouse ${warehousePath} is nearly full: ${megabytes(freeBytes)} are free, but the next responses may need ${megabytes(neededBytes)}. No response was lost`,
      {
        hint: 'Free space on that disk, or reduce `upstream.max_body` or `upstream.concurrency`. The next run resumes where this one stopped.',
      },
    );
  };
}

/** Returns the free space that a run needs before it sends a call. */
export function bytesToSpare({ count, maxBodyBytes }: ResponseLimits): number {
  return count * maxBodyBytes + PROCESSING_BYTES;
}

function statsOf(folder: string): StatsFs | null {
  try {
    return statfsSync(folder);
  } catch {
    // The next write to the warehouse reports that its folder is missing.
    return null;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Before the next check, a batch of responses can be processed and a checkpoint can enlarge the warehouse. */
const PROCESSING_BYTES = 32 * 1024 * 1024;
