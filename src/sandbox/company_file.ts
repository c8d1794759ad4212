import { createReadStream } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { FailedError, UsageError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '../json/json.ts';
import { setOwn } from '../json/json_template.ts';
import type { Company } from './company_store.ts';

export interface CompanyFileOptions {
  /** Column (or key) of the id; guessed where it is not given. */
  readonly idColumn?: string | undefined;
  readonly nameColumn?: string | undefined;
  /** Only rows whose column has this value. */
  readonly where?: { readonly column: string; readonly value: string } | undefined;
}

/**
 * Reads companies from CSV (any file with a header line) or JSON Lines (`.jsonl`, `.ndjson`). One company an
 * id: the first row wins. Throws UsageError for a file that cannot be understood.
 */
export async function readCompanies(path: string, options: CompanyFileOptions = {}): Promise<Company[]> {
  const isJson = ['.jsonl', '.ndjson'].includes(extname(path).toLowerCase());
  const rows = isJson ? jsonRows(path) : csvRows(path);
  const companies = new Map<string, Company>();
  let columns: Columns | null = null;
  try {
    for await (const row of rows) {
      columns ??= columnsOf(row, isJson ? { ...options, where: undefined } : options, path);
      if (options.where !== undefined && text(row[options.where.column]) !== options.where.value) continue;
      const company = companyOf(row, columns);
      if (company !== null && !companies.has(company.id)) companies.set(company.id, company);
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${path} cannot be read as ${isJson ? 'JSON Lines' : 'CSV'}: ${messageOf(cause)}`, {
      cause,
    });
  }
  if (companies.size === 0)
    throw new UsageError(`${path} holds no company${options.where ? ' that fits --where' : ''}.`);
  return [...companies.values()];
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
  // pipe() does not hand on the errors of its source.
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
  if (options.where !== undefined) chosen(row, options.where.column, [], '--where', path);
  return {
    id: chosen(row, options.idColumn, ID_COLUMNS, '--id-column', path),
    name: chosen(row, options.nameColumn, NAME_COLUMNS, '--name-column', path),
  };
}

function chosen(
  row: JsonObject,
  given: string | undefined,
  guesses: string[],
  flag: string,
  path: string,
): string {
  const columns = Object.keys(row);
  if (given !== undefined) {
    if (columns.includes(given)) return given;
    throw new UsageError(`${path} has no column "${given}".`, { hint: `It has: ${columns.join(', ')}.` });
  }
  const guess = guesses.find((name) => columns.some((column) => column.toLowerCase() === name));
  const found = columns.find((column) => column.toLowerCase() === guess);
  if (found !== undefined) return found;
  throw new UsageError(`It is not clear which column of ${path} to take.`, {
    hint: `Say it with ${flag}; there are: ${columns.join(', ')}.`,
  });
}

/** A row without an id is no company. */
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

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** The sample registry that comes with the package: invented companies. */
export function sampleCompanies(): Promise<Company[]> {
  return readCompanies(samplePath());
}

export function samplePath(): string {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new FailedError('The sample registry is missing: this is no package.');
  return join(dirname(manifest), 'data', 'sample-registry.jsonl');
}
