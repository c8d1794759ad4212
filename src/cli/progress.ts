import stringWidth from 'string-width';
import { targetOf } from '../call.ts';
import type { Clock } from '../clock.ts';
import { MINUTE_MS } from '../durations.ts';
import type { OnProgress } from '../mirror.ts';
import type { Outcome } from '../outcome.ts';
import { printable } from '../printable.ts';
import { count, counted, duration } from '../report/figures.ts';
import type { RunTotals } from '../run_totals.ts';
import type { Output } from './output.ts';

/**
 * Shows a run's progress in a line that is updated at most five times a second. With `--verbose`, each call also gets
 * its own line.
 */
export function showProgress(output: Output, clock: Clock, maxCalls: number): OnProgress {
  const startedMs = clock.now();
  let shownMs = 0;
  return (totals, outcomes) => {
    for (const outcome of outcomes) output.detail(callLine(outcome));
    if (outcomes.some(isKeyInDoubt)) output.announce(KEY_IN_DOUBT);
    const nowMs = clock.now();
    const last = outcomes.at(-1);
    if (last === undefined || nowMs - shownMs < PROGRESS_EVERY_MS) return;
    shownMs = nowMs;
    output.progress(progressLine({ totals, last, startedMs, nowMs, maxCalls }, output.columns - 1));
  };
}

const PROGRESS_EVERY_MS = 200;

function isKeyInDoubt({ verdict }: Outcome): boolean {
  return verdict.is === 'unauthorised' && verdict.isUnconfirmed === true;
}

const KEY_IN_DOUBT =
  'The upstream refused the key, which has worked before. No call is sent for one minute. The call after that shows whether the key is still accepted.';

export interface Progress {
  readonly totals: RunTotals;
  readonly last: Outcome;
  readonly startedMs: number;
  readonly nowMs: number;
  /**
   * How many calls the run may make: the remaining quota or `--max-calls`, whichever is smaller. Infinity if there is
   * no limit.
   */
  readonly maxCalls: number;
}

/**
 * Formats the progress line: calls, rate and the latest finish time, followed by results and the last call. Parts that do not fit in
 * the terminal are omitted.
 */
export function progressLine(progress: Progress, columns: number): string {
  const { totals, last, startedMs, nowMs, maxCalls } = progress;
  const left = Math.max(0, maxCalls - totals.calls);
  const perMinute = nowMs - startedMs < 1000 ? 0 : (totals.calls / (nowMs - startedMs)) * MINUTE_MS;
  const parts = [
    maxCalls === Infinity
      ? counted(totals.calls, 'call')
      : `${count(totals.calls)} of at most ${counted(maxCalls, 'call')}`,
    perMinute > 0 && `${count(perMinute)}/min`,
    perMinute > 0 &&
      left !== Infinity &&
      `ends by ${clockTime(nowMs + (left / perMinute) * MINUTE_MS, nowMs)}`,
    `${count(totals.listed)} new`,
    counted(totals.fetched, 'record'),
    totals.failed > 0 && `${count(totals.failed)} failed`,
    lastCall(last),
  ];
  return parts
    .filter((part) => part !== false)
    .reduce((line, part) => {
      const longer = line === '' ? part : `${line} · ${part}`;
      return stringWidth(longer) <= columns ? longer : line;
    }, '');
}

/** Formats a time as `14:05 CET`, or as `22 Nov 14:05 CET` if it is on another day. */
function clockTime(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const time = at.toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  if (at.toDateString() === new Date(nowMs).toDateString()) return time;
  return `${at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${time}`;
}

/** Formats a call, such as `2026-11-22T14:05:03.120Z search acme: ok (HTTP 200, 143 ms)`. */
function callLine(outcome: Outcome): string {
  const { sentAt, status, durationMs, verdict } = outcome;
  const why = 'why' in verdict ? `, ${printable(verdict.why)}` : '';
  const response = status === null ? 'no response' : `HTTP ${status}`;
  return `${sentAt} ${lastCall(outcome)}: ${verdict.is}${why} (${response}, ${duration(durationMs)})`;
}

function lastCall({ call }: Outcome): string {
  switch (call.kind) {
    case 'stats':
      return 'statistics';
    case 'search':
      return `search ${printable(targetOf(call)).slice(0, 40)}`;
    case 'entity':
      return `record ${printable(call.entityId).slice(0, 40)}`;
  }
}
