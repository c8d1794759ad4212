import { type Ending, hasFailed } from '../ending.ts';
import type { RunReport } from '../operations/run.ts';
import { count, counted, localTime, percent } from '../report/figures.ts';
import { RAISED_REMEDY, REFUSED_KEY_REMEDY, sentence, USED_UP_REMEDY } from '../report/problems.ts';
import { type ErrorText, lines, type Output } from './output.ts';
import { labelled } from './text_layout.ts';

export function describeReport(report: RunReport, output: Output): string {
  const { totals, coverage, ending } = report;
  const headline = output.style('bold', headlineOf(report));
  if (ending.ended === 'another_run') return headline;
  const results = `${count(totals.listed)} new, ${counted(totals.fetched, 'record')} fetched, ${count(totals.changed)} changed, ${count(totals.gone)} gone`;
  const kept = `${counted(totals.quarantined, 'response')} in quarantine; list: registry-mirror quarantine list`;
  return lines(
    headline,
    labelled('mirror', `${knownOf(report)}, ${counted(coverage.fetched, 'record')}`),
    labelled('run', results),
    costLine(report),
    totals.failed > 0 &&
      labelled('failed', `${counted(totals.failed, 'call')}; they are retried after a backoff`),
    totals.quarantined > 0 && output.style('yellow', labelled('kept', kept)),
  );
}

/** Returns the calls that a run spent, and the calls left. `reserved` of them only scheduled runs can spend. */
export function costLine({ totals, callsLeft }: RunReport, reserved = 0): string {
  const { stats, search, entity } = totals.callsByKind;
  const calls = `${counted(totals.calls, 'call')} (${count(stats)} statistics, ${counted(search, 'search', 'searches')}, ${counted(entity, 'record')})`;
  const left = callsLeft === Infinity ? 'no limit on calls' : `${counted(callsLeft, 'call')} left`;
  const rest = reserved > 0 ? `, ${count(reserved)} of them reserved for scheduled runs` : '';
  return labelled('cost', `${calls}; ${left}${rest}`);
}

/** Describes how the run ended, and how its work continues. */
export function headlineOf(
  { ending, totals, coverage, coverageEstimate }: RunReport,
  next = 'The next run continues.',
): string {
  switch (ending.ended) {
    case 'done':
      if (totals.calls === 0) return 'Nothing is due; no call was sent.';
      return coverageEstimate?.by === 'nothing' && coverage.registryTotal === null
        ? 'Done: nothing more is due. It is unknown whether the mirror is complete.'
        : 'Done: nothing more is due.';
    case 'allowance':
      return `${pausedOf(ending)}${afterPause(ending)}`;
    case 'max_calls':
      return `Call limit reached (--max-calls). ${next}`;
    case 'max_minutes':
      return `Time limit reached (--max-minutes). ${next}`;
    case 'interrupted':
      return `Interrupted: all received responses are loaded. ${next}`;
    case 'another_run':
      return `Another run holds the warehouse's lock (process ${ending.holder.pid} on ${ending.holder.host}, since ${localTime(ending.holder.takenAt)}).`;
    case 'unauthorised':
      return `${sentence(KEY_REFUSED, ending.why)} ${REFUSED_KEY_REMEDY}`;
    case 'drift':
      return `Stopped: the responses no longer match the dialect. ${ending.why}`;
    case 'failed':
      return `Failed: ${ending.why}`;
  }
}

export const KEY_REFUSED = 'Stopped: the upstream refused the key';

function pausedOf({ resumesAtMs }: Ending & { ended: 'allowance' }): string {
  return resumesAtMs === null
    ? `Quota exhausted: this account has no calls left. ${USED_UP_REMEDY}`
    : `Paused: the quota is used up. Calls resume on ${localTime(resumesAtMs)}.`;
}

/** The limit can have been raised since an earlier run received the report. */
function afterPause({ why, isReported }: Ending & { ended: 'allowance' }): string {
  if (why !== undefined) return ` The upstream reported: ${why}`;
  return isReported === true ? ` ${RAISED_REMEDY}` : '';
}

/**
 * Returns the exit code: 0 done or paused; 1 failed; 3 done, with responses in quarantine; 75 paused, with --strict;
 * 130 interrupted.
 */
export function exitCodeOf({ ending, totals }: RunReport, isStrict: boolean): number {
  if (hasFailed(ending)) return 1;
  if (ending.ended === 'interrupted') return 130;
  if (totals.quarantined > 0) return 3;
  if (!isStrict) return 0;
  if (ending.ended === 'allowance') return 75;
  return totals.calls > 0 && loadedNothing(totals) ? 1 : 0;
}

/** Returns a run's `error` in the JSON document. Responses in quarantine are not a failure. */
export function errorOf(report: RunReport, exitCode: number): ErrorText | null {
  return exitCode === 0 || exitCode === 3 ? null : { message: headlineOf(report), hint: null };
}

/** Returns the text to print with `--quiet`, or null if nothing needs attention. */
export function attentionOf(report: RunReport, exitCode: number): string | null {
  const { ending, totals } = report;
  const parts: string[] = [];
  const isExhausted = ending.ended === 'allowance' && ending.resumesAtMs === null;
  if (isExhausted || (exitCode !== 0 && exitCode !== 3)) parts.push(headlineOf(report));
  if (totals.quarantined > 0)
    parts.push(
      `${counted(totals.quarantined, 'response')} moved to quarantine; list: registry-mirror quarantine list`,
    );
  if (ending.ended === 'done' && totals.calls > 0 && loadedNothing(totals))
    parts.push(`${counted(totals.calls, 'call')} spent, but nothing was loaded.`);
  return parts.length === 0 ? null : parts.join('\n');
}

function knownOf({ coverage, coverageEstimate }: RunReport): string {
  const { gone, registryTotal, knownShare } = coverage;
  const present = coverage.known - gone;
  const known = `${counted(present, 'company', 'companies')} known`;
  // A run that found nothing may not have received the statistics either.
  if (present === 0 && registryTotal === null) return known;
  if (registryTotal === null || knownShare === null) {
    const { by = 'nothing', low = 0, largestTotal } = coverageEstimate ?? {};
    if (by === 'searches') return `${known} (${percent(low)} of the listing of all companies)`;
    return (largestTotal ?? 0) > coverage.known
      ? `${known} (a search has ${count(largestTotal ?? 0)} results)`
      : `${known} (the registry reports no count)`;
  }
  if (present > registryTotal)
    return `${known} (the registry reports ${count(registryTotal)}; the others are gone or not counted)`;
  return `${known} (${percent(knownShare)} of the registry's ${count(registryTotal)})`;
}

function loadedNothing({ listed, fetched, gone, callsByKind }: RunReport['totals']): boolean {
  return listed + fetched + gone === 0 && callsByKind.search + callsByKind.entity > 0;
}
