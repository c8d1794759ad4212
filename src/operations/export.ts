import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { isoTime } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { makeFolder } from '../sqlite/database_file.ts';
import {
  AtomicFile,
  explainFileError,
  hasPartials,
  removePartials,
} from '../warehouse/export/atomic_file.ts';
import { lockFolder } from '../warehouse/export/folder_lock.ts';
import { type Format, openWriter } from '../warehouse/export/row_writers.ts';
import {
  type Cell,
  type ExportColumn,
  entityDocuments,
  exportableTables,
  type Rowset,
  tableRows,
} from '../warehouse/export/rowset.ts';
import { dataPackage } from '../warehouse/export/table_metadata.ts';
import {
  changesAfter,
  type FeedTable,
  feedTables,
  isOfCompanies,
  keyCells,
  requireFeedTables,
} from '../warehouse/feed/changes.ts';
import { currentCursor, readCursor } from '../warehouse/feed/feed_page.ts';
import { readSource, type SourceFacts } from '../warehouse/meta.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { documentsAsOf, tableAsOf } from './export_as_of.ts';

export interface ExportOrder {
  readonly format: Format;
  /** The folder for the files. */
  readonly folder: string;
  /** The names of the tables to export. With null, all tables that this kind of export supports are exported. */
  readonly tables: readonly string[] | null;
  /** All data, the state at a time (ISO 8601), or the changes after the cursor of an earlier export. */
  readonly what:
    | { readonly is: 'whole' }
    | { readonly is: 'as_of'; readonly at: string }
    | { readonly is: 'changes'; readonly since: string };
  readonly safeFormulas: boolean;
  /** The maximum number of rows per file. With null, each table has one file. */
  readonly rowsPerFile: number | null;
  readonly nowMs: number;
}

interface ExportedFile {
  readonly name: string;
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly columns: readonly ExportColumn[];
}

/**
 * The content of `manifest.json`. The manifest is written last. If it exists, all its files are therefore complete and
 * show the warehouse in the same state.
 */
export interface Manifest {
  readonly exported_at: string;
  readonly source: SourceFacts;
  readonly format: Format;
  readonly what: ExportOrder['what'];
  /** The cursor for the exported state. Pass it as `since` to get the next changes. */
  readonly cursor: string;
  readonly files: readonly ExportedFile[];
}

const MANIFEST = 'manifest.json';
const DATA_PACKAGE = 'datapackage.json';
const DESCRIPTIONS = [MANIFEST, DATA_PACKAGE];

/**
 * Writes tables as files. All tables are read in one transaction, so the files show the same state. An earlier export
 * is replaced only after the last file is written. Exports to the same folder wait for each other. The warehouse may be
 * opened read-only.
 *
 * @throws UsageError or FailedError if the folder cannot be written.
 */
export function exportTables(warehouse: Warehouse, order: ExportOrder): Manifest {
  const { folder } = order;
  let unlock = () => {};
  try {
    makeFolder(folder);
    unlock = lockFolder(folder);
    const earlier = earlierFiles(folder);
    // The unfinished files show that an export wrote the description. Without them, the next export would not replace it.
    if (!existsSync(join(folder, MANIFEST))) rmSync(join(folder, DATA_PACKAGE), { force: true });
    removePartials(folder);
    const manifest = replaceFiles(warehouse, order);
    const current = new Set([...DESCRIPTIONS, ...manifest.files.map(({ name }) => name)]);
    for (const name of earlier) if (!current.has(name)) rmSync(join(folder, name), { force: true });
    return manifest;
  } catch (error) {
    throw explainFileError(error, `the export into ${folder}`, 'Name another folder with --out.');
  } finally {
    unlock();
  }
}

/**
 * Returns the names of the files that the folder's manifest lists.
 *
 * @throws UsageError if another program or a person wrote a file that the export would replace. After an export that
 * was killed, the manifest can be missing beside unfinished files.
 */
function earlierFiles(folder: string): string[] {
  const manifest = readManifest(join(folder, MANIFEST));
  if (manifest !== null) return manifest.files.map(({ name }) => basename(name));
  const foreign = hasPartials(folder) ? [MANIFEST] : DESCRIPTIONS;
  const found = foreign.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) return [];
  throw new UsageError(`${found} was not written by an export, so it is not replaced`, {
    hint: 'Name another folder with --out, or move the file.',
  });
}

/** Reads the manifest of an earlier export. Returns null if there is none, or if another program wrote the file. */
function readManifest(path: string): z.infer<typeof EarlierManifest> | null {
  if (!existsSync(path)) return null;
  const parsed = EarlierManifest.safeParse(jsonIn(readFileSync(path, 'utf8')));
  return parsed.success ? parsed.data : null;
}

const EarlierManifest = z.object({
  exported_at: z.string(),
  cursor: z.string(),
  files: z.array(z.object({ name: z.string(), sha256: z.string() })),
});

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function replaceFiles(warehouse: Warehouse, order: ExportOrder): Manifest {
  const { folder } = order;
  const written: AtomicFile[] = [];
  try {
    const { manifest, descriptions } = writeTables(warehouse, order, written);
    for (const [name, content] of descriptions) {
      const file = new AtomicFile(join(folder, name));
      written.push(file);
      file.write(`${JSON.stringify(content, null, 2)}\n`);
      file.finish();
    }
    // Delete the manifest before replacing files, so that it never lists files from a different state.
    rmSync(join(folder, MANIFEST), { force: true });
    for (const file of written) file.publish();
    return manifest;
  } catch (error) {
    for (const file of written) file.discard();
    throw error;
  }
}

interface WrittenTables {
  readonly manifest: Manifest;
  /** Files that describe the export, by file name. The manifest is the last one. */
  readonly descriptions: readonly (readonly [name: string, content: object])[];
}

function writeTables({ db }: Warehouse, order: ExportOrder, written: AtomicFile[]): WrittenTables {
  const { format, what, nowMs } = order;
  const read = db.transaction((): WrittenTables => {
    const source = readSource(db);
    const cursor = currentCursor(db);
    const target = { source, order, written };
    const files = what.is === 'changes' ? writeChanges(db, what.since, target) : writeWholeTables(db, target);
    const exportedAt = isoTime(nowMs);
    const manifest = { exported_at: exportedAt, source, format, what, cursor, files };
    return {
      manifest,
      descriptions: [
        [DATA_PACKAGE, dataPackage({ format, exportedAt, source, files })],
        [MANIFEST, manifest],
      ],
    };
  });
  return read();
}

interface Target {
  readonly source: SourceFacts;
  readonly order: ExportOrder;
  readonly written: AtomicFile[];
}

function writeWholeTables(db: Warehouse['db'], target: Target): ExportedFile[] {
  const tables = target.order.tables ?? defaultTables(exportableTables(db), target.order);
  return tables.flatMap((table) => {
    const { rows, ...shape } = rowsetOf(db, table, target.order);
    const files = new TableFiles(shape, target);
    // This loop ends the query even if a file cannot be written. An open query would block the warehouse.
    for (const row of rows) files.row(row);
    return files.end();
  });
}

function defaultTables(all: readonly string[], { what }: ExportOrder): string[] {
  return what.is === 'whole' ? [...all] : all.filter(hasHistory);
}

function hasHistory(table: string): boolean {
  return table === 'entity' || table.startsWith('entity__');
}

function rowsetOf(db: Warehouse['db'], table: string, { what, format }: ExportOrder): Rowset {
  const isNested = format === 'jsonl' && table === 'entity';
  if (what.is !== 'as_of') return isNested ? entityDocuments(db) : tableRows(db, table);
  if (!hasHistory(table))
    throw new UsageError(`${table} has no history`, {
      hint: 'Tables with history: entity and its lists (entity__…).',
    });
  return isNested ? documentsAsOf(db, what.at) : tableAsOf(db, table, what.at);
}

/** Writes one file per table. Each row begins with its version and operation. */
function writeChanges(db: Warehouse['db'], since: string, target: Target): ExportedFile[] {
  requireFeedTables(db, target.order.tables ?? []);
  const isWanted = (table: string) => target.order.tables?.includes(table) ?? true;
  const files = new Map<string, TableFiles>();
  const filesOf = ({ name, columns }: FeedTable): TableFiles => {
    const open = files.get(name) ?? new TableFiles({ name, columns: [...FEED_COLUMNS, ...columns] }, target);
    files.set(name, open);
    return open;
  };
  const tables = feedTables(db).filter(({ name }) => isWanted(name));
  for (const table of tables) filesOf(table);
  for (const change of changesAfter(db, readCursor(db, since)))
    for (const table of change.table === null ? tables.filter(isOfCompanies) : [change.table])
      if (isWanted(table.name))
        filesOf(table).row([BigInt(change.version), change.op, ...(change.row ?? keyCells(table, change))]);
  return [...files.values()].flatMap((open) => open.end());
}

const FEED_COLUMNS: readonly ExportColumn[] = [
  { name: '_version', kind: 'integer' },
  { name: '_op', kind: 'text' },
];

/** One table's files. A new file starts after `rowsPerFile` rows. Even a table without rows has one file. */
class TableFiles {
  readonly #shape: Omit<Rowset, 'rows'>;
  readonly #target: Target;
  readonly #files: ExportedFile[] = [];
  #current: OpenFile | null = null;
  #rows = 0;

  constructor(shape: Omit<Rowset, 'rows'>, target: Target) {
    this.#shape = shape;
    this.#target = target;
  }

  row(cells: readonly Cell[]): void {
    if (this.#current !== null && this.#rows === this.#target.order.rowsPerFile) this.#close(this.#current);
    this.#current ??= this.#open();
    this.#current.writer.row(cells);
    this.#rows += 1;
  }

  /** Completes the last file and returns all files. */
  end(): ExportedFile[] {
    this.#close(this.#current ?? this.#open());
    return this.#files;
  }

  #open(): OpenFile {
    const { source, written, order } = this.#target;
    const { format, folder, safeFormulas, rowsPerFile } = order;
    const { name: table, columns } = this.#shape;
    const suffix = rowsPerFile === null ? '' : `-${String(this.#files.length).padStart(5, '0')}`;
    const name = `${table}${suffix}.${format}`;
    const file = new AtomicFile(join(folder, name));
    written.push(file);
    return { name, file, writer: openWriter(format, { columns, file, safeFormulas, source }) };
  }

  #close({ name, file, writer }: OpenFile): void {
    const { name: table, columns } = this.#shape;
    writer.end();
    this.#files.push({ name, table, rows: this.#rows, ...file.finish(), columns });
    this.#current = null;
    this.#rows = 0;
  }
}

interface OpenFile {
  readonly name: string;
  readonly file: AtomicFile;
  readonly writer: ReturnType<typeof openWriter>;
}
