import { byteSize, count, counted, localTime } from '../../report/figures.ts';
import type { Quarantined } from '../../warehouse/quarantine.ts';
import type { Output } from '../output.ts';
import { printable, tableLines } from '../table.ts';

export function describeList(entries: readonly Quarantined[], open: number, output: Output): string {
  if (entries.length === 0) return 'The quarantine is empty.';
  const showsState = entries.some(({ state }) => state !== 'open');
  const [header = '', ...lines] = tableLines(
    [
      { header: 'no.', align: 'right' },
      { header: 'answer to', shrinks: true, least: 15 },
      { header: 'reason', shrinks: true, least: 26 },
      ...(showsState ? [{ header: 'state' }] : []),
      { header: 'times', align: 'right', optional: true },
      { header: 'last', optional: true },
    ],
    entries.map((entry) => [
      String(entry.quarantineId),
      askedFor(entry),
      entry.reason,
      ...(showsState ? [entry.state] : []),
      count(entry.times),
      localTime(Date.parse(entry.quarantinedAt)),
    ]),
    output.columns,
  );
  const shown = entries.filter(({ state }) => state === 'open').length;
  return [
    output.style('dim', header),
    ...lines,
    '',
    `${counted(open, 'entry waits', 'entries wait')}${shown < open ? ` (${count(shown)} shown; --limit shows more)` : ''}. Look at one with \`quarantine show NUMBER\`; read them again with \`quarantine replay\`, ask again with \`backfill --failed\`.`,
  ].join('\n');
}

export function describeEntry(entry: Quarantined, body: string | null, output: Output): string {
  return [
    output.style('bold', `Entry ${entry.quarantineId}: ${printable(entry.reason)}`),
    `  answer to  ${printable(askedFor(entry))}`,
    `  state      ${entry.state}${entry.times > 1 ? `, answered so ${count(entry.times)} times` : ''}`,
    `  call       ${entry.callId} of run ${entry.runId}, ${localTime(Date.parse(entry.quarantinedAt))}, HTTP ${entry.status ?? '–'}, ${byteSize(entry.bytes)}`,
    '',
    body === null ? '(the answer is no longer kept)' : readable(body),
  ].join('\n');
}

/** JSON laid out; anything else as it is, without control characters. */
function readable(body: string): string {
  const shown =
    body.length > MOST_SHOWN
      ? `${body.slice(0, MOST_SHOWN)}\n… (${byteSize(Buffer.byteLength(body))} in all; --json prints it whole)`
      : laidOut(body);
  return shown.split('\n').map(printable).join('\n');
}

function laidOut(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // It is in quarantine, after all.
    return body;
  }
}

function askedFor({ kind, target, position }: Quarantined): string {
  if (kind === 'stats') return 'statistics';
  const what = kind === 'entity' ? `record ${target}` : `search ${target}`;
  return position === null ? what : `${what}, item ${position + 1}`;
}

export function entryData(entry: Quarantined) {
  return {
    number: entry.quarantineId,
    kind: entry.kind,
    target: entry.target,
    position: entry.position,
    reason: entry.reason,
    times: entry.times,
    quarantined_at: entry.quarantinedAt,
    state: entry.state,
    call_id: entry.callId,
    run_id: entry.runId,
    status: entry.status,
    bytes: entry.bytes,
  };
}

const MOST_SHOWN = 20_000;
