import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { requireDialect } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { forget } from '../load/forget.ts';
import { exclusively } from '../operations/locked_run.ts';
import { printable, shellWord } from '../printable.ts';
import { counted, localTime } from '../report/figures.ts';
import { companiesLike, nameOf } from '../warehouse/company_history.ts';
import { forgottenCompanies, permitAgain } from '../warehouse/forget.ts';
import { define, type WithWarehouse } from './command.ts';
import { lines, type Output, type Result, snakeKeys, standardStreams } from './output.ts';
import { confirmed } from './questions.ts';
import { tableText } from './text_layout.ts';

/** `forget ID`: erases companies permanently. */
export default () =>
  define(
    'writer',
    new Command('forget')
      .argument('[id...]', 'entity ids')
      .description(
        'Erases all data of these entities, including the data in stored responses. Only their ids are kept, so ' +
          'that they are not loaded again. The data cannot be restored: --undo only allows the entities to be fetched ' +
          'again. Earlier exports and backups, and notifications that were sent, are not changed.',
      )
      .option('--yes', 'do not ask for confirmation')
      .option('--list', 'list the forgotten ids')
      .option('--undo', 'load these entities again when a later call returns them')
      .addHelpText('after', EXAMPLES),
    async (opened, given, flags) => {
      if (flags.list) return list(opened.db, opened.output);
      const ids = [...new Set(given)];
      if (ids.length === 0)
        throw new UsageError('no id was given', {
          hint: 'Use `forget ID`, or `forget --list` to list the forgotten entities.',
        });
      if (flags.undo) return undo(opened, ids);
      if (!flags.yes) await confirm(opened.db, ids);
      return erase(opened, ids);
    },
  );

const EXAMPLES = `
Examples:
  $ registry-mirror forget 09876543
  $ registry-mirror forget --yes A1 B2
  $ registry-mirror forget --list
  $ registry-mirror forget --undo A1`;

async function erase(
  { config, warehouse, clock, db }: WithWarehouse,
  ids: readonly string[],
): Promise<Result> {
  const dialect = requireDialect(config);
  const { forgotten, isOverwritten, suggestions } = await exclusively(
    { warehouse, clock, command: 'forget' },
    () => {
      const suggestions = new Map(
        ids.map((id) => [id, nameOf(db, id) === undefined ? suggestion(db, id) : null]),
      );
      return {
        ended: 'done',
        suggestions,
        ...forget({ warehouse, dialect, entityIds: ids, nowMs: clock.now() }),
      };
    },
  );
  const texts = forgotten.map(({ entityId, rows, answers }) => {
    const unknown = suggestions.get(entityId) ?? null;
    const id = printable(entityId);
    return unknown === null
      ? `${id} is erased: ${counted(rows, 'row')} deleted, removed from ${counted(answers, 'response')}.`
      : `${id} was not in the mirror and will not be loaded.${unknown} Undo: registry-mirror forget --undo ${id}`;
  });
  const copies = olderCopies(warehouse.path);
  const queries = [...new Set(forgotten.flatMap((one) => one.queries))];
  return {
    data: {
      forgotten: forgotten.map(({ entityId, rows, answers, queries: remaining }) => ({
        entity_id: entityId,
        known: suggestions.get(entityId) === null,
        rows,
        answers,
        backfill_queries: remaining,
      })),
      file_overwritten: isOverwritten,
      older_copies: copies,
    },
    text: lines(
      ...texts,
      queries.length > 0 &&
        `Backfills still contain ${queries.map((query) => `"${printable(query)}"`).join(', ')}, a part of an erased name. These queries stay, because they can find other companies.`,
      !isOverwritten && NOT_OVERWRITTEN,
      [...suggestions.values()].includes(null) && OUT_OF_REACH,
      copies.length > 0 &&
        `Delete these older copies of the warehouse, which can contain the erased data: ${copies.map(printable).join(', ')}.`,
    ),
    attention: isOverwritten ? null : NOT_OVERWRITTEN,
  };
}

/** Returns the files that `restore` and migrations have left beside the warehouse. */
function olderCopies(path: string): string[] {
  const isCopy = (name: string) => /^\.(?:replaced|schema)-/.test(name.slice(basename(path).length));
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)) && isCopy(name));
  return names.map((name) => join(dirname(path), name));
}

const OUT_OF_REACH =
  'Earlier exports and backups, and notifications that were sent, can still contain the data. Delete it there too.';

const NOT_OVERWRITTEN =
  'The file still contains the erased bytes, because another program is reading it. End that program and run any ' +
  'command that writes, for example `registry-mirror sync`. It overwrites the bytes.';

async function undo({ warehouse, clock, db }: WithWarehouse, ids: readonly string[]): Promise<Result> {
  const { undone } = await exclusively({ warehouse, clock, command: 'forget' }, () => ({
    ended: 'done',
    undone: ids.map((entityId) => ({
      entity_id: entityId,
      undone: warehouse.write(() => permitAgain(db, entityId, isoTime(clock.now()))),
    })),
  }));
  const texts = undone.map(({ entity_id, undone: isUndone }) =>
    isUndone
      ? `${printable(entity_id)} can be loaded again. To fetch it now: echo ${shellWord(entity_id)} | registry-mirror backfill --ids -`
      : `${printable(entity_id)} was not forgotten; nothing was changed.`,
  );
  return { data: { undone }, text: lines(...texts) };
}

function list(db: Database, output: Output): Result {
  const forgotten = forgottenCompanies(db);
  const table = tableText(
    output,
    [
      { header: 'id', cell: ({ entityId }) => entityId },
      { header: 'forgotten', cell: ({ forgottenAt }) => localTime(forgottenAt) },
    ],
    forgotten,
  );
  const text = table ?? 'No entities are forgotten.';
  return { data: { forgotten: snakeKeys(forgotten) }, text };
}

/** Shows each company's name and asks for confirmation. */
async function confirm(db: Database, ids: readonly string[]): Promise<void> {
  if (!process.stdin.isTTY)
    throw new UsageError('erased data cannot be restored, so forget needs a confirmation', {
      hint: 'Add --yes.',
    });
  standardStreams().stderr.write(`${ids.map((id) => described(db, id)).join('\n')}\n`);
  if (!(await confirmed('Erase all their data permanently?')))
    throw new UsageError('not confirmed; nothing was erased');
}

function described(db: Database, id: string): string {
  const name = nameOf(db, id);
  if (name === undefined) return `  ${printable(id)}  not in the mirror.${suggestion(db, id)}`;
  return `  ${printable(id)}  ${printable(name ?? '(no name)')}`;
}

function suggestion(db: Database, id: string): string {
  const similar = companiesLike(db, id, 3).map(({ entityId }) => entityId);
  return similar.length === 0 ? '' : ` Did you mean ${printable(similar.join(', '))}?`;
}
