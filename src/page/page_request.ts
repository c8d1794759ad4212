import type { ChangeKind } from '../warehouse/change_list.ts';
import type { Range } from './chart/periods.ts';

/** A request to the page's thread. */
export type PageRequest = { readonly zone: string; readonly version: string } & (
  | { readonly page: 'overview'; readonly range: Range | null; readonly hasTables: boolean }
  | {
      readonly page: 'company';
      readonly entityId: string;
      readonly versionId: number | null;
      /** The two versions to compare, by their calls; null: none. */
      readonly compare: readonly [number, number] | null;
    }
  /** The stored response with a record. */
  | { readonly page: 'record'; readonly entityId: string; readonly versionId: number | null }
  | SearchRequest
  | ChangesRequest
  | { readonly page: 'run'; readonly runId: number; readonly onlyFailed: boolean }
  | { readonly page: 'quarantine'; readonly quarantineId: number | null }
);

export interface SearchRequest {
  readonly page: 'search';
  readonly query: string;
  readonly state: CompanyState | null;
  /** The number of matches before the first row. */
  readonly offset: number;
  readonly format: 'html' | 'csv';
  /** The number of matches of every state. */
  readonly total: number;
  /** The best matches of every state. */
  readonly ids: readonly string[];
}

export type CompanyState = 'listed' | 'fetched' | 'gone';
export const COMPANY_STATES: readonly CompanyState[] = ['listed', 'fetched', 'gone'];

export interface ChangesRequest {
  readonly page: 'changes';
  /** As in the URL: a date or time. */
  readonly since: string;
  readonly field: string;
  readonly kind: ChangeKind;
  /** The last change of the previous page; null: the first page. */
  readonly beforeId: number | null;
  readonly format: 'html' | 'csv' | 'atom';
  /** Scheme and host of this page, for absolute links. */
  readonly origin: string;
}

/** A response of the page's thread. */
export interface PageDocument {
  readonly body: string;
  /** Default: HTML. */
  readonly type?: string;
  /** The name under which a browser saves the document. */
  readonly fileName?: string;
}

export interface PageMessage {
  /** Identifies the reply. */
  readonly number: number;
  readonly request: PageRequest;
}

export interface PageReply {
  readonly number: number;
  /** null: no such page exists. */
  readonly document: PageDocument | null;
  /** The stack of the error, for the log; null if the page was drawn. */
  readonly failure: string | null;
}
