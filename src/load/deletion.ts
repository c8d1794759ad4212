/**
 * Deletion needs proof. A 404 for a known company counts only when it looks like the 404 that an id gets
 * which never existed, and another known company answers in the same run: else a moved path or a failing
 * upstream would delete a country.
 */
export interface Evidence {
  /** The shape of the 404 for an id that was never known; null: not learned yet. */
  readonly absentShape: string | null;
  /** Known companies that answered in this run. */
  readonly answeredInRun: ReadonlySet<string>;
}

export interface Missing {
  readonly entityId: string;
  readonly shape: string;
}

export function isProven(missing: Missing, evidence: Evidence): boolean {
  return missing.shape === evidence.absentShape && hasOther(evidence.answeredInRun, missing.entityId);
}

function hasOther(ids: ReadonlySet<string>, entityId: string): boolean {
  return ids.size > (ids.has(entityId) ? 1 : 0);
}
