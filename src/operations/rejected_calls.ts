import { type CheckedKind, CONTROL_KEY, RejectionCheck } from '../plan/rejection_check.ts';
import { lastFetchedId } from '../warehouse/known.ts';
import { areRecordsDoubted, setRecordsDoubted } from '../warehouse/meta.ts';
import { isQueryRefused } from '../warehouse/query.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** Opens the guard that notices if the upstream rejects every search or every record call. */
export function openRejectionCheck({ db }: Warehouse): RejectionCheck {
  const doubted = new Set<CheckedKind>();
  if (isQueryRefused(db, CONTROL_KEY)) doubted.add('search');
  if (areRecordsDoubted(db)) doubted.add('entity');
  return new RejectionCheck({ doubted, witness: () => lastFetchedId(db) });
}

/** Stores whether the next run must check record calls. The stored control query shows whether it must check searches. */
export function storeDoubt(check: RejectionCheck, warehouse: Warehouse): void {
  warehouse.write(() => setRecordsDoubted(warehouse.db, check.isDoubted('entity')));
}
