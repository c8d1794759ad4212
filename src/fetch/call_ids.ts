/** Call ids are integers below 2^53. They increase with time, so that sorting by id gives the order of the calls. */
export interface CallIds {
  next(sentAtMs: number): number;
}

/** Continues after the last id in the warehouse, even if the clock was set back. */
export function openCallIds(lastCallId: number): CallIds {
  let last = lastCallId;
  return {
    next: (sentAtMs) => {
      last = Math.max(last + 1, Math.floor(sentAtMs) * IDS_PER_MS);
      return last;
    },
  };
}

// 2^53 / 1024 milliseconds after 1970 is in the year 2248.
const IDS_PER_MS = 1024;
