import type { WorkerStatus } from '../../../jobs/queue_control.ts';
import { hasFailed, shortEnding } from '../../ending.ts';
import { printable } from '../../printable.ts';
import { ago, FACTS, type Line, type Shown } from '../../report/fact_table.ts';
import { count, duration, localTime } from '../../report/figures.ts';
import type { HealthState } from '../../report/health.ts';
import type { RunRow } from '../../warehouse/run.ts';
import { backfillsText, orderData } from '../backfill/backfill_text.ts';
import { type Output, snakeKeys } from '../output.ts';
import { BELOW_VALUE, labelled, tableText } from '../text_layout.ts';

/** What `status` shows beside the facts. */
export interface StatusReading extends Shown {
  /** Null if Redis does not respond or no worker has ever run for this registry. */
  readonly worker: WorkerStatus | null;
  /** The latest runs, most recent first. */
  readonly runs: readonly RunRow[];
  /** The command to start with if there is no mirror yet. */
  readonly firstCommand: string;
  /** Why the key is unknown, with the remedy; null if it is known. Only calls need it. */
  readonly missingKey: string | null;
}

/** Returns the `data` object of `status --json`. */
export function statusData(reading: StatusReading): Readonly<Record<string, unknown>> {
  const { worker, runs, trends } = reading;
  return {
    ...Object.fromEntries(FACTS.map((fact) => [fact.key, fact.json(reading)])),
    backfills: trends?.backfills.map(({ backfill, counts }) => orderData(backfill, counts)) ?? [],
    worker,
    runs: snakeKeys(runs),
  };
}

/** Returns the text that `status` prints: a line for each fact, then the tables of open and past work. */
export function statusText(reading: StatusReading, output: Output): string {
  const format = { time: localTime };
  const lines = FACTS.flatMap((fact) => fact.lines?.(reading, format) ?? []);
  const block = [
    ...headLines(reading, output),
    ...[...lines, ...workerLines(reading.worker, output)].flatMap((line) => printedLine(line, output)),
  ];
  const tables = [
    backfillsText(reading.trends?.backfills ?? [], output),
    scheduleTable(reading, output),
    runTable(reading, output),
  ];
  return [block.join('\n'), ...tables.filter((table) => table !== null)].join('\n\n');
}

function headLines(reading: StatusReading, output: Output): string[] {
  const { config, nowMs, mirror, firstCommand, missingKey } = reading;
  const { id, tier } = config.account;
  const account = `${id}, ${tier} tier, ${localTime(nowMs)}`;
  const head = `${output.style('bold', printable(config.source.name))}  ${output.style('dim', account)}`;
  if (mirror !== null) return [head];
  const first = `  nothing is mirrored yet; start with: registry-mirror ${firstCommand}`;
  return missingKey === null ? [head, first] : [head, first, `  ${printable(missingKey)}`];
}

function printedLine({ label, value, notes = [], parts, tone }: Line, output: Output): string[] {
  const text = tone === undefined ? printable(value) : output.style(STYLES[tone], printable(value));
  const bar = parts === undefined ? '' : `${ageBar(parts, output)}  `;
  return [labelled(label, bar + text), ...notes.map((note) => BELOW_VALUE + printedNote(note, tone, output))];
}

/** A note is dim, except a remedy, whose commands are bold. */
function printedNote(note: string, tone: HealthState | undefined, output: Output): string {
  if (tone === undefined) return output.style('dim', printable(note));
  return note.replace(/`([^`]*)`/g, (_, command: string) => output.style('bold', command));
}

function workerLines(worker: WorkerStatus | null, output: Output): Line[] {
  if (worker === null) return [];
  const { leader, paused } = worker;
  if (leader === null) return [{ label: 'worker', value: 'not running', tone: 'empty' }];
  const since = localTime(leader.since);
  const pause = paused ? [output.style('yellow', 'The queue is paused.'), RESUME] : [];
  return [
    { label: 'worker', value: `process ${leader.pid} on ${leader.host}, since ${since}`, notes: pause },
  ];
}

function scheduleTable({ worker, nowMs }: StatusReading, output: Output): string | null {
  // Only a worker follows the schedules.
  const nextRun = (at: string | null) => {
    if (worker?.leader == null) return 'no worker runs';
    return at === null ? 'none' : localTime(at);
  };
  const past = (at: string | null) => (at === null ? null : ago(at, nowMs));
  return tableText(
    output,
    [
      { header: 'schedule', cell: ({ name }) => name },
      { header: 'pattern', optional: true, cell: ({ pattern, timezone }) => `${pattern} ${timezone}` },
      { header: 'next', cell: ({ next_at }) => nextRun(next_at) },
      { header: 'last', cell: ({ last_at }) => past(last_at) ?? 'never' },
      { header: 'ended', optional: true, cell: ({ last_ended }) => last_ended ?? '' },
      { header: 'heartbeat', optional: true, cell: ({ heartbeat_at }) => past(heartbeat_at) ?? 'none' },
    ],
    worker?.schedules ?? [],
  );
}

function runTable({ runs, mirror }: StatusReading, output: Output): string | null {
  return tableText(
    output,
    [
      { header: 'run', align: 'right', cell: ({ runId }) => String(runId) },
      { header: 'command', cell: ({ command }) => command },
      { header: 'started', cell: ({ startedAt }) => localTime(startedAt) },
      { header: 'took', align: 'right', optional: true, cell: tookText },
      { header: 'ended', cell: (run) => shortEnding(run, run === runs[0] && mirror?.isHeld === true) },
      { header: 'calls', align: 'right', cell: ({ calls }) => count(calls) },
      { header: 'new', align: 'right', optional: true, cell: (run) => count(run.new) },
      { header: 'changed', align: 'right', optional: true, cell: ({ changed }) => count(changed) },
      { header: 'gone', align: 'right', optional: true, cell: ({ gone }) => count(gone) },
    ],
    runs,
    hasFailed,
  );
}

function tookText({ startedAt, endedAt }: RunRow): string {
  return endedAt === null ? '' : duration(Date.parse(endedAt) - Date.parse(startedAt));
}

/** Draws a bar of at most BAR_WIDTH characters. Younger age classes are darker. */
function ageBar(parts: readonly number[], output: Output): string {
  const shades = ['█', '▓', '▒', '░', '·'];
  let text = '';
  let reached = 0;
  parts.forEach((part, at) => {
    reached += part * BAR_WIDTH;
    text = text.padEnd(Math.round(reached), shades[at] ?? shades.at(-1));
  });
  return output.style('cyan', text.padEnd(BAR_WIDTH));
}

const STYLES = {
  needs_you: 'red',
  working: 'cyan',
  waiting: 'yellow',
  empty: 'yellow',
  healthy: 'green',
} as const satisfies Record<HealthState, string>;
const RESUME = 'Resume it with: registry-mirror worker resume';
const BAR_WIDTH = 20;
