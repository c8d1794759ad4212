import { type Meter, meterInMemory, type UsageMemory } from '../api/quota_meter.ts';
import type { AccountFile, NewUse, RecentUse } from '../warehouse/serve_accounts.ts';

/** A meter whose counts outlive the process. */
export interface MirrorMeter extends Meter {
  settled(): Promise<void>;
  /** Writes what is not written yet. */
  close(): void;
}

/**
 * Decides in memory and counts in the file, before a request is answered: the requests of one turn of the
 * event loop share a transaction. So a killed server has counted every request that it answered, and at most
 * those in flight besides. There is one server for a file (see startMirrorService).
 */
export function mirrorMeter(file: AccountFile): MirrorMeter {
  const uses = new Map<string, Use>();
  const unsaved = new Set<Use>();
  let settling: Promise<void> | null = null;

  const save = () => {
    if (unsaved.size === 0) return;
    file.saveUse([...unsaved]);
    // Only now: what could not be written stays to be written.
    for (const use of unsaved) use.ended = [];
    unsaved.clear();
  };
  const memory: UsageMemory = {
    recall(accountId) {
      save();
      const { recent, ...used } = file.use(accountId);
      const latest = recent.at(-1) ?? { second: 0, requests: 0 };
      uses.set(accountId, { accountId, ...used, latest, ended: [] });
      return {
        total: used.usedTotal,
        day: used.usedDay,
        usedToday: used.usedToday,
        // The end of its second: rather a moment too late than one request too many.
        recentMs: recent.flatMap(({ second, requests }) => Array<number>(requests).fill((second + 1) * 1000)),
      };
    },
    note(accountId, nowMs) {
      const use = uses.get(accountId);
      if (use === undefined) throw new Error(`the use of ${accountId} was never recalled`);
      count(use, nowMs);
      unsaved.add(use);
    },
  };
  const { admit } = meterInMemory({}, memory);

  return {
    admit,
    settled() {
      settling ??= new Promise((resolve, reject) => {
        setImmediate(() => {
          settling = null;
          try {
            save();
            resolve();
          } catch (error) {
            reject(error);
          }
        });
      });
      return settling;
    },
    close: save,
  };
}

type Use = { -readonly [Key in keyof NewUse]: NewUse[Key] };

function count(use: Use, nowMs: number): void {
  const day = Math.floor(nowMs / DAY_MS);
  use.usedTotal += 1;
  use.usedToday = (day === use.usedDay ? use.usedToday : 0) + 1;
  use.usedDay = day;
  use.latest = sameOrNext(use, Math.floor(nowMs / 1000));
}

function sameOrNext(use: Use, second: number): RecentUse {
  const { latest } = use;
  if (latest.second === second) return { second, requests: latest.requests + 1 };
  if (latest.requests > 0) use.ended = [...use.ended, latest];
  return { second, requests: 1 };
}

const DAY_MS = 86_400_000;
