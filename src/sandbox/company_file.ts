import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { packagedFile } from '../config/packaged_file.ts';
import { messageOf, UsageError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '../json/json.ts';
import { setOwn } from '../json/json_template.ts';
import type { Company } from '../warehouse/sandbox_companies.ts';

export interface CompanyFileOptions {
  /** The column (or key) with the id. By default, a common name such as `id` or `company_number` is used. */
  readonly idColumn?: string | undefined;
  readonly nameColumn?: string | undefined;
  /** Selects only the rows that have this value in this column. */
  readonly where?: { readonly column: string; readonly value: string } | undefined;
}

/**
 * Reads companies from a CSV file with a header line, or from JSON Lines (`.jsonl`, `.ndjson`). If several rows have
 * the same id, the first one is used. Throws UsageError if the file is unreadable.
 */
export async function* readCompanies(
  path: string,
  options: CompanyFileOptions = {},
): AsyncGenerator<Company> {
  const isJson = ['.jsonl', '.ndjson'].includes(extname(path).toLowerCase());
  const rows = isJson ? jsonRows(path) : csvRows(path);
  const ids = new Set<string>();
  let columns: Columns | null = null;
  try {
    for await (const row of rows) {
      columns ??= columnsOf(row, isJson ? { ...options, where: undefined } : options, path);
      if (options.where !== undefined && text(row[options.where.column]) !== options.where.value) continue;
      const company = companyOf(row, columns);
      if (company === null || ids.has(company.id)) continue;
      ids.add(company.id);
      yield company;
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${path} cannot be read as ${isJson ? 'JSON Lines' : 'CSV'}: ${messageOf(cause)}`, {
      cause,
    });
  }
  if (ids.size === 0)
    throw new UsageError(`${path} contains no company${options.where ? ' that matches --where' : ''}.`);
}

interface Columns {
  readonly id: string;
  readonly name: string;
}

const ID_COLUMNS = ['id', 'entity_id', 'company_number', 'number', 'code', 'lei', 'registration_number'];
const NAME_COLUMNS = ['name', 'company_name', 'legal_name', 'title', 'entity_name'];

async function* csvRows(path: string): AsyncGenerator<JsonObject> {
  const source = createReadStream(path);
  const rows = source.pipe(
    parse({ columns: true, bom: true, skip_empty_lines: true, relax_column_count: true }),
  );
  // pipe() does not forward errors from its source stream.
  source.once('error', (error) => rows.destroy(error));
  for await (const row of rows) yield row as JsonObject;
}

async function* jsonRows(path: string): AsyncGenerator<JsonObject> {
  let number = 0;
  for await (const line of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number++;
    if (line.trim() === '') continue;
    const row = parseJson(line);
    if (!isJsonObject(row)) throw new UsageError(`${path}, line ${number}: not a JSON object.`);
    yield row;
  }
}

function columnsOf(row: JsonObject, options: CompanyFileOptions, path: string): Columns {
  if (options.where !== undefined) columnFor(row, options.where.column, [], '--where', path);
  return {
    id: columnFor(row, options.idColumn, ID_COLUMNS, '--id-column', path),
    name: columnFor(row, options.nameColumn, NAME_COLUMNS, '--name-column', path),
  };
}

function columnFor(
  row: JsonObject,
  given: string | undefined,
  guesses: string[],
  flag: string,
  path: string,
): string {
  const columns = Object.keys(row);
  if (given !== undefined) {
    if (columns.includes(given)) return given;
    throw new UsageError(`${path} has no column "${given}".`, { hint: `Columns: ${columns.join(', ')}.` });
  }
  const guess = guesses.find((name) => columns.some((column) => column.toLowerCase() === name));
  const found = columns.find((column) => column.toLowerCase() === guess);
  if (found !== undefined) return found;
  throw new UsageError(`${path} needs ${flag}, because no column has a usual name.`, {
    hint: `Columns: ${columns.join(', ')}.`,
  });
}

/** Returns null for a row without an id. */
function companyOf(row: JsonObject, { id, name }: Columns): Company | null {
  const companyId = text(row[id]);
  if (companyId === '') return null;
  const fields: JsonObject = {};
  for (const [column, value] of Object.entries(row)) {
    if (column !== id && column !== name) setOwn(fields, column, value);
  }
  return { id: companyId, name: text(row[name]), fields };
}

function text(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** Reads the sample registry from this package. Its companies are synthetic. */
export function sampleCompanies(): AsyncGenerator<Company> {
  return readCompanies(packagedFile('data/sample-registry.jsonl'));
}
