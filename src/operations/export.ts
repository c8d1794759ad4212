import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { makeFolder } from '../sqlite/database_file.ts';
import {
  type AtomicFile,
  explainFileError,
  openAtomicFile,
  removePartials,
} from '../warehouse/export/atomic_file.ts';
import { lockFolder } from '../warehouse/export/folder_lock.ts';
import { type Format, openWriter } from '../warehouse/export/row_writers.ts';
import {
  changesSince,
  currentCursor,
  type ExportColumn,
  entityDocuments,
  exportableTables,
  type Rowset,
  tableRows,
} from '../warehouse/export/rowset.ts';
import { readSource, type SourceFacts } from '../warehouse/meta.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { documentsAsOf, tableAsOf } from './export_as_of.ts';

export interface ExportOrder {
  readonly format: Format;
  /** The folder for the files. */
  readonly folder: string;
  /** Names of tables; null: all tables of this kind of export. */
  readonly tables: readonly string[] | null;
  /** Everything, the state at a time (ISO 8601), or the changes after a cursor (the last call of the previous feed). */
  readonly what:
    | { readonly is: 'whole' }
    | { readonly is: 'as_of'; readonly at: string }
    | { readonly is: 'changes'; readonly since: number };
  readonly safeFormulas: boolean;
  /** Most rows per file; null: one file per table. */
  readonly rowsPerFile: number | null;
  readonly nowMs: number;
}

export interface ExportedFile {
  readonly name: string;
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly columns: readonly ExportColumn[];
}

/** The content of `manifest.json`. It is written last: if it exists, all its files are complete and of one state. */
export interface Manifest {
  readonly exported_at: string;
  readonly source: SourceFacts;
  readonly format: Format;
  readonly what: ExportOrder['what'];
  /** The last call that the export contains: the `since` of the next feed. */
  readonly cursor: number;
  readonly files: readonly ExportedFile[];
}

export const MANIFEST = 'manifest.json';

/**
 * Writes tables as files. One read transaction gives all files the same state. They replace an earlier export
 * together, after the last file is written. Exports into the same folder wait for each other. A read-only warehouse
 * is enough.
 *
 * @throws UsageError or FailedError if the folder cannot be written.
 */
export function exportTables(warehouse: Warehouse, order: ExportOrder): Manifest {
  const { folder } = order;
  let unlock = () => {};
  try {
    makeFolder(folder);
    unlock = lockFolder(folder);
    removePartials(folder);
    return replaceFiles(warehouse, order);
  } catch (error) {
    throw explainFileError(error, `the export into ${folder}`, 'Name another folder with --out.');
  } finally {
    unlock();
  }
}

function replaceFiles(warehouse: Warehouse, order: ExportOrder): Manifest {
  const { folder } = order;
  const written: AtomicFile[] = [];
  try {
    const manifest = writeTables(warehouse, order, written);
    const last = openAtomicFile(join(folder, MANIFEST));
    written.push(last);
    last.write(`${JSON.stringify(manifest, null, 2)}\n`);
    last.finish();
    // No manifest exists while files are replaced, so that a manifest never names files of another state.
    rmSync(join(folder, MANIFEST), { force: true });
    for (const file of written) file.publish();
    return manifest;
  } catch (error) {
    for (const file of written) file.discard();
    throw error;
  }
}

function writeTables({ db }: Warehouse, order: ExportOrder, written: AtomicFile[]): Manifest {
  const { format, what, nowMs } = order;
  const read = db.transaction((): Manifest => {
    const source = readSource(db);
    const cursor = currentCursor(db);
    const tables = order.tables ?? defaultTables(exportableTables(db), order);
    const files = tables.flatMap((table) => writeRowset(rowsetOf(db, table, order), source, order, written));
    return { exported_at: isoTime(nowMs), source, format, what, cursor, files };
  });
  return read();
}

function defaultTables(all: readonly string[], { what }: ExportOrder): string[] {
  if (what.is === 'changes') return ['changes'];
  return what.is === 'whole'
    ? [...all]
    : all.filter((name) => name === 'entity' || name.startsWith('entity__'));
}

function rowsetOf(db: Warehouse['db'], table: string, { what, format }: ExportOrder): Rowset {
  const isNested = format === 'jsonl' && table === 'entity';
  switch (what.is) {
    case 'changes':
      return changesSince(db, what.since);
    case 'as_of':
      if (table !== 'entity' && !table.startsWith('entity__'))
        throw new UsageError(`${table} has no history`, {
          hint: 'Tables with history: entity and its lists (entity__…).',
        });
      return isNested ? documentsAsOf(db, what.at) : tableAsOf(db, table, what.at);
    case 'whole':
      return isNested ? entityDocuments(db) : tableRows(db, table);
  }
}

function writeRowset(
  rowset: Rowset,
  source: SourceFacts,
  order: ExportOrder,
  written: AtomicFile[],
): ExportedFile[] {
  const { format, folder, safeFormulas, rowsPerFile } = order;
  const files: ExportedFile[] = [];
  const rows = rowset.rows[Symbol.iterator]();
  try {
    let next = rows.next();
    do {
      const suffix = rowsPerFile === null ? '' : `-${String(files.length).padStart(5, '0')}`;
      const name = `${rowset.name}${suffix}.${format}`;
      const file = openAtomicFile(join(folder, name));
      written.push(file);
      const writer = openWriter(format, { columns: rowset.columns, file, safeFormulas, source });
      let count = 0;
      for (; next.done !== true && count !== rowsPerFile; next = rows.next()) {
        writer.row(next.value);
        count += 1;
      }
      writer.end();
      files.push({ name, table: rowset.name, rows: count, ...file.finish(), columns: rowset.columns });
    } while (next.done !== true);
  } finally {
    // An open query would keep the warehouse busy.
    rows.return?.();
  }
  return files;
}
