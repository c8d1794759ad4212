import type { AccountFile, AddedUse } from '../../warehouse/serve_accounts.ts';
import { type Meter, meterInMemory, type UsageMemory } from '../meter.ts';

/** A meter whose counts outlive the process. */
export interface MirrorMeter extends Meter {
  settled(): Promise<void>;
  /** Writes what is not written yet. */
  close(): void;
}

/**
 * Decides in memory and counts in the file, before a request is answered: the requests of one turn of the
 * event loop share a transaction. So a killed server has counted every request that it answered, and at most
 * those in flight besides.
 */
export function mirrorMeter(file: AccountFile, now: () => number): MirrorMeter {
  let pending = new Map<string, Pending>();
  let settling: Promise<void> | null = null;

  const write = () => {
    if (pending.size === 0) return;
    const added = [...pending].map(([accountId, use]) => addedUse(accountId, use));
    file.addUse(added, now());
    // Only now: what could not be written stays to be written.
    pending = new Map();
  };
  const memory: UsageMemory = {
    recall(accountId) {
      write();
      const { usedTotal, usedDay, usedToday, recent } = file.use(accountId);
      return {
        total: usedTotal,
        day: usedDay,
        usedToday,
        // The end of its second: rather a moment too late than one request too many.
        recentMs: recent.flatMap(({ second, requests }) => Array<number>(requests).fill((second + 1) * 1000)),
      };
    },
    note(accountId, nowMs) {
      const day = Math.floor(nowMs / DAY_MS);
      let use = pending.get(accountId);
      if (use !== undefined && use.day !== day) write();
      use = pending.get(accountId);
      if (use === undefined) {
        use = { day, requests: 0, bySecond: new Map() };
        pending.set(accountId, use);
      }
      const second = Math.floor(nowMs / 1000);
      use.requests += 1;
      use.bySecond.set(second, (use.bySecond.get(second) ?? 0) + 1);
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
            write();
            resolve();
          } catch (error) {
            reject(error);
          }
        });
      });
      return settling;
    },
    close: write,
  };
}

interface Pending {
  readonly day: number;
  requests: number;
  readonly bySecond: Map<number, number>;
}

function addedUse(accountId: string, { day, requests, bySecond }: Pending): AddedUse {
  const recent = [...bySecond].map(([second, count]) => ({ second, requests: count }));
  return { accountId, day, requests, recent };
}

const DAY_MS = 86_400_000;
