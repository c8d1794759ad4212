import { type Ledger, type LedgerState, openLedger } from '../allowance/ledger.ts';
import { isoTime } from '../clock.ts';
import { coarser, openCallHistory, stretchFor } from '../report/call_history.ts';
import { readMirror, SCHEDULED_NAMES, type ScheduledName } from '../report/mirror_snapshot.ts';
import { answerTable } from '../warehouse/answer.ts';
import type { Coverage } from '../warehouse/coverage_counts.ts';
import type { LockHolder } from '../warehouse/lock.ts';
import { readSource, type SourceFacts } from '../warehouse/meta.ts';
import {
  type AgeClass,
  ageClasses,
  type CallBucket,
  type CompanyRow,
  callBuckets,
  callSpan,
  companyPages,
  type FieldChange,
  type NamedChange,
  type TotalSeen,
  totalsSeen,
  type VersionSeen,
} from '../warehouse/page_queries.ts';
import { type Quarantined, quarantineRegister } from '../warehouse/quarantine.ts';
import { type RunRow, recentRuns } from '../warehouse/run.ts';
import { textOfAnswer } from '../warehouse/serve_records.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import type { PageSettings } from './page_settings.ts';

/** Everything that the front of the page tells, as it is at one moment. */
export interface Overview {
  readonly nowMs: number;
  readonly source: SourceFacts;
  readonly coverage: Coverage;
  /** Calls since the first one, by stretches of `stretchMs`; empty before it. */
  readonly calls: readonly CallBucket[];
  readonly stretchMs: number;
  /** The same by hours. */
  readonly hours: readonly CallBucket[];
  /** Calls of the last hour, by the minute. */
  readonly minutes: readonly CallBucket[];
  readonly firstCallMs: number | null;
  readonly totals: readonly TotalSeen[];
  readonly ledger: LedgerState;
  readonly ages: readonly AgeClass[];
  readonly changes: readonly NamedChange[];
  readonly runs: readonly RunRow[];
  /** Who works on the mirror now. */
  readonly working: LockHolder | null;
  /** The latest run of each scheduled job. */
  readonly jobs: Readonly<Record<JobName, RunRow | null>>;
  readonly quarantine: { readonly count: number; readonly latest: readonly Quarantined[] };
}

export const JOBS = SCHEDULED_NAMES;
export type JobName = ScheduledName;

/** One company, and how it came to be what it is. */
export interface CompanyView {
  readonly nowMs: number;
  readonly company: CompanyRow;
  readonly versions: readonly VersionSeen[];
  readonly changes: readonly FieldChange[];
  /** The version that is shown; null: its record was never fetched. */
  readonly shown: { readonly version: VersionSeen; readonly text: string | null } | null;
}

/** Upper ends of the classes of age; the last class has none. */
export const AGE_CLASSES = [
  { label: '1 h', ms: 3_600_000 },
  { label: '6 h', ms: 6 * 3_600_000 },
  { label: '1 d', ms: 86_400_000 },
  { label: '3 d', ms: 3 * 86_400_000 },
  { label: '1 w', ms: 7 * 86_400_000 },
  { label: '2 w', ms: 14 * 86_400_000 },
  { label: '1 mo', ms: 30 * 86_400_000 },
  { label: '3 mo', ms: 90 * 86_400_000 },
  { label: '6 mo', ms: 180 * 86_400_000 },
  { label: '1 y', ms: 365 * 86_400_000 },
] as const;

/** Reads what the page tells; writes nothing. */
export interface PageReader {
  overview(nowMs: number): Overview;
  company(entityId: string, versionId: number | null, nowMs: number): CompanyView | null;
  /** The companies of these ids, in their order; what is not there is left out. */
  companies(entityIds: readonly string[]): CompanyRow[];
  close(): void;
}

export function openPageReader(facts: PageSettings, nowMs: number): PageReader {
  const warehouse = openWarehouse({ path: facts.warehousePath, readonly: true, nowMs });
  const ledger = openLedgerOf(facts);
  const { db } = warehouse;
  const buckets = callBuckets(db);
  const history = openCallHistory(buckets);
  const span = callSpan(db);
  const pages = companyPages(db);
  const answers = answerTable(db);
  const quarantine = quarantineRegister(db);
  const ages = seldom((atMs) =>
    ageClasses(
      db,
      AGE_CLASSES.map(({ ms }) => isoTime(atMs - ms)),
    ),
  );

  return {
    overview(atMs) {
      const { firstMs = null } = span() ?? {};
      const stretchMs = stretchFor(atMs - (firstMs ?? atMs));
      const hours = firstMs === null ? [] : history.hours(firstMs, atMs);
      const { coverage, lastRuns, holder, isHeld, quarantined } = readMirror(db, atMs);
      return {
        nowMs: atMs,
        source: readSource(db),
        coverage,
        calls:
          stretchMs >= HOUR_MS
            ? coarser(hours, stretchMs)
            : buckets({ fromMs: firstMs ?? atMs, toMs: atMs + HOUR_MS, bucketMs: stretchMs }),
        stretchMs,
        hours,
        minutes: buckets({ fromMs: atMs - HOUR_MS, toMs: atMs + HOUR_MS, bucketMs: MINUTE_MS }),
        firstCallMs: firstMs,
        totals: totalsSeen(db, MOST_TOTALS),
        ledger: ledger.state(atMs),
        ages: ages(atMs),
        changes: pages.latestChanges(MOST_CHANGES),
        runs: recentRuns(db, MOST_RUNS),
        working: isHeld ? holder : null,
        jobs: lastRuns,
        quarantine: { count: quarantined, latest: quarantine.list('open', MOST_QUARANTINED) },
      };
    },
    company(entityId, versionId, atMs) {
      const company = pages.company(entityId);
      if (company === null) return null;
      const versions = pages.versions(entityId, MOST_VERSIONS);
      const version = versions.find(({ callId }) => callId === versionId) ?? versions[0];
      const answer = version === undefined ? null : answers.read(version.callId);
      const text = answer === null ? null : textOfAnswer(answer);
      const shown = version === undefined ? null : { version, text };
      return { nowMs: atMs, company, versions, changes: pages.changes(entityId, MOST_CHANGES_OF_ONE), shown };
    },
    companies: (entityIds) =>
      entityIds.map((entityId) => pages.company(entityId)).filter((company) => company !== null),
    close() {
      warehouse.close();
      ledger.close();
    },
  };
}

function openLedgerOf({ ledgerPath, accountId, allowance }: PageSettings): Ledger {
  return openLedger({ path: ledgerPath, accountId, allowance });
}

/** What costs a pass over all companies is not computed more often than takes a twentieth of the time. */
function seldom<T>(compute: (nowMs: number) => T): (nowMs: number) => T {
  let remembered: { readonly value: T; readonly untilMs: number } | null = null;
  return (nowMs) => {
    if (remembered !== null && nowMs < remembered.untilMs) return remembered.value;
    const startedMs = performance.now();
    const value = compute(nowMs);
    remembered = { value, untilMs: nowMs + 20 * (performance.now() - startedMs) };
    return value;
  };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MOST_TOTALS = 400;
const MOST_CHANGES = 40;
const MOST_CHANGES_OF_ONE = 1_000;
const MOST_VERSIONS = 200;
const MOST_RUNS = 12;
const MOST_QUARANTINED = 10;
