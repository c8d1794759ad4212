import { spawnSync } from 'node:child_process';

export interface Stopwatch {
  ms: number;
  time(action: () => void): void;
}

export function stopwatch(): Stopwatch {
  return {
    ms: 0,
    time(action) {
      this.ms += timeOf(action);
    },
  };
}

export function timeOf(action: () => void): number {
  const startedMs = performance.now();
  action();
  return performance.now() - startedMs;
}

/** Writes pending data to the disk, so that the next measurement does not include this time. */
export function settleDisk(): void {
  spawnSync('sync');
}

export function ratio(a: Stopwatch, b: Stopwatch): string {
  return (a.ms / b.ms).toFixed(2);
}

export function perSecond(records: number, { ms }: Stopwatch): string {
  return `${Math.round((records / ms) * 1000)} records a second`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
