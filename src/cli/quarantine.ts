import { Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../clock.ts';
import { requireDialect } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { type Replayed, replayQuarantined } from '../load/replay.ts';
import { exclusively } from '../operations/exclusive.ts';
import { printable } from '../printable.ts';
import { count, counted } from '../report/figures.ts';
import { answerTable } from '../warehouse/answer.ts';
import { type Quarantined, quarantineRegister } from '../warehouse/quarantine.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { openContext, type SharedFlags, wholeNumber, withSharedOptions } from './context.ts';
import type { Output } from './output.ts';
import { describeEntry, describeList, entryData } from './quarantine/quarantine_text.ts';
import { fitted } from './text_layout.ts';
import { withWarehouse } from './with_warehouse.ts';

interface ChoiceFlags extends SharedFlags {
  readonly all?: boolean;
}

interface ListFlags extends ChoiceFlags {
  readonly limit: number;
}

/** `quarantine`: manages responses that could not be processed, which are stored byte for byte. */
export function quarantineCommand(): Command {
  return new Command('quarantine')
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
}

function listCommand(): Command {
  const command = new Command('list')
    .summary('list open entries, latest first')
    .option('--all', 'also list replayed, superseded and discarded entries')
    .option('--limit <n>', 'show at most this many', wholeNumber, 50)
    .addHelpText(
      'after',
      '\nExamples:\n  $ registry-mirror quarantine list\n  $ registry-mirror quarantine list --all --json',
    )
    .action((flags: ListFlags) => list(flags));
  return withSharedOptions(command);
}

function showCommand(): Command {
  const command = new Command('show')
    .summary('show one entry, with the response body')
    .argument('<number>', "the entry's number in the list", number)
    .addHelpText(
      'after',
      '\nExamples:\n  $ registry-mirror quarantine show 3\n  $ registry-mirror quarantine show 3 --json | jq -r .data.body',
    )
    .action((id: number, flags: SharedFlags) => show(id, flags));
  return withSharedOptions(command);
}

function replayCommand(): Command {
  const command = new Command('replay')
    .summary('process entries with the current dialect (sends no calls)')
    .argument('[numbers...]', 'entry numbers (default: all open entries)', numbers)
    .addHelpText(
      'after',
      '\nExamples:\n  $ registry-mirror quarantine replay\n  $ registry-mirror quarantine replay 3 4\n\nExit codes: 0 all processed; 3 some failed again.',
    )
    .action((ids: number[] | undefined, flags: SharedFlags) => replay(ids ?? [], flags));
  return withSharedOptions(command);
}

function discardCommand(): Command {
  const command = new Command('discard')
    .summary('remove entries from the list; their responses stay in the warehouse')
    .argument('[numbers...]', 'entry numbers', numbers)
    .option('--all', 'all open entries')
    .addHelpText(
      'after',
      '\nExamples:\n  $ registry-mirror quarantine discard 3 4\n  $ registry-mirror quarantine discard --all',
    )
    .action((ids: number[] | undefined, flags: ChoiceFlags) => discard(ids ?? [], flags));
  return withSharedOptions(command);
}

function list(flags: ListFlags): Promise<void> {
  return withWarehouse(flags, 'read', (warehouse, { output }) => {
    const register = quarantineRegister(warehouse.db);
    const entries = register.list(flags.all ? 'all' : 'open', flags.limit);
    const counts = register.counts();
    output.result({
      command: 'quarantine list',
      data: { counts, entries: entries.map(entryData) },
      text: describeList(entries, counts.open, output),
      attention: counts.open === 0 ? null : describeList(entries, counts.open, output),
    });
  });
}

function show(id: number, flags: SharedFlags): Promise<void> {
  return withWarehouse(flags, 'read', (warehouse, { output }) => {
    const entry = found(warehouse, id);
    const body = answerTable(warehouse.db).body(entry.callId);
    const text = body?.toString('utf8') ?? null;
    output.result({
      command: 'quarantine show',
      data: { ...entryData(entry), body: text },
      text: describeEntry(entry, text, output),
    });
  });
}

async function replay(ids: readonly number[], flags: SharedFlags): Promise<void> {
  const { config, output } = await openContext(flags);
  const dialect = requireDialect(config);
  const warehouse = openWarehouse({ path: config.warehouse, nowMs: systemClock.now() });
  try {
    const entries = chosen(warehouse, ids);
    const { replayed } = await exclusively(
      { warehouse, clock: systemClock, command: 'quarantine replay' },
      () => ({
        ended: 'done',
        replayed: replayQuarantined({ warehouse, dialect, mapping: config.mapping, entries }),
      }),
    );
    report(replayed, output);
  } finally {
    warehouse.close();
  }
}

function report(replayed: readonly Replayed[], output: Output): void {
  const by = Object.groupBy(replayed, ({ state }) => state);
  const open = by.open ?? [];
  const text = [
    `${counted(by.replayed?.length ?? 0, 'entry', 'entries')} loaded, ${count(by.superseded?.length ?? 0)} superseded by newer content, ${count(open.length)} failed again.`,
    ...open
      .slice(0, 10)
      .map(({ quarantineId, why }) => fitted(`  ${quarantineId}  ${printable(why ?? '')}`, output.columns)),
    ...(open.length > 10 ? [`  … and ${count(open.length - 10)} more`] : []),
  ].join('\n');
  output.result({
    command: 'quarantine replay',
    data: {
      replayed: by.replayed?.length ?? 0,
      superseded: by.superseded?.length ?? 0,
      open: open.map(({ quarantineId, why }) => ({ number: quarantineId, why })),
    },
    text,
    attention: open.length === 0 ? null : text,
  });
  process.exitCode = open.length === 0 ? 0 : 3;
}

function discard(ids: readonly number[], flags: ChoiceFlags): Promise<void> {
  if (ids.length === 0 && !flags.all)
    throw new UsageError('no entries were selected', {
      hint: 'Use numbers from `registry-mirror quarantine list`, or --all.',
    });
  return withWarehouse(flags, 'write', (warehouse, { output }) => {
    const register = quarantineRegister(warehouse.db);
    const entries = chosen(warehouse, ids);
    warehouse.write(() => {
      for (const { quarantineId } of entries) register.setState(quarantineId, 'discarded');
    });
    output.result({
      command: 'quarantine discard',
      data: { discarded: entries.length },
      text: `${counted(entries.length, 'entry', 'entries')} discarded. The responses stay in the warehouse.`,
    });
  });
}

/** Returns the open entries with these numbers, or all open entries if no numbers are given. */
function chosen(warehouse: Warehouse, ids: readonly number[]): Quarantined[] {
  if (ids.length === 0) return quarantineRegister(warehouse.db).list('open', Number.MAX_SAFE_INTEGER);
  const entries = ids.map((id) => found(warehouse, id));
  const settled = entries.find(({ state }) => state !== 'open');
  if (settled === undefined) return entries;
  throw new UsageError(`entry ${settled.quarantineId} is not open: it is ${settled.state}`);
}

function found({ db }: Warehouse, id: number): Quarantined {
  const entry = quarantineRegister(db).find(id);
  if (entry !== null) return entry;
  throw new UsageError(`the quarantine has no entry ${id}`, {
    hint: 'List all entries: registry-mirror quarantine list --all',
  });
}

function number(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a number from `quarantine list`.');
  return Number(text);
}

function numbers(text: string, before: number[] | undefined): number[] {
  return [...(before ?? []), number(text)];
}

const EXAMPLES = `
Examples:
  $ registry-mirror quarantine list
  $ registry-mirror quarantine show 3
  $ registry-mirror quarantine replay        after correcting the dialect`;
