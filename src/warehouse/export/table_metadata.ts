import type { SourceFacts } from '../meta.ts';
import { type ColumnKind, type PublishedTable, publishedTable } from '../published_tables.ts';
import { type Format, MEDIA_TYPES } from './row_writers.ts';
import { type ExportColumn, plainText } from './rowset.ts';

/** An exported file, as described by the metadata. */
interface DescribedFile {
  readonly name: string;
  readonly table: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly columns: readonly ExportColumn[];
}

interface DescribedExport {
  readonly format: Format;
  readonly exportedAt: string;
  readonly source: SourceFacts;
  readonly files: readonly DescribedFile[];
}

/**
 * Returns the content of `datapackage.json`, a Data Package of version 2
 * (https://datapackage.org/standard/data-package/).
 */
export function dataPackage({ format, exportedAt, source, files }: DescribedExport): object {
  const byTable = Map.groupBy(files, ({ table }) => table);
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: nameOf(source.name) || 'registry',
    title: source.name,
    created: exportedAt,
    ...termsOf(source),
    ...(source.url !== null && { sources: [{ title: source.name, path: source.url }] }),
    resources: [...byTable].map(([table, [first, ...rest]]) => ({
      name: nameOf(table),
      ...(format !== 'parquet' && { type: 'table', encoding: 'utf-8' }),
      path: rest.length === 0 ? first?.name : [first, ...rest].map((file) => file?.name),
      format,
      mediatype: MEDIA_TYPES[format],
      ...(rest.length === 0 && { bytes: first?.bytes, hash: `sha256:${first?.sha256}` }),
      schema: {
        $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
        fields: (first?.columns ?? []).map(({ name, kind, meaning }) => ({
          name,
          ...fieldType(kind, format),
          ...(meaning !== undefined && { description: meaning }),
        })),
        ...keyOf(table),
        ...(table.startsWith('entity__') &&
          byTable.has('entity') && {
            foreignKeys: [
              { fields: ['entity_id'], reference: { resource: 'entity', fields: ['entity_id'] } },
            ],
          }),
      },
    })),
  };
}

/**
 * Returns the licence and the attribution. Data Packages permit a licence only as an identifier or a URL, so a licence
 * in any other form goes into the description.
 */
function termsOf({ licence, attribution }: SourceFacts): { licenses?: object[]; description?: string } {
  const key = /^https?:\/\//.test(licence ?? '')
    ? 'path'
    : /^[-a-zA-Z0-9._]+$/.test(licence ?? '')
      ? 'name'
      : null;
  const description = [attribution, key === null && licence !== null ? `Licence: ${licence}` : null]
    .filter((text) => text !== null)
    .join('. ');
  return {
    ...(key !== null && { licenses: [{ [key]: licence, title: licence }] }),
    ...(description !== '' && { description }),
  };
}

/** Converts text to a name that Data Packages permit: lower-case ASCII letters, digits, `-`, `_` and `.`. */
function nameOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/**
 * Returns a column's type in Table Schema. In JSON Lines files, booleans are the numbers 0 and 1, which Table Schema
 * accepts only as integers.
 */
function fieldType(kind: ColumnKind, format: Format): object {
  if (kind === 'boolean' && format === 'csv')
    return { type: 'boolean', trueValues: ['1'], falseValues: ['0'] };
  if (kind === 'boolean' && format === 'jsonl') return { type: 'integer' };
  return { type: FIELD_TYPES[kind] };
}

function keyOf(table: string): { primaryKey?: readonly string[] } {
  const key = publishedTable(table)?.key;
  return key === undefined ? {} : { primaryKey: key };
}

const FIELD_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'string',
  integer: 'integer',
  real: 'number',
  boolean: 'boolean',
  date: 'date',
  time: 'datetime',
  mixed: 'any',
};

/** Describes what the rows of a table are, and what they are for. */
export function tableDescription({ rowPer, use }: PublishedTable): string {
  return `${plainText(rowPer === null ? use : `one row per ${rowPer}: ${use}`)}.`;
}
