/** How much of a text the upstream shows at once, and in all. */
export interface Limits {
  readonly pageSize: number;
  /** Results that can be reached; Infinity: all. */
  readonly window: number;
}

/** Companies that a text finds, as expected or counted: those that are known, and the gap. */
export interface Expected {
  readonly known: number;
  readonly unseen: number;
}

/** New companies per call of looking at a text for the first time, and listing it where it can be listed. */
export function firstPageYield({ known, unseen }: Expected, { pageSize, window }: Limits): number {
  const all = known + unseen;
  if (all <= 0) return 0;
  return all <= window ? unseen / Math.max(1, Math.ceil(all / pageSize)) : (BROAD * pageSize * unseen) / all;
}

/** New companies on the next page of a listing of which `rows` were seen. */
export function nextPageYield(
  { known, unseen }: Expected,
  rows: number,
  { pageSize, window }: Limits,
): number {
  const unlisted = Math.max(1, known + unseen - rows);
  const reachable = Math.min(known + unseen, window) - rows;
  return Math.min(1, unseen / unlisted) * Math.max(1, Math.min(pageSize, reachable));
}

/**
 * Does it pay to list what can be reached of a text that is cut off, before it is split? Pages that show few new
 * companies are what splitting costs: each is held against `THRIFT` of a full page.
 */
export function listingPays(ask: {
  readonly whole: Expected;
  readonly parts: readonly Expected[];
  readonly rows: number;
  readonly limits: Limits;
}): boolean {
  const { whole, parts, rows, limits } = ask;
  const { pageSize, window } = limits;
  const listed = Math.max(0, window - rows);
  const fresh = Math.min(
    whole.unseen,
    (listed * whole.unseen) / Math.max(1, whole.known + whole.unseen - rows),
  );
  const left = whole.unseen <= 0 ? 0 : 1 - fresh / whole.unseen;
  const least = THRIFT * pageSize;
  let without = 0;
  let afterwards = fresh - least * Math.ceil(listed / pageSize);
  for (const { known, unseen } of parts) {
    const pages = Math.max(1, Math.ceil((known + unseen) / pageSize));
    without += Math.max(0, unseen - least * pages);
    afterwards += Math.max(0, unseen * left - least * pages);
  }
  return afterwards > without;
}

// A text that is cut off shows a page, and then costs more looks below it.
const BROAD = 0.8;
const THRIFT = 0.3;
