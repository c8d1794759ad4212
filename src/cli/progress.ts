import { targetOf } from '../call.ts';
import type { Outcome } from '../outcome.ts';
import { count, counted, duration } from '../report/figures.ts';
import type { RunTotals } from '../run_totals.ts';
import type { Output } from './output.ts';

/** Updates the progress line at most five times a second. */
export function showProgress(
  output: Output,
  since: { startedMs: number; callsLeft: number; now: () => number },
) {
  let shownMs = 0;
  return (totals: RunTotals, last: Outcome): void => {
    const nowMs = since.now();
    if (nowMs - shownMs < PROGRESS_EVERY_MS) return;
    shownMs = nowMs;
    const callsLeft = since.callsLeft - totals.calls;
    output.progress(progressLine({ totals, last, elapsedMs: nowMs - since.startedMs, callsLeft }));
  };
}

const PROGRESS_EVERY_MS = 200;

export interface Progress {
  readonly totals: RunTotals;
  readonly last: Outcome;
  readonly elapsedMs: number;
  /** Infinity: no limit. */
  readonly callsLeft: number;
}

/** The progress line: last call, calls spent and left, rate, results. */
export function progressLine({ totals, last, elapsedMs, callsLeft }: Progress): string {
  const perMinute = elapsedMs < 1000 ? null : Math.round((totals.calls / elapsedMs) * 60_000);
  const minutesLeft = perMinute === null || perMinute === 0 ? null : callsLeft / perMinute;
  return [
    doing(last),
    counted(totals.calls, 'call') + (callsLeft === Infinity ? '' : `, ${count(Math.max(0, callsLeft))} left`),
    ...(perMinute === null ? [] : [`${count(perMinute)} a minute`]),
    `${count(totals.listed)} new companies`,
    counted(totals.fetched + totals.changed + totals.unchanged, 'record'),
    ...(minutesLeft === null || callsLeft === Infinity
      ? []
      : [`quota lasts ${duration(Math.max(0, minutesLeft) * 60_000)}`]),
  ].join(' · ');
}

function doing({ call }: Outcome): string {
  switch (call.kind) {
    case 'stats':
      return 'fetched statistics';
    case 'search':
      return `searched ${printable(targetOf(call))}`;
    case 'entity':
      return `fetched ${printable(call.entityId)}`;
  }
}

/** Removes control characters: names and ids come from the upstream. */
function printable(text: string): string {
  return text.replace(/[\p{C}]/gu, '�').slice(0, 40);
}
