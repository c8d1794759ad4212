import { printable } from '../../printable.ts';
import { count, duration, localTime } from '../../report/figures.ts';
import { hasFailed, runEnding } from '../../report/run_ending.ts';
import type { CallCount, RunCall } from '../../warehouse/call_counts.ts';
import type { RunRow } from '../../warehouse/run.ts';
import { type Output, snakeKeys } from '../output.ts';
import { labelled, tableText } from '../text_layout.ts';

/** One run, as `status --run` shows it. */
interface RunDetails {
  readonly run: RunRow;
  readonly isRunning: boolean;
  readonly counts: readonly CallCount[];
  /** The last calls without a result, most recent first. */
  readonly failedCalls: readonly RunCall[];
}

export function describeRun({ run, isRunning, counts, failedCalls }: RunDetails, output: Output): string {
  const ending = printable(runEnding(run, isRunning));
  const took =
    run.endedAt === null ? '' : `, after ${duration(Date.parse(run.endedAt) - Date.parse(run.startedAt))}`;
  const head = [
    output.style('bold', `Run ${run.runId}: ${run.command}`),
    labelled('started', localTime(run.startedAt)),
    labelled('ended', `${hasFailed(run) ? output.style('red', ending) : ending}${took}`),
    labelled(
      'results',
      `${count(run.new)} new, ${count(run.changed)} changed, ${count(run.gone)} gone, ${count(run.quarantined)} in quarantine`,
    ),
  ];
  const calls = tableText(
    output,
    [{ header: 'calls', align: 'right' }, { header: 'kind' }, { header: 'outcome' }],
    counts.map(({ kind, outcome, calls: sent }) => [count(sent), kind, outcome]),
  );
  const failures = tableText(
    output,
    [
      { header: 'sent' },
      { header: 'call', shrinks: true, least: 12 },
      { header: 'outcome' },
      { header: 'HTTP', align: 'right', optional: true },
      { header: 'note', shrinks: true, least: 16 },
    ],
    failedCalls.map((call) => [
      localTime(call.sentAt),
      `${call.kind} ${call.target}`,
      call.outcome,
      String(call.status ?? '–'),
      call.note ?? '',
    ]),
  );
  return [head.join('\n'), calls, failures].filter((part) => part !== null).join('\n\n');
}

export function runData({ run, counts, failedCalls }: RunDetails) {
  return { ...(snakeKeys(run) as object), calls_by_outcome: counts, failed_calls: snakeKeys(failedCalls) };
}
