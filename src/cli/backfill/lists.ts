import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { isComment, linesOf, listText } from '../../config/line_list.ts';
import { UsageError } from '../../errors.ts';
import { printable } from '../../printable.ts';

/** A list's source: a file or standard input. */
export interface ListSource {
  /** The file's path, or `-` for standard input. */
  readonly path: string;
  /**
   * The CSV column's name, or its number counted from 1. Undefined if the file has only one column or one value per
   * line.
   */
  readonly column: string | undefined;
}

export interface List {
  /** The distinct values, in the order in which they first occur. */
  readonly values: readonly string[];
  readonly blanks: number;
  readonly comments: number;
  readonly duplicates: number;
  /** The source's name in messages, such as `companies.csv` or `standard input`. */
  readonly from: string;
}

/**
 * Reads a list of ids or names, without blank lines and comments (`# …`), from a file with one value per line, or from a column of a CSV file. The CSV file may
 * use commas, semicolons or tabs as separators, and may have quotes, a byte order mark and any line endings.
 *
 * @throws UsageError if the list cannot be read, is not UTF-8, or has several columns with none selected.
 */
export async function readList(source: ListSource, stdin: Readable): Promise<List> {
  const from = source.path === '-' ? 'standard input' : printable(basename(source.path));
  const values = new Set<string>();
  let [blanks, comments, duplicates] = [0, 0, 0];
  try {
    for await (const value of valuesIn(await textOf(source, stdin), source, from)) {
      // A spreadsheet keeps the zeros of 0042 if the cell contains ="0042".
      const text = value.trim().replace(/^="(.*)"$/, '$1');
      if (text === '') blanks++;
      else if (isComment(text)) comments++;
      else if (values.has(text)) duplicates++;
      else values.add(text);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UsageError(`${from} cannot be read as CSV: ${error.message}`, { cause: error });
  }
  if (values.size === 0)
    throw new UsageError(`${from} contains no values`, {
      hint: 'Write one value per line, or use a CSV file and --column NAME.',
    });
  return { values: [...values], blanks, comments, duplicates, from };
}

async function* valuesIn(text: string, { path, column }: ListSource, from: string): AsyncGenerator<string> {
  if (column === undefined && !/\.(csv|tsv)$/i.test(path)) yield* linesIn(text);
  else yield* columnIn(text, column, from);
}

/** Returns whole lines, because a name may contain commas. Removes the quotes that spreadsheets write around a line. */
function* linesIn(text: string): Generator<string> {
  const lines = linesOf(text);
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines)
    yield /^".*"$/.test(line.trim()) ? line.trim().slice(1, -1).replaceAll('""', '"') : line;
}

async function* columnIn(text: string, column: string | undefined, from: string): AsyncGenerator<string> {
  const records = parse(text, {
    delimiter: delimiterOf(text),
    relax_column_count: true,
    relax_quotes: true,
  }) as AsyncIterable<string[]>;
  let at: number | null = null;
  for await (const record of records) {
    if (at !== null) {
      yield record[at] ?? '';
      continue;
    }
    if (isComment(record[0] ?? '')) {
      yield record[0] ?? '';
      continue;
    }
    const chosen = columnOf(record, column, from);
    at = chosen.at;
    if (!chosen.isHeader) yield record[at] ?? '';
  }
}

/**
 * Finds the selected column. The first line counts as a header if the column was selected by name, or if the column's
 * first value looks like a header, such as `company_number`.
 */
function columnOf(first: readonly string[], column: string | undefined, from: string) {
  const names = first.map((name) => name.trim());
  if (column === undefined) {
    if (names.length === 1) return { at: 0, isHeader: HEADER.test(names[0] ?? '') };
    throw new UsageError(`${from} has ${names.length} columns`, {
      hint: `Select one: --column NAME (${listed(names)}).`,
    });
  }
  const wanted = column.trim().toLowerCase();
  const byName = names.findIndex((name) => name.toLowerCase() === wanted);
  if (byName !== -1) return { at: byName, isHeader: true };
  const number = /^[1-9]\d*$/.test(wanted) ? Number(wanted) : 0;
  if (number >= 1 && number <= names.length)
    return { at: number - 1, isHeader: HEADER.test(names[number - 1] ?? '') };
  throw new UsageError(`${from} has no column ${column}`, { hint: `Its columns are ${listed(names)}.` });
}

const HEADER =
  /^[\s_-]*((entity|company|registration|registry|org(ani[sz]ation)?)[\s._-]*)?(ids?|identifiers?|numbers?|nr|no|names?|orgnr|siren|lei|query)[\s_-]*$/i;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => (name === '' ? '(no name)' : name));
  return shown.join(', ') + (names.length > shown.length ? ', …' : '');
}

/** Chooses comma, semicolon or tab, whichever is most frequent outside quotes in the first line. */
function delimiterOf(text: string): string {
  const first = (/^(?:[^"\r\n]|"(?:[^"]|"")*")*/.exec(text)?.[0] ?? '').replace(/"(?:[^"]|"")*"/g, '');
  const counted = [',', ';', '\t'].map((one) => ({ one, times: first.split(one).length }));
  return counted.sort((a, b) => b.times - a.times)[0]?.one ?? ',';
}

async function textOf({ path }: ListSource, stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of path === '-' ? stdin : createReadStream(path)) chunks.push(Buffer.from(chunk));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new UsageError(`${path} ${why}`, { cause: error });
  }
  return listText(Buffer.concat(chunks), path === '-' ? 'standard input' : path);
}
