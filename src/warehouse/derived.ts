import type { Database } from 'better-sqlite3';
import { changeTable } from './change.ts';
import { estimateTable } from './change_estimate.ts';
import { failureTable } from './failure.ts';
import { feedVersions } from './feed/versions.ts';
import { KnownCompanies } from './known.ts';
import type { NameIndex } from './name_index.ts';
import { payloadTables } from './payload.ts';
import { quarantineTable } from './quarantine.ts';
import { queryTable } from './query.ts';
import { entityTouch, latestStatsCall } from './touch.ts';
import { versionTable } from './version.ts';

/** Opens every table that is derived from responses. `names` are the indexes of names to update. */
export function derivedTables(db: Database, names: NameIndex) {
  const feed = feedVersions(db);
  return {
    names,
    known: new KnownCompanies(db, names),
    estimates: estimateTable(db),
    versions: versionTable(db),
    queries: queryTable(db),
    failures: failureTable(db),
    quarantine: quarantineTable(db),
    changes: changeTable(db, feed),
    payload: payloadTables(db),
    touch: entityTouch(db),
    feed,
    latestStatsCall: latestStatsCall(db),
  };
}

export type DerivedTables = ReturnType<typeof derivedTables>;
