import type { BackfillReport } from '../../operations/backfill.ts';
import { reportData } from '../../operations/run.ts';
import { count, counted, localTime } from '../../report/figures.ts';
import type { BackfillItemState, BackfillRow } from '../../warehouse/backfill.ts';
import type { Output } from '../output.ts';
import { headlineOf } from '../run_report.ts';
import { tableLines } from '../table.ts';
import type { List } from './lists.ts';

export type Counts = Readonly<Record<BackfillItemState, number>>;

/** What became of a backfill, in words. */
export function describeBackfill(report: BackfillReport, output: Output): string {
  const { backfill, counts, run } = report;
  const { stats, search, entity } = run.totals.callsByKind;
  const left =
    run.callsLeft === Number.POSITIVE_INFINITY
      ? 'no limit on calls'
      : `${counted(run.callsLeft, 'call')} left`;
  return [
    output.style('bold', `Backfill ${backfill.backfillId}: ${backfill.title}`),
    `  ${headline(report)}`,
    ...countLines(counts),
    `  cost       ${counted(run.totals.calls, 'call')} (${count(stats)} statistics, ${count(search)} searches, ${count(entity)} records); ${left}`,
  ].join('\n');
}

/** One line per state that occurs. */
export function countLines(counts: Counts): string[] {
  return STATES.flatMap(([state, name, meaning]) =>
    counts[state] === 0
      ? []
      : [`  ${name.padEnd(10)} ${count(counts[state])}${meaning === '' ? '' : `  ${meaning}`}`],
  );
}

const STATES: readonly (readonly [BackfillItemState, string, string])[] = [
  ['found', 'found', ''],
  ['fresh', 'fresh', 'fetched lately, so no call was spent on them'],
  ['gone', 'gone', 'deleted from the registry'],
  ['not_found', 'not found', ''],
  ['ambiguous', 'ambiguous', 'names that only a person can decide: the report lists the candidates'],
  ['failed', 'failed', 'the upstream failed; `backfill --failed` tries them again'],
  ['open', 'open', 'not asked yet; the same command goes on with them'],
];

function headline({ run, backfill }: BackfillReport): string {
  switch (run.ending.ended) {
    case 'done':
      return run.totals.calls === 0 ? 'Done: no call was needed.' : 'Done.';
    case 'allowance':
      return run.callsLeft > 0
        ? `Paused: the ${counted(run.callsLeft, 'call')} left are kept for the scheduled work (allowance.reserve).${resumption(run.ending.resumesAtMs)}`
        : headlineOf(run);
    case 'max_calls':
      return 'Stopped at --max-calls; the same command goes on from here.';
    case 'max_minutes':
      return 'Stopped at its time; the same command goes on from here.';
    case 'interrupted':
      return `Interrupted: what was in flight is loaded; \`backfill --resume ${backfill.backfillId}\` goes on from here.`;
    default:
      return headlineOf(run);
  }
}

function resumption(resumesAtMs: number | null): string {
  return resumesAtMs === null ? '' : ` It can go on from ${localTime(resumesAtMs)}.`;
}

/** The documented `data` of `backfill --json`. */
export function backfillData({ backfill, counts, run }: BackfillReport, reportPath: string | null) {
  return { ...orderData(backfill, counts), report: reportPath, run: reportData(run) };
}

export function orderData(backfill: BackfillRow, counts: Counts) {
  return {
    backfill_id: backfill.backfillId,
    title: backfill.title,
    created_at: backfill.createdAt,
    finished_at: backfill.finishedAt,
    ...counts,
  };
}

/** Unfinished backfills as a table. */
export function describeUnfinished(
  rows: readonly { backfill: BackfillRow; counts: Counts }[],
  output: Output,
): string {
  if (rows.length === 0) return 'No backfill is unfinished.';
  const cells = rows.map(({ backfill, counts }) => {
    const all = Object.values(counts).reduce((sum, one) => sum + one, 0);
    const begun = localTime(Date.parse(backfill.createdAt));
    return [
      String(backfill.backfillId),
      backfill.title,
      begun,
      `${count(all - counts.open)} of ${count(all)}`,
    ];
  });
  const [header = '', ...lines] = tableLines(
    [
      { header: 'no.', align: 'right' },
      { header: 'asked for', shrinks: true },
      { header: 'begun', optional: true },
      { header: 'settled', align: 'right' },
    ],
    cells,
    output.columns,
  );
  return [output.style('dim', header), ...lines].join('\n');
}

/** What was left out of the lists. */
export function describeLists(lists: readonly List[]): string | null {
  const notes = lists.flatMap(({ from, blanks, duplicates }) => {
    const left = [
      ...(blanks > 0 ? [counted(blanks, 'blank line')] : []),
      ...(duplicates > 0 ? [counted(duplicates, 'duplicate')] : []),
    ];
    return left.length === 0 ? [] : [`${from}: ${left.join(' and ')} left out.`];
  });
  return notes.length === 0 ? null : notes.join(' ');
}
