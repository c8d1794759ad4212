import { FIRST_CLASS } from '../change_rate/change_rate.ts';

/** A row of `_known`, with the known facts about one company. Times are ISO 8601. */
export interface Known {
  entityId: string;
  name: string | null;
  formerNames: string | null;
  identifiers: string | null;
  firstSeenAt: string;
  lastSeenAt: string;
  listedAt: string | null;
  askedAt: string | null;
  fetchedAt: string | null;
  changedAt: string | null;
  flaggedAt: string | null;
  missingAt: string | null;
  missingShape: string | null;
  missingRun: number | null;
  /** The call that returned the 404. */
  missingCall: number | null;
  goneAt: string | null;
  summaryHash: Buffer | null;
  recordCallId: number | null;
  changes: number;
  changingDays: number;
  changingLog: number;
  steadyDays: number;
  rateClass: number;
  /**
   * The next six fields are versions in the change feed (`warehouse/feed`). Each is null if its row does not exist or
   * has not changed since.
   */
  recordAdded: number | null;
  recordVersion: number | null;
  recordTouched: number | null;
  summaryAdded: number | null;
  summaryVersion: number | null;
  summaryTouched: number | null;
}

export interface KnownRow extends Known {
  readonly knownId: number;
}

export function newKnown(entityId: string, seenAt: string): Known {
  return {
    entityId,
    name: null,
    formerNames: null,
    identifiers: entityId,
    firstSeenAt: seenAt,
    lastSeenAt: seenAt,
    listedAt: null,
    askedAt: null,
    fetchedAt: null,
    changedAt: null,
    flaggedAt: null,
    missingAt: null,
    missingShape: null,
    missingRun: null,
    missingCall: null,
    goneAt: null,
    summaryHash: null,
    recordCallId: null,
    changes: 0,
    changingDays: 0,
    changingLog: 0,
    steadyDays: 0,
    rateClass: FIRST_CLASS,
    recordAdded: null,
    recordVersion: null,
    recordTouched: null,
    summaryAdded: null,
    summaryVersion: null,
    summaryTouched: null,
  };
}
