import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Database } from 'better-sqlite3';
import type { Dialect } from '../../dialect/dialect.ts';
import { UsageError } from '../../errors.ts';
import type { BackfillOrder } from '../../operations/backfill.ts';
import { counted, duration } from '../../report/figures.ts';
import {
  type BackfillItem,
  failedTargets,
  idsFetchedBefore,
  idsNeverFetched,
} from '../../warehouse/backfill.ts';
import { type List, readList } from './lists.ts';

/** What the command line asks for. */
export interface SelectionFlags {
  readonly ids?: string;
  readonly names?: string;
  readonly column?: string;
  readonly query?: readonly string[];
  readonly prefix?: readonly string[];
  readonly idPrefix?: readonly string[];
  /** Milliseconds. */
  readonly stale?: number;
  readonly missing?: boolean;
  readonly failed?: boolean;
  /** Also fetch what was fetched lately. */
  readonly again?: boolean;
  /** False: only list. */
  readonly records?: boolean;
}

export interface Ground {
  readonly db: Database;
  readonly dialect: Dialect;
  readonly recordsMaxAgeMs: number;
  readonly nowMs: number;
  readonly stdin: Readable;
}

export interface Selection {
  readonly order: BackfillOrder;
  /** The lists that were read, for what was left out of them. */
  readonly lists: readonly List[];
}

/** Is anything selected at all? */
export function isSelecting(flags: SelectionFlags): boolean {
  const { ids, names, query, prefix, idPrefix, stale, missing, failed } = flags;
  return [ids, names, query, prefix, idPrefix, stale, missing, failed].some((one) => one !== undefined);
}

/** Reads the lists and looks up what stale, missing and failed mean today. */
export async function readSelection(flags: SelectionFlags, ground: Ground): Promise<Selection> {
  refuseImpossible(flags, ground.dialect);
  const ids = flags.ids === undefined ? null : await listOf(flags.ids, flags, ground);
  const names = flags.names === undefined ? null : await listOf(flags.names, flags, ground);
  const parts: Part[] = [
    ...(ids === null ? [] : [fromList(ids, 'id', entities)]),
    ...(names === null ? [] : [fromList(names, 'name', named)]),
    ...(flags.query ?? []).map((text) => one(searched('query', 'name', text), `query "${text}"`)),
    ...(flags.prefix ?? []).map((text) => one(searched('prefix', 'name', text), `names beginning "${text}"`)),
    ...(flags.idPrefix ?? []).map((text) =>
      one(searched('prefix', 'identifier', text), `ids beginning "${text}"`),
    ),
    ...lookedUp(flags, ground),
  ];
  return {
    order: {
      title: parts.map(({ title }) => title).join(', '),
      identity: JSON.stringify(parts.map(({ identity }) => identity)),
      items: parts.flatMap(({ items }) => items),
      withRecords: flags.records !== false,
      freshForMs: freshFor(flags, ground),
    },
    lists: [ids, names].filter((list) => list !== null),
  };
}

interface Part {
  readonly items: readonly BackfillItem[];
  readonly title: string;
  /** Equal for two commands that ask for the same, however much of it is settled meanwhile. */
  readonly identity: string;
}

function fromList(list: List, noun: string, wishesOf: (values: readonly string[]) => BackfillItem[]): Part {
  const hash = createHash('sha256');
  for (const value of list.values) hash.update(`${value}\0`);
  return {
    items: wishesOf(list.values),
    title: `${counted(list.values.length, noun)} from ${list.from}`,
    identity: `${noun}s ${hash.digest('hex')}`,
  };
}

function one(item: BackfillItem, title: string): Part {
  return { items: [item], title, identity: JSON.stringify(item) };
}

function lookedUp({ stale, missing, failed }: SelectionFlags, { db, nowMs }: Ground): Part[] {
  const parts: Part[] = [];
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
    parts.push({ items, title: `${counted(items.length, 'target')} that failed`, identity: 'failed' });
  }
  return parts;
}

function failedItems(db: Database): BackfillItem[] {
  const items = failedTargets(db).map(({ kind, target }): BackfillItem => {
    if (kind === 'entity') return { kind: 'entity', searchedBy: null, given: target };
    const [, by = '', text = ''] = /^(name|identifier):(.*?)(?:#\d+)?$/s.exec(target) ?? [];
    return searched('query', by === 'identifier' ? 'identifier' : 'name', text);
  });
  // Two pages of one query are one wish.
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** What must be asked again whatever its age decides for all of the backfill. */
function freshFor({ again, failed, stale }: SelectionFlags, { recordsMaxAgeMs }: Ground): number {
  if (again || failed) return 0;
  return Math.min(recordsMaxAgeMs, stale ?? Number.POSITIVE_INFINITY);
}

function refuseImpossible({ ids, names, idPrefix }: SelectionFlags, { search }: Dialect): void {
  if (ids === '-' && names === '-')
    throw new UsageError('standard input can hold one list only', { hint: 'Give --ids or --names a file.' });
  if (idPrefix !== undefined && search.identifiers !== 'prefix')
    throw new UsageError(
      `this registry cannot be searched by the beginning of an id (dialect.search.identifiers: ${search.identifiers})`,
      { hint: 'Use --ids with whole ids, or --prefix for the beginning of a name.' },
    );
  // Everything at once can be listed by name only.
  const shortest = Math.max(1, search.min_length);
  const short = idPrefix?.find((text) => [...text].length < shortest);
  if (short !== undefined)
    throw new UsageError(
      `"${short}" is too short: this registry answers queries of ${shortest} characters or more`,
    );
}

function listOf(path: string, { column }: SelectionFlags, { stdin }: Ground): Promise<List> {
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
