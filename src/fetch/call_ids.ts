/** Call ids: whole numbers below 2^53 that grow with time, so that ordering by id is ordering by time. */
export interface CallIds {
  next(sentAtMs: number): number;
}

/** Continues after the last id in the warehouse, also when the clock was set back. */
export function openCallIds(lastCallId: number): CallIds {
  let last = lastCallId;
  return {
    next: (sentAtMs) => {
      last = Math.max(last + 1, Math.floor(sentAtMs) * IDS_PER_MS);
      return last;
    },
  };
}

// 2^53 / 1024 milliseconds reach to the year 2248.
const IDS_PER_MS = 1024;
