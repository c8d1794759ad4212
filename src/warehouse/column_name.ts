import { reservedColumns } from './published_tables.ts';

/**
 * Creates column and table names that analysts can type. The names are in snake_case, unique in their table (ignoring
 * case), and different from built-in column names. Letters in all scripts are kept.
 */

const MAX_LENGTH = 100;

/**
 * Returns the column name for a path in the payload. `keys` are all keys on the path, and `shortKeys` are those below
 * its containers. The name is made from `shortKeys` unless it would be taken or reserved.
 */
export function columnName(
  keys: readonly string[],
  taken: ReadonlySet<string>,
  shortKeys: readonly string[] = keys,
): string {
  const joined = shortKeys.map(snakeCase).join('__');
  const isOurs = shortKeys[0]?.startsWith('_') || RESERVED.has(joined);
  if (shortKeys.length < keys.length && (isOurs || taken.has(joined))) return columnName(keys, taken);
  return unique(isOurs ? `field_${joined}` : joined, taken);
}

/**
 * Returns the child table's name for the list at `keys` in the rows of `parent`. `shortKeys` are the keys below the
 * list's containers.
 */
export function childTableName(
  parent: string,
  keys: readonly string[],
  taken: ReadonlySet<string>,
  shortKeys: readonly string[] = keys,
): string {
  const name = [parent, ...(keys.length === 0 ? ['items'] : shortKeys.map(snakeCase))].join('__');
  if (shortKeys.length < keys.length && taken.has(name)) return childTableName(parent, keys, taken);
  return unique(name, taken);
}

/**
 * Converts a key to snake_case. For example, `companyName`, `Company Name` and `company-name` become `company_name`.
 */
export function snakeCase(key: string): string {
  const words = key
    .slice(0, MAX_LENGTH)
    .normalize('NFC')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
  return words === '' ? 'field' : words;
}

// SQLite's names for the row id, and the built-in columns that do not come from the payload.
const RESERVED: ReadonlySet<string> = new Set(['rowid', 'oid', ...reservedColumns()]);

function unique(name: string, taken: ReadonlySet<string>): string {
  const short = name.slice(0, MAX_LENGTH);
  if (!taken.has(short)) return short;
  for (let count = 2; ; count++) {
    const numbered = `${short}_${count}`;
    if (!taken.has(numbered)) return numbered;
  }
}

/** An object on a path, and the members seen in it so far. */
interface Level {
  readonly members: ReadonlyMap<string, Level> | null;
}

/**
 * Returns a path's keys without the containers at its start, which makes column and table names shorter. For example,
 * `/attributes/entity/legalName/name` becomes `legalName`, `name`. If another object outside the containers has a
 * member with that name, all keys are kept, because the shorter name would be ambiguous.
 */
export function keysBelowContainers(root: Level, keys: readonly string[]): readonly string[] {
  const from = keys.findIndex((key, at) => !CONTAINERS.has(snakeCase(key)) || at === keys.length - 1);
  const name = snakeCase(keys[from] ?? '');
  let outer: Level | undefined = root;
  for (const container of keys.slice(0, from)) {
    for (const key of outer?.members?.keys() ?? []) if (snakeCase(key) === name) return keys;
    outer = outer?.members?.get(container);
  }
  return keys.slice(from);
}

/** Keys (in snake_case) of objects in which many registries wrap a record's fields. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'attributes',
  'data',
  'record',
  'result',
  'entity',
  'company',
  'organisation',
  'organization',
]);
