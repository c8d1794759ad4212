import { Command } from '@commander-js/extra-typings';
import { requireDialect } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { type Replayed, replayQuarantined } from '../load/replay.ts';
import { exclusively } from '../operations/locked_run.ts';
import { printable, printableLines } from '../printable.ts';
import { byteSize, count, counted, localTime } from '../report/figures.ts';
import { answerTable } from '../warehouse/answer.ts';
import {
  findQuarantined,
  listQuarantined,
  type Quarantined,
  quarantineCounts,
  setQuarantineState,
} from '../warehouse/quarantine.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { define, wholeFrom, wholeNumber } from './command.ts';
import { lines, type Output, type Result, snakeKeys } from './output.ts';
import { fitted, labelled, tableText } from './text_layout.ts';

/** `quarantine`: manages responses that could not be processed, which are stored byte for byte. */
export default () =>
  new Command('quarantine')
    .description(
      'Manages responses, or single items in them, that do not match the dialect. After you correct the dialect, ' +
        '`quarantine replay` processes them without a call. To fetch them again instead, use `registry-mirror ' +
        'backfill --failed`.',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(replayCommand())
    .addCommand(discardCommand())
    .addHelpText('after', EXAMPLES);

const EXAMPLES = `
Examples:
  $ registry-mirror quarantine list
  $ registry-mirror quarantine show 3
  $ registry-mirror quarantine replay        after correcting the dialect`;

function listCommand(): Command {
  return define(
    'reader',
    new Command('list')
      .summary('list open entries, latest first')
      .option('--all', 'also list replayed, superseded and discarded entries')
      .option('--limit <n>', 'show at most this many', wholeNumber, 50)
      .addHelpText('after', '\nExamples:\n  $ registry-mirror quarantine list --all --json'),
    ({ db, output }, { all, limit }) => {
      const entries = listQuarantined(db, all ? 'all' : 'open', limit);
      const counts = quarantineCounts(db);
      const text = describeList(entries, counts.open, output);
      const data = { counts, entries: entries.map(entryData) };
      return { data, text, attention: counts.open === 0 ? null : text };
    },
  );
}

function showCommand(): Command {
  return define(
    'reader',
    new Command('show')
      .summary('show one entry, with the response body')
      .argument('<number>', "the entry's number in the list", number)
      .addHelpText('after', '\nExamples:\n  $ registry-mirror quarantine show 3 --json | jq -r .data.body'),
    ({ warehouse, db, output }, id) => {
      const entry = found(warehouse, id);
      const body = answerTable(db).body(entry.callId)?.toString('utf8') ?? null;
      return { data: { ...entryData(entry), body }, text: describeEntry(entry, body, output) };
    },
  );
}

function replayCommand(): Command {
  return define(
    'writer',
    new Command('replay')
      .summary('process entries with the current dialect (sends no calls)')
      .argument('[numbers...]', 'entry numbers (default: all open entries)', numbers)
      .addHelpText(
        'after',
        '\nExamples:\n  $ registry-mirror quarantine replay 3 4\n\nExit codes: 0 all processed; 3 some failed again.',
      ),
    async ({ config, warehouse, clock, output }, ids = []) => {
      const dialect = requireDialect(config);
      const { mapping } = config;
      const entries = chosen(warehouse, ids);
      const { replayed } = await exclusively({ warehouse, clock, command: 'quarantine replay' }, () => ({
        ended: 'done',
        replayed: replayQuarantined({ warehouse, dialect, mapping, entries }),
      }));
      return replayResult(replayed, output);
    },
  );
}

function discardCommand(): Command {
  return define(
    'writer',
    new Command('discard')
      .summary('remove entries from the list; their responses stay in the warehouse')
      .argument('[numbers...]', 'entry numbers', numbers)
      .option('--all', 'all open entries')
      .addHelpText(
        'after',
        '\nExamples:\n  $ registry-mirror quarantine discard 3 4\n  $ registry-mirror quarantine discard --all',
      ),
    ({ warehouse, db }, ids = [], { all }) => {
      if (ids.length === 0 && !all)
        throw new UsageError('no entries were selected', {
          hint: 'Use numbers from `registry-mirror quarantine list`, or --all.',
        });
      const entries = chosen(warehouse, ids);
      warehouse.write(() => {
        for (const { quarantineId } of entries) setQuarantineState(db, quarantineId, 'discarded');
      });
      const text = `${counted(entries.length, 'entry', 'entries')} discarded. The responses stay in the warehouse.`;
      return { data: { discarded: entries.length }, text };
    },
  );
}

function replayResult(replayed: readonly Replayed[], output: Output): Result {
  const {
    open = [],
    replayed: loaded = [],
    superseded = [],
  } = Object.groupBy(replayed, ({ state }) => state);
  const text = lines(
    `${counted(loaded.length, 'entry', 'entries')} loaded, ${count(superseded.length)} superseded by newer content, ${count(open.length)} failed again.`,
    ...open
      .slice(0, 10)
      .map(({ quarantineId, why }) => fitted(`  ${quarantineId}  ${printable(why ?? '')}`, output.columns)),
    open.length > 10 && `  … and ${count(open.length - 10)} more`,
  );
  return {
    data: {
      replayed: loaded.length,
      superseded: superseded.length,
      open: open.map(({ quarantineId, why }) => ({ number: quarantineId, why })),
    },
    text,
    attention: open.length === 0 ? null : text,
    exitCode: open.length === 0 ? 0 : 3,
  };
}

/** Returns the open entries with these numbers, or all open entries if no numbers are given. */
function chosen(warehouse: Warehouse, ids: readonly number[]): Quarantined[] {
  if (ids.length === 0) return listQuarantined(warehouse.db, 'open', Number.MAX_SAFE_INTEGER);
  const entries = ids.map((id) => found(warehouse, id));
  const settled = entries.find(({ state }) => state !== 'open');
  if (settled === undefined) return entries;
  throw new UsageError(`entry ${settled.quarantineId} is not open: it is ${settled.state}`);
}

function found({ db }: Warehouse, id: number): Quarantined {
  const entry = findQuarantined(db, id);
  if (entry !== null) return entry;
  throw new UsageError(`the quarantine has no entry ${id}`, {
    hint: 'List all entries: registry-mirror quarantine list --all',
  });
}

const number = wholeFrom(1);

function numbers(text: string, before: number[] | undefined): number[] {
  return [...(before ?? []), number(text)];
}

function describeList(entries: readonly Quarantined[], open: number, output: Output): string {
  const showsState = entries.some(({ state }) => state !== 'open');
  const table = tableText(
    output,
    [
      { header: 'no.', align: 'right', cell: ({ quarantineId }) => String(quarantineId) },
      { header: 'call', shrinks: true, least: 15, cell: requestOf },
      { header: 'reason', shrinks: true, least: 26, cell: ({ reason }) => reason },
      ...(showsState ? [{ header: 'state', cell: ({ state }: Quarantined) => state }] : []),
      { header: 'times', align: 'right', optional: true, cell: ({ times }) => count(times) },
      { header: 'last', optional: true, cell: ({ quarantinedAt }) => localTime(quarantinedAt) },
    ],
    entries,
  );
  if (table === null) return 'The quarantine is empty.';
  const shown = entries.filter(({ state }) => state === 'open').length;
  const more = shown < open ? ` (${count(shown)} shown; use --limit to see more)` : '';
  return `${table}\n\n${counted(open, 'open entry', 'open entries')}${more}. Show one: \`quarantine show NUMBER\`. Process them again: \`quarantine replay\`. Fetch them again: \`backfill --failed\`.`;
}

function describeEntry(entry: Quarantined, body: string | null, output: Output): string {
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

function entryData({ quarantineId, ...entry }: Quarantined) {
  return { number: quarantineId, ...(snakeKeys(entry) as object) };
}

const MOST_SHOWN = 20_000;
