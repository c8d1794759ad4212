/** A request to the page's thread. */
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
  /** Identifies the reply. */
  readonly number: number;
  readonly request: PageRequest;
}

export interface PageReply {
  readonly number: number;
  /** null: no such page exists. */
  readonly document: string | null;
  /** The stack of the error, for the log; null if the page was drawn. */
  readonly failure: string | null;
}
