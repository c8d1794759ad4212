import { textAt } from '../dialect/body_values.ts';
import type { Dialect, Pointer } from '../dialect/dialect.ts';
import { type ProbeExchange, paramOf } from './exchange.ts';
import { findRecord } from './record.ts';
import { findResultList, itemOf, relativeTo, rowsAt } from './rows.ts';
import { findRegistryTotal, findTotal } from './total.ts';

/** A dialect key with a value that contradicts the responses, and a value that fits them. */
export interface DialectChange {
  /** The dotted key, relative to `dialect`. */
  readonly key: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly because: string;
}

/** A response that does not match the dialect. */
export interface Mismatch {
  readonly exchange: ProbeExchange;
  /** The requested record's id, or null for other calls. */
  readonly entityId: string | null;
}

/** Proposes JSON paths for the dialect that fit the responses after drift. It does not change the dialect itself. */
export function proposeChanges(dialect: Dialect, mismatches: readonly Mismatch[]): DialectChange[] {
  const of = (kind: ProbeExchange['request']['kind']) =>
    mismatches.filter(({ exchange }) => exchange.request.kind === kind && exchange.json !== undefined);
  const exchangesOf = (kind: ProbeExchange['request']['kind']) => of(kind).map(({ exchange }) => exchange);
  return [
    ...searchChanges(dialect, exchangesOf('search')),
    ...recordChanges(dialect, of('entity')),
    ...statsChanges(dialect, exchangesOf('stats')),
  ].filter(({ from, to }) => from !== to);
}

function searchChanges({ search }: Dialect, responses: readonly ProbeExchange[]): DialectChange[] {
  const listing = findResultList(responses, null);
  const id = listing?.ids[0];
  if (listing === null || id === undefined) return [];
  // Keep the configured path to the id if every row still has a value there, even if another path has a higher score.
  const hasId = listing.rows.every((row) => textAt(row, `${search.item}${search.id}`) !== null);
  const hasName =
    search.name !== null && listing.rows.some((row) => textAt(row, `${search.item}${search.name}`) !== null);
  const idPath = hasId ? `${search.item}${search.id}` : id.pointer;
  const namePath = hasName ? `${search.item}${search.name}` : (listing.names[0]?.pointer ?? null);
  const item = hasId ? search.item : itemOf(listing.rows, idPath, namePath);
  const total = findTotal(
    responses,
    (response) => rowsAt(response, listing.results).length,
    (response) => paramOf(response, search.query_param ?? ''),
    listing.results,
  );
  const because = `${listing.results || 'the body'} contains ${listing.rows.length} companies`;
  const name = namePath === null ? null : relativeTo(item, namePath);
  return [
    { key: 'search.results', from: search.results, to: listing.results, because },
    { key: 'search.item', from: search.item, to: item, because },
    {
      key: 'search.id',
      from: search.id,
      to: relativeTo(item, idPath),
      because: 'its values differ from row to row',
    },
    ...(name === null
      ? []
      : [{ key: 'search.name', from: search.name, to: name, because: 'it looks like a name' }]),
    ...(total.certainty === 'sure' && total.value !== null
      ? [{ key: 'search.total', from: search.total, to: total.value, because: total.because }]
      : []),
  ];
}

function recordChanges({ search, entity }: Dialect, mismatches: readonly Mismatch[]): DialectChange[] {
  for (const { exchange, entityId } of mismatches) {
    if (entityId === null) continue;
    const company = { id: entityId, name: null, idInList: search.id, nameInList: search.name };
    const found = findRecord(exchange, company).value;
    if (found === null) continue;
    const because = 'the requested id is there';
    return [
      { key: 'entity.root', from: entity.root, to: found.root, because },
      { key: 'entity.id', from: entity.id, to: found.id, because },
    ];
  }
  return [];
}

function statsChanges({ stats }: Dialect, responses: readonly ProbeExchange[]): DialectChange[] {
  const last = responses.at(-1);
  if (last?.json === undefined) return [];
  const found = findRegistryTotal(last.json, null);
  const to: Pointer | null = found.value;
  return to === null ? [] : [{ key: 'stats.total', from: stats.total, to, because: found.because }];
}
