/** What the page's thread is asked for. */
export type PageRequest =
  | { readonly page: 'overview' }
  | { readonly page: 'company'; readonly entityId: string; readonly versionId: number | null }
  | {
      readonly page: 'search';
      readonly query: string;
      readonly total: number;
      readonly ids: readonly string[];
    };

export interface PageMessage {
  readonly number: number;
  readonly ask: PageRequest;
}

export interface PageReply {
  readonly number: number;
  /** null: there is no such page. */
  readonly document: string | null;
  /** What went wrong, for the log; null: nothing. */
  readonly failure: string | null;
}
