/** Where an allowance is heading at the pace of late. */
export type QuotaForecast =
  /** Nothing was spent of late: it lasts. */
  | { readonly is: 'still' }
  /** It is spent then. */
  | { readonly is: 'ends'; readonly atMs: number; readonly perDay: number }
  /** It opens again before that, with so much left. */
  | { readonly is: 'lasts'; readonly untilMs: number; readonly left: number; readonly perDay: number };

export interface Spending {
  readonly nowMs: number;
  readonly left: number;
  /** When the window opens again; null: never. */
  readonly resetsAtMs: number | null;
  /** Calls of late, and over which time they were made. */
  readonly lately: { readonly calls: number; readonly overMs: number };
}

export function quotaForecastOf({ nowMs, left, resetsAtMs, lately }: Spending): QuotaForecast {
  if (lately.calls <= 0 || lately.overMs <= 0) return { is: 'still' };
  const perMs = lately.calls / lately.overMs;
  const perDay = perMs * DAY_MS;
  const endsAtMs = nowMs + left / perMs;
  if (resetsAtMs === null || endsAtMs < resetsAtMs) return { is: 'ends', atMs: endsAtMs, perDay };
  return { is: 'lasts', untilMs: resetsAtMs, left: left - (resetsAtMs - nowMs) * perMs, perDay };
}

const DAY_MS = 86_400_000;
