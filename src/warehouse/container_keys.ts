import { snakeCase } from './column_name.ts';

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
