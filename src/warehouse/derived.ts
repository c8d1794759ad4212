import type { Database } from 'better-sqlite3';
import { changeTable } from './change.ts';
import { estimateTable } from './change_estimate.ts';
import { failureTable } from './failure.ts';
import { feedVersions } from './feed/versions.ts';
import { knownTable } from './known.ts';
import { payloadTables } from './payload.ts';
import { quarantineTable } from './quarantine.ts';
import { queryTable } from './query.ts';
import type { Naming } from './table_naming.ts';
import { entityTouch, latestStatsCall } from './touch.ts';
import { versionTable } from './version.ts';

/** Opens every table that is derived from responses. During a rebuild, `naming` selects their shadow tables. */
export function derivedTables(db: Database, naming: Naming) {
  const feed = feedVersions(db, naming);
  return {
    known: knownTable(db, naming),
    estimates: estimateTable(db, naming),
    versions: versionTable(db, naming),
    queries: queryTable(db, naming),
    failures: failureTable(db, naming),
    quarantine: quarantineTable(db, naming),
    changes: changeTable(db, naming, feed),
    payload: payloadTables(db, naming),
    touch: entityTouch(db, naming),
    feed,
    latestStatsCall: latestStatsCall(db, naming),
  };
}

export type DerivedTables = ReturnType<typeof derivedTables>;
