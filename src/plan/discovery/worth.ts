/** How much of a text the upstream shows at once, and in all. */
export interface Limits {
  readonly pageSize: number;
  /** Results that can be reached; Infinity: all. */
  readonly window: number;
}

/** Companies that a text finds, as expected or counted: those that are known, and the gap. */
export interface Expected {
  readonly known: number;
  readonly gap: number;
}

/** New companies per call of looking at a text for the first time, and listing it where it can be listed. */
export function firstLookWorth({ known, gap }: Expected, { pageSize, window }: Limits): number {
  const all = known + gap;
  if (all <= 0) return 0;
  return all <= window ? gap / Math.max(1, Math.ceil(all / pageSize)) : (BROAD * pageSize * gap) / all;
}

/** New companies on the next page of a listing of which `rows` were seen. */
export function nextPageWorth({ known, gap }: Expected, rows: number, { pageSize, window }: Limits): number {
  const unlisted = Math.max(1, known + gap - rows);
  const reachable = Math.min(known + gap, window) - rows;
  return Math.min(1, gap / unlisted) * Math.max(1, Math.min(pageSize, reachable));
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
  const fresh = Math.min(whole.gap, (listed * whole.gap) / Math.max(1, whole.known + whole.gap - rows));
  const left = whole.gap <= 0 ? 0 : 1 - fresh / whole.gap;
  const least = THRIFT * pageSize;
  let without = 0;
  let afterwards = fresh - least * Math.ceil(listed / pageSize);
  for (const { known, gap } of parts) {
    const pages = Math.max(1, Math.ceil((known + gap) / pageSize));
    without += Math.max(0, gap - least * pages);
    afterwards += Math.max(0, gap * left - least * pages);
  }
  return afterwards > without;
}

// A text that is cut off shows a page, and then costs more looks below it.
const BROAD = 0.8;
const THRIFT = 0.3;
