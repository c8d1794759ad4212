import { basename, join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { DateTime } from 'luxon';
import { isoTime, systemClock } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { type ExportOrder, exportTables, type Manifest } from '../operations/export.ts';
import { byteSize, counted } from '../report/figures.ts';
import { explainFileError, writeAtomicFile } from '../warehouse/export/atomic_file.ts';
import { datasetteMetadata } from '../warehouse/export/datasette.ts';
import { FORMATS, type Format } from '../warehouse/export/row_writers.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { type SharedFlags, wholeNumber, withSharedOptions } from './context.ts';
import type { Output } from './output.ts';
import { withWarehouse } from './with_warehouse.ts';

interface ExportFlags extends SharedFlags {
  readonly format: Format | 'datasette';
  readonly out: string;
  readonly tables?: string[];
  readonly asOf?: string;
  readonly changesSince?: string;
  readonly safeFormulas?: boolean;
  readonly rowsPerFile?: number;
}

/** `export`: writes tables to files. */
export function exportCommand(): Command {
  const command = new Command('export')
    .description(
      'Writes one file per table into a folder. All files show the same state of the mirror, even during a run. A ' +
        'file appears only when it is complete. The last file, manifest.json, lists the files with their columns ' +
        'and checksums, the source and its licence, and the cursor for the next change feed.',
    )
    .addOption(
      new Option('--format <format>', 'csv, jsonl, parquet, or datasette (writes metadata.yaml)')
        .choices([...FORMATS, 'datasette'])
        .default('csv'),
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
    .option('--changes-since <cursor>', "rows that changed after an earlier export's cursor (0 for all rows)")
    .option('--safe-formulas', "in CSV, put ' before text that a spreadsheet would run as a formula")
    .option('--rows-per-file <n>', 'split tables into files of n rows', wholeNumber)
    .addHelpText('after', EXAMPLES)
    .action((flags: ExportFlags) => exportFiles(flags));
  return withSharedOptions(command);
}

const EXAMPLES = `
Examples:
  $ registry-mirror export --format parquet --out lake/registry
  $ registry-mirror export --tables entity,entity_overview --safe-formulas
  $ registry-mirror export --as-of 2026-01-31 --format jsonl --out january
  $ registry-mirror export --changes-since 0 --format jsonl --out feed      (then with the cursor in manifest.json)
  $ registry-mirror export --format datasette --out . && datasette data/warehouse.db -m metadata.yaml

Documentation:
  docs/changes.md`;

function exportFiles(flags: ExportFlags): Promise<void> {
  return withWarehouse(flags, 'read', (warehouse, { output }) => {
    if (flags.format === 'datasette') describeForDatasette(warehouse, flags.out, output);
    else report(exportTables(warehouse, orderOf(flags, flags.format)), flags.out, output);
  });
}

function orderOf(flags: ExportFlags, format: Format): ExportOrder {
  if (flags.safeFormulas && format !== 'csv')
    throw new UsageError('--safe-formulas works only with --format csv', {
      hint: `Leave it out for ${format}.`,
    });
  if (flags.rowsPerFile === 0) throw new UsageError('--rows-per-file must be at least 1');
  return {
    format,
    folder: flags.out,
    tables: flags.tables ?? null,
    what:
      flags.asOf !== undefined
        ? { is: 'as_of', at: flags.asOf }
        : flags.changesSince !== undefined
          ? { is: 'changes', since: flags.changesSince }
          : { is: 'whole' },
    safeFormulas: flags.safeFormulas ?? false,
    rowsPerFile: flags.rowsPerFile ?? null,
    nowMs: systemClock.now(),
  };
}

function report(manifest: Manifest, folder: string, output: Output): void {
  output.result({
    command: 'export',
    data: { folder, ...manifest },
    text: [
      ...manifest.files.map(
        ({ name, rows, bytes: size }) => `${join(folder, name)}  ${counted(rows, 'row')}, ${byteSize(size)}`,
      ),
      `Cursor for the next change feed: ${manifest.cursor}`,
    ].join('\n'),
  });
}

function describeForDatasette({ db, path }: Warehouse, folder: string, output: Output): void {
  const name = join(folder, 'metadata.yaml');
  try {
    writeAtomicFile(name, [datasetteMetadata(db, basename(path).replace(/\.\w+$/, ''))]);
  } catch (error) {
    throw explainFileError(error, name, 'Name another folder with --out.');
  }
  output.result({
    command: 'export',
    data: { file: name },
    text: `${name}\nOpen the mirror: datasette ${path} -m ${name}`,
  });
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
