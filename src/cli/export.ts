import { basename, join } from 'node:path';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { DateTime } from 'luxon';
import { isoTime } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { exportTables } from '../operations/export.ts';
import { byteSize, counted } from '../report/figures.ts';
import { explainFileError, writeAtomicFile } from '../warehouse/export/atomic_file.ts';
import { datasetteMetadata } from '../warehouse/export/datasette.ts';
import { FORMATS } from '../warehouse/export/row_writers.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { define, wholeFrom } from './command.ts';
import { lines, type Result } from './output.ts';

/** `export`: writes tables to files. */
export default () =>
  define(
    'reader',
    new Command('export')
      .description(
        'Writes one file per table into a folder. All files show the same state of the mirror, even during a run. A ' +
          'file appears only when it is complete. The last file, manifest.json, lists the files with their columns ' +
          'and checksums, the source and its licence, and the cursor for the next change feed.',
      )
      .addOption(
        new Option('--format <format>', 'csv, jsonl, parquet, or datasette (writes metadata.yaml)')
          .choices([...FORMATS, 'datasette'])
          .default('csv' as const),
      )
      .option('--out <folder>', 'folder to write to', 'export')
      .option('--tables <names>', 'only these tables, separated by commas', (text) => text.split(','))
      .addOption(
        new Option(
          '--as-of <date>',
          'records as they were at a time, or at the end of a day; UTC unless a zone is given',
        )
          .argParser(readTime)
          .conflicts('changesSince'),
      )
      .option(
        '--changes-since <cursor>',
        "rows that changed after an earlier export's cursor (0 for all rows)",
      )
      .option('--safe-formulas', "in CSV, put ' before text that a spreadsheet would run as a formula")
      .option('--rows-per-file <n>', 'split tables into files of n rows', wholeFrom(1))
      .addHelpText('after', EXAMPLES),
    (
      { warehouse, clock },
      { format, out, tables, asOf, changesSince, safeFormulas = false, rowsPerFile },
    ) => {
      if (safeFormulas && format !== 'csv')
        throw new UsageError('--safe-formulas works only with --format csv', {
          hint: `Leave it out for ${format}.`,
        });
      if (format === 'datasette') {
        const others = {
          '--tables': tables,
          '--as-of': asOf,
          '--changes-since': changesSince,
          '--rows-per-file': rowsPerFile,
        };
        const given = Object.entries(others).find(([, value]) => value !== undefined);
        if (given !== undefined)
          throw new UsageError(`${given[0]} does not work with --format datasette`, {
            hint: 'Leave it out. Datasette reads the whole warehouse.',
          });
        return describeForDatasette(warehouse, out);
      }
      const { files, ...manifest } = exportTables(warehouse, {
        format,
        folder: out,
        tables: tables ?? null,
        what:
          asOf !== undefined
            ? { is: 'as_of', at: asOf }
            : changesSince !== undefined
              ? { is: 'changes', since: changesSince }
              : { is: 'whole' },
        safeFormulas,
        rowsPerFile: rowsPerFile ?? null,
        nowMs: clock.now(),
      });
      return {
        data: { folder: out, ...manifest, files },
        text: lines(
          ...files.map(
            ({ name, rows, bytes }) => `${join(out, name)}  ${counted(rows, 'row')}, ${byteSize(bytes)}`,
          ),
          `Cursor for the next change feed: ${manifest.cursor}`,
        ),
      };
    },
  );

const EXAMPLES = `
Examples:
  $ registry-mirror export --format parquet --out lake/registry
  $ registry-mirror export --tables entity,entity_overview --safe-formulas
  $ registry-mirror export --as-of 2026-01-31 --format jsonl --out january
  $ registry-mirror export --changes-since 0 --format jsonl --out feed      (then with the cursor in manifest.json)
  $ registry-mirror export --format datasette --out . && datasette data/warehouse.db -m metadata.yaml

Documentation:
  docs/changes.md`;

function describeForDatasette({ db, path }: Warehouse, folder: string): Result {
  const name = join(folder, 'metadata.yaml');
  try {
    writeAtomicFile(name, [datasetteMetadata(db, basename(path).replace(/\.\w+$/, ''))]);
  } catch (error) {
    throw explainFileError(error, name, 'Name another folder with --out.');
  }
  return { data: { file: name }, text: `${name}\nOpen the mirror: datasette ${path} -m ${name}` };
}

/** Reads a date, which means the end of that day, or a time. Both are UTC unless the time names a zone. */
function readTime(text: string): string {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const time = DateTime.fromISO(text, { zone: 'utc' });
  if (!time.isValid || !(isDate || /^\d{4}-\d\d-\d\d[T ]/.test(text)))
    throw new InvalidArgumentError(
      'It must be a date (2026-01-31) or a time (2026-01-31T12:00:00Z), in UTC.',
    );
  return isoTime((isDate ? time.endOf('day') : time).toMillis());
}
