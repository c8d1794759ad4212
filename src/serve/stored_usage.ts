import { type Meter, memoryMeter, type UsageMemory } from '../api/quota_meter.ts';
import { DAY_MS } from '../durations.ts';
import type { AccountFile, NewUse, RecentUse } from '../warehouse/serve_accounts.ts';

/** A meter with counts that survive a restart. */
export interface StoredMeter extends Meter {
  settled(): Promise<void>;
  /** Writes the counts that have not been written yet. */
  close(): void;
}

/**
 * Opens a meter that decides in memory and writes the counts to the file before the responses are sent. All requests in
 * one turn of the event loop share a transaction. If the server is killed, the file has therefore counted every request
 * that got a response, and possibly some requests in progress. Only one server may use the file (see
 * `startMirrorService`).
 */
export function storedMeter(file: AccountFile): StoredMeter {
  const uses = new Map<string, Use>();
  const unsaved = new Set<Use>();
  let saving: Promise<void> | null = null;

  const save = () => {
    if (unsaved.size === 0) return;
    file.saveUse([...unsaved]);
    // The counts are cleared only after they are written, so that a failed write can be retried.
    for (const use of unsaved) use.ended = [];
    unsaved.clear();
  };
  const memory: UsageMemory = {
    load(accountId) {
      save();
      const { recent, ...used } = file.use(accountId);
      const latest = recent.at(-1) ?? { second: 0, requests: 0 };
      uses.set(accountId, { accountId, ...used, latest, ended: [] });
      return {
        total: used.usedTotal,
        day: used.usedDay,
        usedToday: used.usedToday,
        // Each stored request is assumed to have arrived at the end of its second, so that the rate is never exceeded.
        recentMs: recent.flatMap(({ second, requests }) => Array<number>(requests).fill((second + 1) * 1000)),
      };
    },
    add(accountId, nowMs) {
      const use = uses.get(accountId);
      if (use === undefined) throw new Error(`The usage for the account ${accountId} was not loaded.`);
      count(use, nowMs);
      unsaved.add(use);
    },
  };
  const { admit } = memoryMeter({}, memory);

  return {
    admit,
    settled() {
      saving ??= new Promise((resolve, reject) => {
        setImmediate(() => {
          saving = null;
          try {
            save();
            resolve();
          } catch (error) {
            reject(error);
          }
        });
      });
      return saving;
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
  use.latest = secondAfterUse(use, Math.floor(nowMs / 1000));
}

function secondAfterUse(use: Use, second: number): RecentUse {
  const { latest } = use;
  if (latest.second === second) return { second, requests: latest.requests + 1 };
  if (latest.requests > 0) use.ended = [...use.ended, latest];
  return { second, requests: 1 };
}
