import type { Database } from 'better-sqlite3';
import { Command } from 'commander';
import { isoTime, systemClock } from '../clock.ts';
import { type Config, requireDialect } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { forget } from '../load/forget.ts';
import { exclusively } from '../operations/exclusive.ts';
import { printable } from '../printable.ts';
import { counted, localTime } from '../report/figures.ts';
import { companiesLike, nameOf } from '../warehouse/company_history.ts';
import { forgottenCompanies, permitAgain } from '../warehouse/forget.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { openContext, type SharedFlags, withSharedOptions } from './context.ts';
import { type Output, standardStreams } from './output.ts';
import { openAsker } from './questions.ts';
import { tableLines } from './text_layout.ts';

interface ForgetFlags extends SharedFlags {
  readonly yes?: boolean;
  readonly list?: boolean;
  readonly undo?: boolean;
}

/** `forget ID`: erases companies permanently. */
export function forgetCommand(): Command {
  const command = new Command('forget')
    .argument('[id...]', 'entity ids')
    .description(
      'Erases all data of these entities, including the data in stored responses. Only their ids are kept, so ' +
        'that they are not loaded again. The data cannot be restored: --undo only allows the entities to be fetched ' +
        'again. Existing exports are not changed.',
    )
    .option('--yes', 'do not ask for confirmation')
    .option('--list', 'list the forgotten ids')
    .option('--undo', 'load these entities again when a later call returns them')
    .addHelpText('after', EXAMPLES)
    .action((ids: string[], flags: ForgetFlags) => forgetOrUndo([...new Set(ids)], flags));
  return withSharedOptions(command);
}

async function forgetOrUndo(ids: readonly string[], flags: ForgetFlags): Promise<void> {
  const { config, output } = await openContext(flags);
  if (!flags.list && ids.length === 0)
    throw new UsageError('no id was given', {
      hint: 'Use `forget ID`, or `forget --list` to list the forgotten entities.',
    });
  const warehouse = openWarehouse({ path: config.warehouse, nowMs: systemClock.now() });
  try {
    if (flags.list) list(warehouse, output);
    else if (flags.undo) await undo(warehouse, ids, output);
    else await erase(warehouse, config, ids, flags, output);
  } finally {
    warehouse.close();
  }
}

async function erase(
  warehouse: Warehouse,
  config: Config,
  ids: readonly string[],
  flags: ForgetFlags,
  output: Output,
): Promise<void> {
  const dialect = requireDialect(config);
  const clock = systemClock;
  if (!flags.yes) await confirm(warehouse.db, ids);
  const { forgotten, isOverwritten } = await exclusively({ warehouse, clock, command: 'forget' }, () => {
    const known = new Map(ids.map((id) => [id, nameOf(warehouse.db, id) !== undefined]));
    const similar = new Map(ids.map((id) => [id, known.get(id) ? [] : similarIds(warehouse.db, id)]));
    const result = forget({ warehouse, dialect, entityIds: ids, nowMs: clock.now() });
    return {
      ended: 'done',
      isOverwritten: result.isOverwritten,
      forgotten: result.forgotten.map(({ entityId, rows, answers }) => ({
        result: { entity_id: entityId, known: known.get(entityId) ?? false, rows, answers },
        similar: similar.get(entityId) ?? [],
      })),
    };
  });
  const lines = forgotten.map(({ result: { entity_id, known, rows, answers }, similar }) =>
    known
      ? `${entity_id} is erased: ${counted(rows, 'row')} deleted, removed from ${counted(answers, 'response')}.`
      : `${entity_id} was not in the mirror and will not be loaded.${suggestion(similar)} Undo: registry-mirror forget --undo ${entity_id}`,
  );
  output.result({
    command: 'forget',
    data: { forgotten: forgotten.map(({ result }) => result), file_overwritten: isOverwritten },
    text: [...lines, ...(isOverwritten ? [] : [NOT_OVERWRITTEN])].join('\n'),
    attention: isOverwritten ? null : NOT_OVERWRITTEN,
  });
}

const NOT_OVERWRITTEN =
  'The file still contains the erased bytes, because another program is reading it. End that program and run any ' +
  'command that writes, for example `registry-mirror sync`. It overwrites the bytes.';

async function undo(warehouse: Warehouse, ids: readonly string[], output: Output): Promise<void> {
  const clock = systemClock;
  const { undone } = await exclusively({ warehouse, clock, command: 'forget' }, () => ({
    ended: 'done',
    undone: ids.map((entityId) => ({
      entity_id: entityId,
      undone: warehouse.write(() => permitAgain(warehouse.db, entityId, isoTime(clock.now()))),
    })),
  }));
  output.result({
    command: 'forget',
    data: { undone },
    text: undone
      .map(({ entity_id, undone: isUndone }) =>
        isUndone
          ? `${entity_id} can be loaded again. To fetch it now: registry-mirror backfill --ids FILE`
          : `${entity_id} was not forgotten; nothing was changed.`,
      )
      .join('\n'),
  });
}

function list({ db }: Warehouse, output: Output): void {
  const forgotten = forgottenCompanies(db);
  const [header = '', ...lines] = tableLines(
    [{ header: 'id' }, { header: 'forgotten' }],
    forgotten.map(({ entityId, forgottenAt }) => [entityId, localTime(Date.parse(forgottenAt))]),
    output.columns,
  );
  output.result({
    command: 'forget',
    data: {
      forgotten: forgotten.map(({ entityId, forgottenAt }) => ({
        entity_id: entityId,
        forgotten_at: forgottenAt,
      })),
    },
    text:
      lines.length === 0 ? 'No entities are forgotten.' : [output.style('dim', header), ...lines].join('\n'),
  });
}

/** Shows each company's name and asks for confirmation. */
async function confirm(db: Database, ids: readonly string[]): Promise<void> {
  if (!process.stdin.isTTY)
    throw new UsageError('erased data cannot be restored, so forget needs a confirmation', {
      hint: 'Add --yes.',
    });
  const streams = standardStreams();
  streams.stderr.write(`${ids.map((id) => described(db, id)).join('\n')}\n`);
  const asker = openAsker(process.stdin, streams);
  const isSure = await asker.yes('Erase all their data permanently?', false);
  asker.close();
  if (!isSure) throw new UsageError('not confirmed; nothing was erased');
}

function described(db: Database, id: string): string {
  const name = nameOf(db, id);
  if (name === undefined) return `  ${printable(id)}  not in the mirror.${suggestion(similarIds(db, id))}`;
  return `  ${printable(id)}  ${printable(name ?? '(no name)')}`;
}

function suggestion(similar: readonly string[]): string {
  return similar.length === 0 ? '' : ` Did you mean ${similar.join(', ')}?`;
}

function similarIds(db: Database, id: string): string[] {
  return companiesLike(db, id, 3).map(({ entityId }) => entityId);
}

const EXAMPLES = `
Examples:
  $ registry-mirror forget 09876543
  $ registry-mirror forget --yes A1 B2
  $ registry-mirror forget --list
  $ registry-mirror forget --undo A1`;
