import type { BackfillReport } from '../../operations/backfill.ts';
import { reportData } from '../../operations/run.ts';
import { printable } from '../../printable.ts';
import { count, counted, localTime } from '../../report/figures.ts';
import type { BackfillItemRow, BackfillItemState, BackfillRow } from '../../warehouse/backfill.ts';
import { type Output, snakeKeys } from '../output.ts';
import { costLine, headlineOf } from '../run_report_text.ts';
import { BELOW_VALUE, labelled, tableText } from '../text_layout.ts';
import type { List } from './lists.ts';

type Counts = Readonly<Record<BackfillItemState, number>>;

/** What a person asks about a backfill beyond its counts. */
export interface BackfillDetails {
  /** The first queries and prefixes that found companies. */
  readonly listings: readonly BackfillItemRow[];
  /** The first lines without a company: not found, ambiguous or failed. */
  readonly unmatched: readonly BackfillItemRow[];
  /** How many of the remaining calls are reserved for scheduled runs. */
  readonly reserved: number;
}

export function describeBackfill(
  report: BackfillReport,
  { listings, unmatched, reserved }: BackfillDetails,
  output: Output,
): string {
  const { backfill, counts, run } = report;
  return [
    output.style('bold', `Backfill ${backfill.backfillId}: ${backfill.title}`),
    `  ${headline(report)}`,
    ...countLines(counts, [...listings, ...unmatched]),
    costLine(run, reserved),
  ].join('\n');
}

/** Returns one line for each state that at least one item has, and below it the given items in this state. */
function countLines(counts: Counts, items: readonly BackfillItemRow[] = []): string[] {
  return STATES.flatMap(([state, name, meaning]) =>
    counts[state] === 0
      ? []
      : [
          labelled(name, `${count(counts[state])}${meaning === '' ? '' : `  ${meaning}`}`),
          ...items
            .filter((item) => item.state === state)
            .map((item) => `${BELOW_VALUE}${printable(itemText(item))}`),
        ],
  );
}

/** A query or prefix can find many companies. Its note has their number. */
function itemText({ given, state, note }: BackfillItemRow): string {
  return state === 'found' && note !== null ? `${given}: ${note}` : given;
}

const STATES: readonly (readonly [BackfillItemState, string, string])[] = [
  ['found', 'found', ''],
  ['fresh', 'fresh', 'still fresh, no call needed'],
  ['gone', 'gone', 'deleted from the registry'],
  ['forgotten', 'forgotten', 'not fetched; list: registry-mirror forget --list'],
  ['not_found', 'not found', ''],
  ['ambiguous', 'ambiguous', 'several matches, or only similar names; the report lists them'],
  ['failed', 'failed', 'retry them: registry-mirror backfill --failed'],
  ['open', 'open', 'not processed yet; run the same command to resume'],
];

function headline({ run, backfill }: BackfillReport): string {
  const { ending, totals, callsLeft } = run;
  if (ending.ended === 'done') return totals.calls === 0 ? 'Done: no call was needed.' : 'Done.';
  if (ending.ended === 'allowance' && callsLeft > 0) {
    const { resumesAtMs } = ending;
    const resumption = resumesAtMs === null ? '' : ` It can resume on ${localTime(resumesAtMs)}.`;
    return `Paused: the ${counted(callsLeft, 'call')} left are reserved for scheduled runs (allowance.reserve).${resumption}`;
  }
  return headlineOf(run, `Resume: registry-mirror backfill --resume ${backfill.backfillId}`);
}

/** Returns the `data` object of `backfill --json`, as documented. */
export function backfillData(
  { backfill, counts, run }: BackfillReport,
  { unmatched }: BackfillDetails,
  reportPath: string | null,
) {
  return {
    ...orderData(backfill, counts),
    unmatched: unmatched.map(({ given, state }) => ({ given, state })),
    report: reportPath,
    run: reportData(run),
  };
}

export function orderData({ backfillId, title, createdAt, finishedAt }: BackfillRow, counts: Counts) {
  return { ...(snakeKeys({ backfillId, title, createdAt, finishedAt }) as object), ...counts };
}

export function itemCount(counts: Counts): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0);
}

/** Formats unfinished backfills as a table, or returns null if there are none. */
export function backfillsText(
  rows: readonly { backfill: BackfillRow; counts: Counts }[],
  output: Output,
): string | null {
  return tableText(
    output,
    [
      { header: 'backfill', align: 'right', cell: ({ backfill }) => String(backfill.backfillId) },
      { header: 'request', shrinks: true, cell: ({ backfill }) => backfill.title },
      { header: 'started', optional: true, cell: ({ backfill }) => localTime(backfill.createdAt) },
      { header: 'settled', align: 'right', cell: ({ counts }) => settledText(counts) },
      { header: 'continues with', cell: ({ backfill }) => continuation(backfill) },
    ],
    rows,
  );
}

function continuation({ backfillId, queuedAt }: BackfillRow): string {
  return queuedAt === null ? `backfill --resume ${backfillId}` : 'worker';
}

/** Formats how many items are settled, such as `120 of 500`. */
function settledText(counts: Counts): string {
  const all = itemCount(counts);
  return `${count(all - counts.open)} of ${count(all)}`;
}

/** Describes how many lines were ignored in each list. Returns null if none were. */
export function describeLists(lists: readonly List[]): string | null {
  const notes = lists.flatMap(({ from, blanks, comments, duplicates }) => {
    const ignored = [
      ...(blanks > 0 ? [counted(blanks, 'blank line')] : []),
      ...(comments > 0 ? [counted(comments, 'comment')] : []),
      ...(duplicates > 0 ? [counted(duplicates, 'duplicate')] : []),
    ];
    return ignored.length === 0 ? [] : [`${from}: ${ignored.join(', ')} ignored.`];
  });
  return notes.length === 0 ? null : notes.join(' ');
}
