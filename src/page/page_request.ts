import type { ChangeKind } from '../warehouse/change_list.ts';
import type { Range } from './chart/periods.ts';

/** A request to the thread that draws pages. */
export type PageRequest = { readonly zone: string; readonly version: string } & (
  | { readonly page: 'overview'; readonly range: Range | null; readonly hasTables: boolean }
  | {
      readonly page: 'company';
      readonly entityId: string;
      readonly versionId: number | null;
      /** The call ids of the two versions to compare, or null if versions are not compared. */
      readonly compare: readonly [number, number] | null;
    }
  /** The stored response that contains the record. */
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
  /** The number of matches before the first row of this page. */
  readonly offset: number;
  readonly format: 'html' | 'csv';
  /** The number of matches in any state. */
  readonly total: number;
  /** The ids of the best matches in any state. */
  readonly ids: readonly string[];
}

export type CompanyState = 'listed' | 'fetched' | 'gone';
export const COMPANY_STATES: readonly CompanyState[] = ['listed', 'fetched', 'gone'];

export interface ChangesRequest {
  readonly page: 'changes';
  /** A date or time, as given in the URL. */
  readonly since: string;
  readonly field: string;
  readonly kind: ChangeKind;
  /** The id of the last change on the previous page, or null if this is the first page. */
  readonly beforeId: number | null;
  readonly format: 'html' | 'csv' | 'atom';
  /** Scheme and host of the status page, for absolute links. */
  readonly origin: string;
}

/** A document that the thread has drawn. */
export interface PageDocument {
  readonly body: string;
  /** The content type. The default is HTML. */
  readonly type?: string;
  /** The file name that a browser suggests when it saves the document. */
  readonly fileName?: string;
}

export interface PageMessage {
  /** The request's number. The reply has the same number. */
  readonly number: number;
  readonly request: PageRequest;
}

export interface PageReply {
  readonly number: number;
  /** Null if no such page exists. */
  readonly document: PageDocument | null;
  /** Null if the page was drawn. */
  readonly failure: PageFailure | null;
}

/** Why no document could be drawn. */
export interface PageFailure {
  /** For the log. */
  readonly stack: string;
  /** What the user sees; null if the program caused the error. */
  readonly fault: { readonly message: string; readonly remedy: string | null } | null;
}
