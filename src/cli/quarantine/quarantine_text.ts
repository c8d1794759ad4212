import { printable, printableLines } from '../../printable.ts';
import { byteSize, count, counted, localTime } from '../../report/figures.ts';
import type { Quarantined } from '../../warehouse/quarantine.ts';
import { type Output, snakeKeys } from '../output.ts';
import { labelled, tableText } from '../text_layout.ts';

export function describeList(entries: readonly Quarantined[], open: number, output: Output): string {
  const showsState = entries.some(({ state }) => state !== 'open');
  const table = tableText(
    output,
    [
      { header: 'no.', align: 'right' },
      { header: 'call', shrinks: true, least: 15 },
      { header: 'reason', shrinks: true, least: 26 },
      ...(showsState ? [{ header: 'state' }] : []),
      { header: 'times', align: 'right', optional: true },
      { header: 'last', optional: true },
    ],
    entries.map((entry) => [
      String(entry.quarantineId),
      requestOf(entry),
      entry.reason,
      ...(showsState ? [entry.state] : []),
      count(entry.times),
      localTime(entry.quarantinedAt),
    ]),
  );
  if (table === null) return 'The quarantine is empty.';
  const shown = entries.filter(({ state }) => state === 'open').length;
  const more = shown < open ? ` (${count(shown)} shown; use --limit to see more)` : '';
  return `${table}\n\n${counted(open, 'open entry', 'open entries')}${more}. Show one: \`quarantine show NUMBER\`. Process them again: \`quarantine replay\`. Fetch them again: \`backfill --failed\`.`;
}

export function describeEntry(entry: Quarantined, body: string | null, output: Output): string {
  return [
    output.style('bold', `Entry ${entry.quarantineId}: ${printable(entry.reason)}`),
    labelled('request', printable(requestOf(entry))),
    labelled('state', `${entry.state}${entry.times > 1 ? `, received ${count(entry.times)} times` : ''}`),
    labelled(
      'call',
      `${entry.callId} of run ${entry.runId}, ${localTime(entry.quarantinedAt)}, HTTP ${entry.status ?? '–'}, ${byteSize(entry.bytes)}`,
    ),
    '',
    body === null ? '(the response is no longer stored)' : readable(body),
  ].join('\n');
}

/** Formats the body as indented JSON, or leaves it unchanged if it is not JSON. Control characters are replaced. */
function readable(body: string): string {
  const shown =
    body.length > MOST_SHOWN
      ? `${body.slice(0, MOST_SHOWN)}\n… (${byteSize(Buffer.byteLength(body))} in total; --json prints everything)`
      : indented(body);
  return printableLines(shown);
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // Return the body unchanged. Responses in quarantine are often invalid JSON.
    return body;
  }
}

function requestOf({ kind, target, position }: Quarantined): string {
  if (kind === 'stats') return 'statistics';
  const what = kind === 'entity' ? `record ${target}` : `search ${target}`;
  return position === null ? what : `${what}, item ${position + 1}`;
}

export function entryData({ quarantineId, ...entry }: Quarantined) {
  return { number: quarantineId, ...(snakeKeys(entry) as object) };
}

const MOST_SHOWN = 20_000;
