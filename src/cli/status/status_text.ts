import type { LedgerState, WindowState } from '../../allowance/ledger.ts';
import { windowLengthMs, windowRow } from '../../allowance/window_table.ts';
import { byteSize, count, counted, duration, localTime, percent } from '../../report/figures.ts';
import { quotaForecastOf } from '../../report/quota_forecast.ts';
import { AGES, type MirrorFacts, type StatusSnapshot } from '../../report/status_snapshot.ts';
import type { Output } from '../output.ts';
import { fitted, printable, tableLines } from '../table.ts';

/** The state of everything, for a person. */
export function describeStatus(facts: StatusSnapshot, output: Output): string {
  const { config, mirror, nowMs } = facts;
  const head = output.style('bold', printable(config.source.name));
  const lines = [
    `${head}  ${output.style('dim', `${config.account.id}, ${config.account.tier} tier, ${localTime(nowMs)}`)}`,
    ...(mirror === null
      ? ['  nothing is mirrored yet: registry-mirror sync']
      : mirrorLines(mirror, nowMs, output)),
    ...allowanceLines(facts),
    ...(mirror === null ? [] : attentionLines(facts, mirror, output)),
  ];
  const sections =
    mirror === null
      ? []
      : [backfillTable(mirror, output), scheduleTable(facts, output), runTable(mirror, output)];
  return [
    lines.map((line) => fitted(line, output.columns * 2)).join('\n'),
    ...sections.filter((section) => section !== null),
  ].join('\n\n');
}

function mirrorLines(
  { coverage, estimate, ages, health, holder }: MirrorFacts,
  nowMs: number,
  output: Output,
): string[] {
  const { known, fetched, gone, registryTotal, registryTotalAt, knownShare, fetchedShare } = coverage;
  const of = registryTotal === null ? '' : ` of ${count(registryTotal)}`;
  const share = knownShare === null ? '' : ` (${percent(Math.min(1, knownShare))})`;
  const records = fetchedShare === null ? '' : ` (${percent(Math.min(1, fetchedShare))})`;
  const counted_ =
    registryTotalAt === null
      ? 'the registry gives no count of its own'
      : `the registry's own count, seen ${ago(registryTotalAt, nowMs)}`;
  return [
    `  coverage   ${count(known - gone)}${of} companies${share}, ${counted(fetched, 'record')}${records}${gone > 0 ? `, ${count(gone)} gone` : ''}`,
    `             ${output.style('dim', counted_)}`,
    ...estimateLines(estimate, output),
    ...freshnessLines(ages, output),
    `  files      warehouse ${byteSize(health.bytes)}${health.walBytes > 1_000_000 ? `, its log ${byteSize(health.walBytes)}` : ''}`,
    ...(holder === null
      ? []
      : [
          `  at work    process ${holder.pid} on ${printable(holder.host)}, since ${localTime(Date.parse(holder.takenAt))}`,
        ]),
  ];
}

/** What searches say about the coverage, beside the registry's own count or in place of it. */
function estimateLines({ low, high, by, recaptured }: MirrorFacts['estimate'], output: Output): string[] {
  const seen =
    recaptured === null
      ? null
      : `of the companies on ${counted(recaptured.pages, 'page')} of searches, ${percent(recaptured.low)} to ${percent(recaptured.high)} were known before`;
  const said =
    by === 'statistics'
      ? seen
      : `estimated at ${percent(low)} to ${percent(high)}${seen === null ? '' : `: ${seen}`}`;
  return said === null ? [] : [`             ${output.style('dim', said)}`];
}

/** How old the records and list items are: a bar each, and the figures. */
function freshnessLines(ages: MirrorFacts['ages'], output: Output): string[] {
  const names = [...AGES.map((days) => (days === 1 ? '1 day' : `${days} days`)), 'older'];
  const line = (what: 'records' | 'summaries', name: string) => {
    const total = ages.reduce((sum, one) => sum + one[what], 0);
    if (total === 0) return [];
    const figures = ages.flatMap((one, at) => (one[what] > 0 ? [`${names[at]} ${count(one[what])}`] : []));
    return [
      `  ${name}${bar(
        ages.map((one) => one[what] / total),
        output,
      )}  ${figures.join(' · ')}`,
    ];
  };
  return [...line('summaries', 'seen in    '), ...line('records', 'fetched in ')];
}

/** Ten characters, darker for younger. */
function bar(shares: readonly number[], output: Output): string {
  const marks = ['█', '▓', '▒', '░', '·'];
  let text = '';
  let reached = 0;
  shares.forEach((share, at) => {
    reached += share * BAR_WIDTH;
    text = text.padEnd(Math.round(reached), marks[at]);
  });
  return output.style('cyan', text.padEnd(BAR_WIDTH, marks.at(-1)).slice(0, BAR_WIDTH));
}

function allowanceLines({ allowance, mirror, config, nowMs }: StatusSnapshot): string[] {
  const { scheduled, backfill } = allowance;
  const { per_minute: perMinute } = config.allowance;
  const windows = scheduled.windows.flatMap((window, at) => {
    const reserved = window.left - Math.min(window.left, backfill.windows[at]?.left ?? window.left);
    return [windowLine(window, reserved), ...forecastLine(window, mirror, nowMs)];
  });
  const rate = perMinute === null ? 'no limit' : `at most ${counted(perMinute, 'call')} a minute`;
  const used = mirror === null ? '' : `; ${counted(mirror.callsLastHour, 'call')} in the last hour`;
  return [
    ...(windows.length === 0 ? ['  allowance  unlimited'] : windows),
    `  rate       ${rate}${used}`,
    ...shutLines(scheduled),
  ];
}

function windowLine({ name, limit, spent, left, resetsAtMs }: WindowState, reserved: number): string {
  const { per } = windowRow(name).words;
  const kept = reserved > 0 ? ` (${count(reserved)} kept from backfills)` : '';
  const reset = resetsAtMs === null ? '' : `; resets ${localTime(resetsAtMs)}`;
  return `  allowance  ${count(spent)} of ${count(limit)} ${per} spent, ${count(left)} left${kept}${reset}`;
}

function forecastLine(
  { left, resetsAtMs, name }: WindowState,
  mirror: MirrorFacts | null,
  nowMs: number,
): string[] {
  if (mirror === null || left <= 0 || windowLengthMs(windowRow(name)) <= DAY_MS) return [];
  const ahead = quotaForecastOf({ nowMs, left, resetsAtMs, lately: mirror.lately });
  if (ahead.is === 'still') return [];
  const pace = `             at ${count(Math.round(ahead.perDay))} a day of late`;
  if (ahead.is === 'ends') return [`${pace} it is spent by ${localTime(ahead.atMs)}`];
  return [`${pace} it lasts, with ${count(Math.max(0, Math.round(ahead.left)))} left over`];
}

function shutLines({ exhausted, pausedUntilMs, refusedKey, left, resumesAtMs }: LedgerState): string[] {
  const lines: string[] = [];
  if (refusedKey !== null)
    lines.push(
      `  key        refused by the upstream on ${localTime(refusedKey.sinceMs)}: registry-mirror doctor --online tries it again`,
    );
  if (exhausted !== null)
    lines.push(
      `  upstream   says since ${localTime(exhausted.atMs)} that the allowance is spent, though ${count(exhausted.left)} were counted as left`,
    );
  if (left <= 0)
    lines.push(
      resumesAtMs === null
        ? '  paused     this account has no calls left'
        : `  paused     until ${localTime(resumesAtMs)}`,
    );
  else if (pausedUntilMs !== null)
    lines.push(`  paused     by the upstream until ${localTime(pausedUntilMs)}`);
  return lines;
}

function attentionLines(
  { worker }: StatusSnapshot,
  { quarantined, waiting }: MirrorFacts,
  output: Output,
): string[] {
  return [
    ...(quarantined > 0
      ? [
          output.style(
            'yellow',
            `  quarantine ${counted(quarantined, 'answer')} could not be understood: registry-mirror quarantine list`,
          ),
        ]
      : []),
    ...(waiting > 0 ? [`  waiting    ${counted(waiting, 'target')} failed and wait for another try`] : []),
    ...(worker === null
      ? []
      : [
          `  worker     ${worker.leader === null ? output.style('yellow', 'none runs') : `process ${worker.leader.pid} on ${printable(worker.leader.host)}, since ${localTime(Date.parse(worker.leader.since))}`}`,
        ]),
  ];
}

function backfillTable({ backfills }: MirrorFacts, output: Output): string | null {
  if (backfills.length === 0) return null;
  return table(
    [
      { header: 'backfill', align: 'right' },
      { header: 'asked for', shrinks: true },
      { header: 'settled', align: 'right' },
    ],
    backfills.map(({ backfill, counts }) => {
      const all = Object.values(counts).reduce((sum, one) => sum + one, 0);
      return [String(backfill.backfillId), backfill.title, `${count(all - counts.open)} of ${count(all)}`];
    }),
    output,
  );
}

function scheduleTable({ worker, nowMs }: StatusSnapshot, output: Output): string | null {
  if (worker === null) return null;
  return table(
    [
      { header: 'schedule' },
      { header: 'pattern', optional: true },
      { header: 'next' },
      { header: 'last' },
      { header: 'ended', optional: true },
      { header: 'heartbeat', optional: true },
    ],
    worker.schedules.map(({ name, pattern, timezone, next_at, last_at, last_ended, heartbeat_at }) => [
      name,
      `${pattern} ${timezone}`,
      localTime(Date.parse(next_at)),
      last_at === null ? 'never' : ago(last_at, nowMs),
      last_ended ?? '',
      heartbeat_at === null ? 'none' : ago(heartbeat_at, nowMs),
    ]),
    output,
  );
}

export function runTable(
  { runs, holder }: Pick<MirrorFacts, 'runs' | 'holder'>,
  output: Output,
): string | null {
  if (runs.length === 0) return null;
  return table(
    [
      { header: 'run', align: 'right' },
      { header: 'command' },
      { header: 'began' },
      { header: 'took', align: 'right', optional: true },
      { header: 'ended', shrinks: true, least: 16 },
      { header: 'calls', align: 'right' },
      { header: 'new', align: 'right', optional: true },
      { header: 'changed', align: 'right', optional: true },
      { header: 'gone', align: 'right', optional: true },
    ],
    runs.map((run, at) => [
      String(run.runId),
      run.command,
      localTime(Date.parse(run.startedAt)),
      run.endedAt === null ? '' : duration(Date.parse(run.endedAt) - Date.parse(run.startedAt)),
      endOf(run, at === 0 && holder !== null),
      count(run.calls),
      count(run.new),
      count(run.changed),
      count(run.gone),
    ]),
    output,
  );
}

function endOf({ ended, error }: MirrorFacts['runs'][number], isAtWork: boolean): string {
  if (ended === null) return isAtWork ? 'at work' : 'cut off';
  const words = ENDINGS[ended] ?? ended;
  return error === null ? words : `${words}: ${error}`;
}

const ENDINGS: Readonly<Record<string, string>> = {
  done: 'done',
  allowance: 'allowance spent',
  max_calls: 'its calls made',
  max_minutes: 'its time over',
  interrupted: 'interrupted',
  stood_aside: 'let another through',
  unauthorised: 'key refused',
  drift: 'upstream changed',
  failed: 'failed',
};

function table(columns: Parameters<typeof tableLines>[0], rows: string[][], output: Output): string {
  const [header = '', ...lines] = tableLines(columns, rows, output.columns);
  return [output.style('dim', header), ...lines].join('\n');
}

/** `3 days 4 h ago`. */
function ago(iso: string, nowMs: number): string {
  const passedMs = nowMs - Date.parse(iso);
  return passedMs < 1000 ? 'just now' : `${duration(passedMs)} ago`;
}

const BAR_WIDTH = 20;

const DAY_MS = 86_400_000;
