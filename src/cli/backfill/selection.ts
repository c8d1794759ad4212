import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { DateTime } from 'luxon';
import { DAY_MS } from '../../durations.ts';
import { UsageError } from '../../errors.ts';
import type { BackfillOrder } from '../../operations/backfill.ts';
import { printable } from '../../printable.ts';
import { counted, duration } from '../../report/figures.ts';
import {
  type BackfillItem,
  failedTargets,
  idsFetchedBefore,
  idsNeverFetched,
} from '../../warehouse/backfill.ts';
import type { Warehouse } from '../../warehouse/warehouse.ts';
import { type List, readList } from './lists.ts';

export interface SelectionFlags {
  readonly ids?: string;
  readonly names?: string;
  readonly column?: string;
  readonly query?: readonly string[];
  readonly prefix?: readonly string[];
  /** Selects records older than this, in milliseconds. */
  readonly stale?: number;
  readonly missing?: boolean;
  readonly failed?: boolean;
  /** Also fetches records that are still fresh. */
  readonly again?: boolean;
  /** If false, companies are found without fetching their records. */
  readonly records?: boolean;
}

interface SelectionContext {
  readonly warehouse: Warehouse;
  readonly recordsMaxAgeMs: number;
  readonly nowMs: number;
  readonly stdin: Readable;
}

interface Selection {
  readonly order: BackfillOrder;
  /** The lists that were read, each with its number of ignored lines. */
  readonly lists: readonly List[];
}

export function isSelecting({ ids, names, query, prefix, stale, missing, failed }: SelectionFlags): boolean {
  return [ids, names, query, prefix, stale, missing, failed].some((one) => one !== undefined);
}

/** Reads the lists, and looks up the stale, missing and failed companies. */
export async function readSelection(flags: SelectionFlags, context: SelectionContext): Promise<Selection> {
  const { ids, names, column, query = [], prefix = [] } = flags;
  if (ids === '-' && names === '-')
    throw new UsageError('--ids and --names cannot both read standard input', {
      hint: 'Use a file for one of them.',
    });
  const listIn = async (path: string | undefined) =>
    path === undefined ? null : await readList({ path, column }, context.stdin);
  const [idList, nameList] = [await listIn(ids), await listIn(names)];
  const parts: SelectedItems[] = [
    ...(idList === null ? [] : [fromList(idList, 'id', 'entity')]),
    ...(nameList === null ? [] : [fromList(nameList, 'name', 'name')]),
    ...query.map((text) => one(searched('query', 'name', text), `query "${printable(text)}"`)),
    ...prefix.map((text) => one(searched('prefix', 'name', text), `name prefix "${printable(text)}"`)),
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
    lists: [idList, nameList].filter((list) => list !== null),
  };
}

interface SelectedItems {
  readonly items: readonly BackfillItem[];
  readonly title: string;
  /** Commands with the same selection have the same identity, even if some items are already settled. */
  readonly identity: string;
}

function fromList(list: List, noun: string, kind: 'entity' | 'name'): SelectedItems {
  const hash = createHash('sha256');
  for (const value of list.values) hash.update(`${value}\0`);
  return {
    items: itemsOf(kind, list.values),
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
    const items = itemsOf('entity', idsNeverFetched(db));
    const title = `${counted(items.length, 'company', 'companies')} without a record`;
    parts.push({ items, title, identity: 'missing' });
  }
  if (stale !== undefined) {
    const items = itemsOf('entity', idsFetchedBefore(db, nowMs - stale));
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

function itemsOf(kind: 'entity' | 'name', values: readonly string[]): BackfillItem[] {
  return values.map((given) => ({ kind, searchedBy: null, given }));
}

function searched(kind: 'query' | 'prefix', searchedBy: 'name' | 'identifier', given: string): BackfillItem {
  return { kind, searchedBy, given };
}

/**
 * Reads an age as milliseconds: `90d`, `6w`, `3mo` (30 days each) or `1y` (365 days). The unit `m` is rejected, because
 * it could mean minutes or months, and a wrong guess would fetch the whole mirror again.
 */
export function readAge(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(d|w|mo|y)$/.exec(text) ?? [];
  if (number === undefined || unit === undefined)
    throw new InvalidArgumentError('Write an age in days, weeks, months or years: 90d, 6w, 3mo or 1y.');
  return Number(number) * DAYS[unit as keyof typeof DAYS] * DAY_MS;
}

const DAYS = { d: 1, w: 7, mo: 30, y: 365 } as const;

/**
 * Reads a time as epoch milliseconds: `06:30` (its next occurrence), `2026-11-22` (its midnight) or `2026-11-22T06:30Z`.
 * A time without a zone is in this machine's time zone.
 */
export function timeOf(text: string, nowMs: number): number {
  const time = DateTime.fromISO(text.replace(' ', 'T').replace(/^(\d:)/, '0$1'));
  const isTimeOfDay = /^\d{1,2}:\d\d$/.test(text);
  if (!time.isValid || !(isTimeOfDay || /^\d{4}-\d\d-\d\d([T ]\S+)?$/.test(text)))
    throw new UsageError(`--until ${text} is not a time`, {
      hint: 'Write 06:30, 2026-11-22 or 2026-11-22T06:30.',
    });
  if (isTimeOfDay) return nextOccurrence(time, DateTime.fromMillis(nowMs));
  if (time.toMillis() <= nowMs) throw new UsageError(`--until ${text} is in the past`);
  return time.toMillis();
}

function nextOccurrence({ hour, minute }: DateTime, now: DateTime): number {
  const today = now.set({ hour, minute, second: 0, millisecond: 0 });
  return (today > now ? today : today.plus({ days: 1 })).toMillis();
}
