import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Dialect } from '../../dialect/dialect.ts';
import { UsageError } from '../../errors.ts';
import type { BackfillOrder } from '../../operations/backfill.ts';
import { withInferredIdentifiers } from '../../plan/discovery/identifier_rule.ts';
import { counted, duration } from '../../report/figures.ts';
import type { BackfillItem } from '../../warehouse/backfill.ts';
import { failedTargets, idsFetchedBefore, idsNeverFetched } from '../../warehouse/backfill_selection.ts';
import { openKnowledge } from '../../warehouse/plan_knowledge.ts';
import type { Warehouse } from '../../warehouse/warehouse.ts';
import { type List, readList } from './lists.ts';

export interface SelectionFlags {
  readonly ids?: string;
  readonly names?: string;
  readonly column?: string;
  readonly query?: readonly string[];
  readonly prefix?: readonly string[];
  readonly idPrefix?: readonly string[];
  /** Selects records older than this, in milliseconds. */
  readonly stale?: number;
  readonly missing?: boolean;
  readonly failed?: boolean;
  /** Also fetches records that are still fresh. */
  readonly again?: boolean;
  /** If false, companies are found without fetching their records. */
  readonly records?: boolean;
}

export interface SelectionContext {
  readonly warehouse: Warehouse;
  readonly dialect: Dialect;
  readonly recordsMaxAgeMs: number;
  readonly nowMs: number;
  readonly stdin: Readable;
}

export interface Selection {
  readonly order: BackfillOrder;
  /** The lists that were read, each with its number of ignored lines. */
  readonly lists: readonly List[];
}

export function isSelecting(flags: SelectionFlags): boolean {
  const { ids, names, query, prefix, idPrefix, stale, missing, failed } = flags;
  return [ids, names, query, prefix, idPrefix, stale, missing, failed].some((one) => one !== undefined);
}

/** Reads the lists, and looks up the stale, missing and failed companies. */
export async function readSelection(flags: SelectionFlags, context: SelectionContext): Promise<Selection> {
  refuseImpossible(flags, context);
  const ids = flags.ids === undefined ? null : await listOf(flags.ids, flags, context);
  const names = flags.names === undefined ? null : await listOf(flags.names, flags, context);
  const parts: SelectedItems[] = [
    ...(ids === null ? [] : [fromList(ids, 'id', entities)]),
    ...(names === null ? [] : [fromList(names, 'name', named)]),
    ...(flags.query ?? []).map((text) => one(searched('query', 'name', text), `query "${text}"`)),
    ...(flags.prefix ?? []).map((text) => one(searched('prefix', 'name', text), `name prefix "${text}"`)),
    ...(flags.idPrefix ?? []).map((text) =>
      one(searched('prefix', 'identifier', text), `id prefix "${text}"`),
    ),
    ...lookedUp(flags, context),
  ];
  return {
    order: {
      title: parts.map(({ title }) => title).join(', '),
      identity: JSON.stringify(parts.map(({ identity }) => identity)),
      items: parts.flatMap(({ items }) => items),
      withRecords: flags.records !== false,
      freshForMs: freshFor(flags, context),
    },
    lists: [ids, names].filter((list) => list !== null),
  };
}

interface SelectedItems {
  readonly items: readonly BackfillItem[];
  readonly title: string;
  /** Commands with the same selection have the same identity, even if some items are already settled. */
  readonly identity: string;
}

function fromList(
  list: List,
  noun: string,
  itemsOf: (values: readonly string[]) => BackfillItem[],
): SelectedItems {
  const hash = createHash('sha256');
  for (const value of list.values) hash.update(`${value}\0`);
  return {
    items: itemsOf(list.values),
    title: `${counted(list.values.length, noun)} from ${list.from}`,
    identity: `${noun}s ${hash.digest('hex')}`,
  };
}

function one(item: BackfillItem, title: string): SelectedItems {
  return { items: [item], title, identity: JSON.stringify(item) };
}

function lookedUp(
  { stale, missing, failed }: SelectionFlags,
  { warehouse: { db }, nowMs }: SelectionContext,
): SelectedItems[] {
  const parts: SelectedItems[] = [];
  if (missing) {
    const items = entities(idsNeverFetched(db));
    const title = `${counted(items.length, 'company', 'companies')} without a record`;
    parts.push({ items, title, identity: 'missing' });
  }
  if (stale !== undefined) {
    const items = entities(idsFetchedBefore(db, nowMs - stale));
    const title = `${counted(items.length, 'record')} older than ${duration(stale)}`;
    parts.push({ items, title, identity: `stale ${stale}` });
  }
  if (failed) {
    const items = failedItems(db);
    parts.push({ items, title: counted(items.length, 'failed target'), identity: 'failed' });
  }
  return parts;
}

function failedItems(db: Warehouse['db']): BackfillItem[] {
  const items = failedTargets(db).map(({ kind, target }): BackfillItem => {
    if (kind === 'entity') return { kind: 'entity', searchedBy: null, given: target };
    const [, by = '', text = ''] = /^(name|identifier):(.*?)(?:#\d+)?$/s.exec(target) ?? [];
    return searched('query', by === 'identifier' ? 'identifier' : 'name', text);
  });
  // If two pages of the same query failed, add the query only once.
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/**
 * Returns the maximum age of a fresh record, in milliseconds. With `--again` or `--failed`, no record counts as fresh.
 */
function freshFor({ again, failed, stale }: SelectionFlags, { recordsMaxAgeMs }: SelectionContext): number {
  if (again || failed) return 0;
  return Math.min(recordsMaxAgeMs, stale ?? Number.POSITIVE_INFINITY);
}

function refuseImpossible(
  { ids, names, idPrefix }: SelectionFlags,
  { dialect, warehouse }: SelectionContext,
): void {
  if (ids === '-' && names === '-')
    throw new UsageError('--ids and --names cannot both read standard input', {
      hint: 'Use a file for one of them.',
    });
  if (idPrefix === undefined) return;
  const { search } = withInferredIdentifiers(dialect, openKnowledge(warehouse));
  if (search.identifiers === 'unknown')
    throw new UsageError(
      'it is unknown whether this registry can search by id prefix (dialect.search.identifiers)',
      { hint: 'Run `registry-mirror sync`, which learns it, or use --ids with whole ids.' },
    );
  if (search.identifiers !== 'prefix')
    throw new UsageError(
      `this registry cannot search by id prefix (dialect.search.identifiers: ${search.identifiers})`,
      { hint: 'Use --ids with whole ids, or --prefix for names.' },
    );
  // An empty prefix would list the whole registry, so it is rejected even if the upstream accepts empty queries.
  const shortest = Math.max(1, search.min_length);
  const short = idPrefix.find((text) => [...text].length < shortest);
  if (short !== undefined)
    throw new UsageError(
      `"${short}" is too short: this registry accepts queries of ${shortest} or more characters`,
    );
}

function listOf(path: string, { column }: SelectionFlags, { stdin }: SelectionContext): Promise<List> {
  return readList({ path, column }, stdin);
}

function entities(ids: readonly string[]): BackfillItem[] {
  return ids.map((given) => ({ kind: 'entity', searchedBy: null, given }));
}

function named(names: readonly string[]): BackfillItem[] {
  return names.map((given) => ({ kind: 'name', searchedBy: null, given }));
}

function searched(kind: 'query' | 'prefix', searchedBy: 'name' | 'identifier', given: string): BackfillItem {
  return { kind, searchedBy, given };
}
