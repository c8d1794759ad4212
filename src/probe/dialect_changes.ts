import type { Dialect, Pointer } from '../dialect/dialect.ts';
import type { Exchange } from './evidence.ts';
import { findRecord } from './record_paths.ts';
import { findResultList, itemOf, textAt } from './result_list.ts';
import { relativeTo } from './row_paths.ts';
import { findTotal } from './search_total.ts';
import { findRegistryTotal } from './statistics_total.ts';

/** A key of the dialect that the answers contradict, and what they say instead. */
export interface DialectChange {
  /** Dotted, under `dialect`. */
  readonly key: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly because: string;
}

/** An answer that the dialect did not understand, with what it was asked for. */
export interface Misunderstood {
  readonly exchange: Exchange;
  /** The id that a record was asked for; null for other calls. */
  readonly entityId: string | null;
}

/**
 * What would have to change in a dialect for these answers to be understood. Only places that the answers show
 * are proposed; nothing is changed here.
 */
export function proposeChanges(dialect: Dialect, misunderstood: readonly Misunderstood[]): DialectChange[] {
  const of = (kind: Exchange['request']['kind']) =>
    misunderstood.filter(({ exchange }) => exchange.request.kind === kind && exchange.json !== undefined);
  return [
    ...searchChanges(
      dialect,
      of('search').map(({ exchange }) => exchange),
    ),
    ...recordChanges(dialect, of('entity')),
    ...statsChanges(
      dialect,
      of('stats').map(({ exchange }) => exchange),
    ),
  ].filter(({ from, to }) => from !== to);
}

function searchChanges({ search }: Dialect, answers: readonly Exchange[]): DialectChange[] {
  const listing = findResultList(answers);
  const id = listing?.ids[0];
  if (listing === null || id === undefined) return [];
  // An id that still stands where it stood is not given up for one that looks better.
  const sameId = listing.rows.every((row) => textAt(row, `${search.item}${search.id}`) !== null);
  const sameName =
    search.name !== null && listing.rows.some((row) => textAt(row, `${search.item}${search.name}`) !== null);
  const idPlace = sameId ? `${search.item}${search.id}` : id.pointer;
  const namePlace = sameName ? `${search.item}${search.name}` : (listing.names[0]?.pointer ?? null);
  const item = sameId ? search.item : itemOf(listing.rows, idPlace, namePlace);
  const total = findTotal(answers, listing.results, search.query_param);
  const seen = `${listing.rows.length} companies are seen there`;
  return [
    { key: 'search.results', from: search.results, to: listing.results, because: seen },
    { key: 'search.item', from: search.item, to: item, because: seen },
    {
      key: 'search.id',
      from: search.id,
      to: relativeTo(item, idPlace),
      because: 'it differs from row to row',
    },
    ...(namePlace === null
      ? []
      : [
          {
            key: 'search.name',
            from: search.name,
            to: relativeTo(item, namePlace),
            because: 'it looks like a name',
          },
        ]),
    ...(total.certainty === 'sure' && total.value !== null
      ? [{ key: 'search.total', from: search.total, to: total.value, because: total.because }]
      : []),
  ];
}

function recordChanges({ search, entity }: Dialect, answers: readonly Misunderstood[]): DialectChange[] {
  for (const { exchange, entityId } of answers) {
    if (entityId === null) continue;
    const company = { id: entityId, name: null, idInList: search.id, nameInList: search.name };
    const found = findRecord(exchange, company).value;
    if (found === null) continue;
    const because = `the id that was asked for stands there`;
    return [
      { key: 'entity.root', from: entity.root, to: found.root, because },
      { key: 'entity.id', from: entity.id, to: found.id, because },
    ];
  }
  return [];
}

function statsChanges({ stats }: Dialect, answers: readonly Exchange[]): DialectChange[] {
  const last = answers.at(-1);
  if (last?.json === undefined) return [];
  const found = findRegistryTotal(last.json, null);
  const to: Pointer | null = found.value;
  return to === null ? [] : [{ key: 'stats.total', from: stats.total, to, because: found.because }];
}
