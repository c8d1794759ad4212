import { join } from 'node:path';
import { isoTime } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { type AtomicFile, openAtomicFile, removePartials } from '../warehouse/export/atomic_file.ts';
import {
  changesSince,
  currentCursor,
  type ExportColumn,
  entityDocuments,
  exportableTables,
  type Rowset,
  tableRows,
} from '../warehouse/export/rowset.ts';
import { type Format, openWriter } from '../warehouse/export/writers.ts';
import { readSource, type SourceFacts } from '../warehouse/meta.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { documentsAsOf, tableAsOf } from './as_of.ts';

export interface ExportOrder {
  readonly format: Format;
  /** The folder that the files go to. */
  readonly folder: string;
  /** Which tables; null: all that the kind of export has. */
  readonly tables: readonly string[] | null;
  /** The whole, as it was at a time (ISO 8601), or what changed after a cursor (the call of the last feed). */
  readonly what:
    | { readonly is: 'whole' }
    | { readonly is: 'as_of'; readonly at: string }
    | { readonly is: 'changes'; readonly since: number };
  readonly safeFormulas: boolean;
  /** Rows of a file; null: one file per table. */
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

/** What stands in `manifest.json`, written last: who finds it finds whole files of one state. */
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
 * Writes tables as files. Each appears whole or not at all, and all are of one moment, whatever the mirror
 * loads meanwhile; a warehouse opened for reading is enough.
 */
export function exportTables({ db }: Warehouse, order: ExportOrder): Manifest {
  const { format, folder, what, nowMs } = order;
  const read = db.transaction((): Manifest => {
    const source = readSource(db);
    const cursor = currentCursor(db);
    const tables = order.tables ?? defaultTables(exportableTables(db), order);
    const files = tables.flatMap((table) => writeRowset(rowsetOf(db, table, order), source, order));
    return { exported_at: isoTime(nowMs), source, format, what, cursor, files };
  });
  const manifest = read();
  writeManifest(folder, manifest);
  removePartials(folder);
  return manifest;
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
        throw new UsageError(`${table} has no history`, { hint: 'As of a date: entity and its lists.' });
      return isNested ? documentsAsOf(db, what.at) : tableAsOf(db, table, what.at);
    case 'whole':
      return isNested ? entityDocuments(db) : tableRows(db, table);
  }
}

function writeRowset(rowset: Rowset, source: SourceFacts, order: ExportOrder): ExportedFile[] {
  const { format, folder, safeFormulas, rowsPerFile } = order;
  const files: ExportedFile[] = [];
  const rows = rowset.rows[Symbol.iterator]();
  let next = rows.next();
  do {
    const part = rowsPerFile === null ? '' : `-${String(files.length).padStart(5, '0')}`;
    const name = `${rowset.name}${part}.${format}`;
    const written = writeFile(join(folder, name), (file) => {
      const writer = openWriter(format, { columns: rowset.columns, file, safeFormulas, source });
      let count = 0;
      for (; next.done !== true && count !== rowsPerFile; next = rows.next()) {
        writer.row(next.value);
        count += 1;
      }
      writer.end();
      return count;
    });
    const { result, bytes, sha256 } = written;
    files.push({ name, table: rowset.name, rows: result, bytes, sha256, columns: rowset.columns });
  } while (next.done !== true);
  return files;
}

function writeManifest(folder: string, manifest: Manifest): void {
  writeFile(join(folder, MANIFEST), (file) => file.write(`${JSON.stringify(manifest, null, 2)}\n`));
}

function writeFile<T>(path: string, write: (file: AtomicFile) => T) {
  const file = openAtomicFile(path);
  try {
    const result = write(file);
    return { result, ...file.commit() };
  } catch (error) {
    file.discard();
    throw error;
  }
}
