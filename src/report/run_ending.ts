import { ENDINGS } from '../ending.ts';
import type { RunRow } from '../warehouse/run.ts';

/** Returns why a run ended, with its error: `done`, `quota used up`, `failed: disk full`. */
export function runEnding(run: Pick<RunRow, 'command' | 'ended' | 'error'>, isRunning = false): string {
  const ending = shortEnding(run, isRunning);
  return run.error === null || run.ended === null ? ending : `${ending}: ${run.error}`;
}

/** Returns why a run ended, without its error. */
export function shortEnding(
  { command, ended }: Pick<RunRow, 'command' | 'ended'>,
  isRunning = false,
): string {
  if (ended === null) return isRunning ? 'running' : 'killed';
  // A backfill leaves the allowance's reserve.
  if (ended === 'allowance' && command === 'backfill') return 'quota for backfills used up';
  return ENDINGS[ended]?.words ?? ended.replaceAll('_', ' ');
}

/** Returns whether the run ended for a reason that needs attention. */
export function hasFailed({ ended }: Pick<RunRow, 'ended'>): boolean {
  return ended !== null && ENDINGS[ended]?.means === 'failed';
}
