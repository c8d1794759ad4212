import type { ChangeKind } from '../warehouse/change_list.ts';
import type { Range } from './chart/periods.ts';

/** What a URL asks for. */
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
  | { readonly page: 'run'; readonly runId: number }
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
  readonly format: 'html' | 'csv';
}

/** A document to send. */
export interface PageDocument {
  readonly body: string;
  /** The content type. The default is HTML. */
  readonly type?: string;
  /** The file name that a browser suggests when it saves the document. */
  readonly fileName?: string;
}
