import type { Call } from '../call.ts';
import type { NewsRow, QueryState } from '../plan/knowledge.ts';

/** An answered call as deriving sees it, now or years later from the stored answer. */
export interface Answered {
  readonly call: Call;
  readonly callId: number;
  /** ISO 8601. */
  readonly sentAt: string;
  readonly status: number | null;
  readonly body: Buffer | null;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** What one answer did to the derived tables. */
export interface Effect {
  readonly rows: readonly NewsRow[];
  readonly query: QueryState | null;
  readonly record: { readonly isNew: boolean; readonly changed: boolean } | null;
  readonly missing: boolean;
  /** The entity of this call was marked as gone. */
  readonly gone: boolean;
  /** Entities marked as gone, this one or others that this answer proved. */
  readonly goneCount: number;
  /** Companies never seen before. */
  readonly newCompanies: number;
  readonly quarantined: number;
  /** The call whose answer differs in nothing but volatile fields. */
  readonly sameAs: number | null;
  /** What was odd, for `_call.note`. */
  readonly note: string | null;
}

export const NO_EFFECT: Effect = {
  rows: [],
  query: null,
  record: null,
  missing: false,
  gone: false,
  goneCount: 0,
  newCompanies: 0,
  quarantined: 0,
  sameAs: null,
  note: null,
};
