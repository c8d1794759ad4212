import { zstdCompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { SourceFacts } from '../meta.ts';
import type { ColumnKind } from '../published_tables.ts';
import type { AtomicFile } from './atomic_file.ts';
import type { Cell, ExportColumn } from './rowset.ts';

/** Writes rows in one format. It needs the same memory for any number of rows. */
interface RowWriter {
  row(cells: readonly Cell[]): void;
  end(): void;
}

export const FORMATS = ['csv', 'jsonl', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  jsonl: 'application/jsonl',
  parquet: 'application/vnd.apache.parquet',
};

interface WriterOptions {
  readonly columns: readonly ExportColumn[];
  readonly file: Pick<AtomicFile, 'write'>;
  /** For CSV: inserts an apostrophe before text that a spreadsheet would execute as a formula. */
  readonly safeFormulas: boolean;
  /** For Parquet: the data's source, which is written to the footer. */
  readonly source: SourceFacts;
}

export function openWriter(format: Format, options: WriterOptions): RowWriter {
  switch (format) {
    case 'csv':
      return csvWriter(options);
    case 'jsonl':
      return jsonLinesWriter(options);
    case 'parquet':
      return parquetWriter(options);
  }
}

/** Writes CSV (RFC 4180) in UTF-8 with a header. NULL is written as an empty field, and empty text as "". */
function csvWriter({ columns, file, safeFormulas }: WriterOptions): RowWriter {
  const line = (cells: readonly Cell[]) => file.write(csvLine(cells, safeFormulas));
  line(columns.map(({ name }) => name));
  return { row: line, end: () => {} };
}

/** Returns a table for people as CSV text, in which a spreadsheet executes nothing. */
export function csvText(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map(safeCsvLine).join('');
}

/** Returns a row of such a table. */
export function safeCsvLine(cells: readonly Cell[]): string {
  return csvLine(cells, true);
}

function csvLine(cells: readonly Cell[], safeFormulas: boolean): string {
  return `${cells.map((cell) => csvField(cell, safeFormulas)).join(',')}\r\n`;
}

function csvField(cell: Cell, safeFormulas: boolean): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = safeFormulas && FORMULA.test(cell) ? `'${cell}` : cell;
  // In many locales, a spreadsheet also splits unquoted text at semicolons and tabs, so such text is quoted.
  return text === '' || (safeFormulas ? /[",;\t\r\n]/ : /[",\r\n]/).test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}

/**
 * Matches text that a spreadsheet may execute. Such text starts with a control character, or with one of = + - @ or
 * their Unicode variants (https://owasp.org/www-community/attacks/CSV_Injection). Some programs remove leading spaces
 * and invisible characters first, so the pattern skips them.
 */
const FORMULA = /^[\p{Cc}]|^[\s\p{Cf}]*[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]/u;

/** Writes one JSON object per line. A `document` is written as received, so that every number keeps all its digits. */
function jsonLinesWriter({ columns, file }: WriterOptions): RowWriter {
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  const isDocument = columns.map(({ name, kind }) => name === 'document' && kind === 'mixed');
  return {
    row: (cells) => {
      const members = cells.map(
        (cell, at) => `${keys[at]}${isDocument[at] ? oneLine(cell) : jsonCell(cell)}`,
      );
      file.write(`{${members.join(',')}}\n`);
    },
    end: () => {},
  };
}

/** Returns a cell as JSON. Integers keep all their digits. */
export function jsonCell(cell: Cell): string {
  return typeof cell === 'bigint' ? cell.toString() : JSON.stringify(cell);
}

// Line breaks can be replaced safely. In JSON, they are whitespace outside strings and always escaped inside strings.
function oneLine(document: Cell): string {
  return typeof document === 'string' ? document.replace(/[\r\n]+/g, ' ') : 'null';
}

const ROWS_PER_GROUP = 20_000;
/**
 * The maximum number of characters in a row group. A group stays in memory until it is encoded, so a group of wide rows
 * has fewer rows.
 */
const CHARACTERS_PER_GROUP = 8_000_000;

/**
 * Writes Parquet with typed columns in row groups, compressed with zstd. Dates and times have their own types. Columns
 * with mixed types are written as text.
 */
function parquetWriter({ columns, file, source }: WriterOptions): RowWriter {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(schemaElement)],
    codec: 'ZSTD',
    compressors: { ZSTD: (input) => zstdCompressSync(input) },
    createdBy: 'registry-mirror',
    kvMetadata: Object.entries(source).map(([key, value]) => ({ key, value: value ?? '' })),
  });
  let group = columns.map((): unknown[] => []);
  let rows = 0;
  let characters = 0;

  const flush = () => {
    if (rows > 0)
      void writer.write({
        columnData: columns.map(({ name }, at) => ({ name, data: group[at] ?? [] })),
        rowGroupSize: rows,
      });
    group = columns.map(() => []);
    rows = 0;
    characters = 0;
    drain(bytes, file);
  };
  return {
    row: (cells) => {
      for (const [at, column] of columns.entries()) {
        const cell = cells[at] ?? null;
        group[at]?.push(parquetCell(cell, column.kind));
        if (typeof cell === 'string') characters += cell.length;
      }
      rows += 1;
      if (rows === ROWS_PER_GROUP || characters >= CHARACTERS_PER_GROUP) flush();
    },
    end: () => {
      flush();
      void writer.finish();
      drain(bytes, file);
    },
  };
}

/**
 * Writes the encoded bytes to the file and empties the buffer. The Parquet writer counts its bytes separately, so its
 * offsets remain correct.
 */
function drain(bytes: ByteWriter, file: Pick<AtomicFile, 'write'>): void {
  file.write(new Uint8Array(bytes.buffer, 0, bytes.index));
  bytes.index = 0;
}

function schemaElement({ name, kind }: ExportColumn): SchemaElement {
  return { name, repetition_type: 'OPTIONAL', ...PARQUET_TYPES[kind] };
}

const PARQUET_TYPES: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name' | 'repetition_type'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  mixed: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  real: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

function parquetCell(cell: Cell, kind: ColumnKind): unknown {
  if (cell === null) return null;
  switch (kind) {
    case 'date':
    case 'time':
      // An older version stored an unknown time as empty text.
      return cell === '' ? null : new Date(String(cell));
    case 'boolean':
      return Boolean(cell);
    case 'real':
      return Number(cell);
    case 'integer':
      return BigInt(cell);
    case 'text':
    case 'mixed':
      return String(cell);
  }
}
