/** Call ids are integers below 2^53. They increase with time, so sorting by id gives the order of the calls. */
export interface CallIds {
  next(sentAtMs: number): number;
}

/** New ids continue from the last id in the warehouse, even if the clock was set back. */
export function openCallIds(lastCallId: number): CallIds {
  let last = lastCallId;
  return {
    next: (sentAtMs) => {
      last = Math.max(last + 1, Math.floor(sentAtMs) * IDS_PER_MS);
      return last;
    },
  };
}

// With this many ids per millisecond, ids stay below 2^53 until the year 2248.
const IDS_PER_MS = 1024;
