import { counted } from '../report/figures.ts';
import { CHANGE_KINDS, type ChangeKind, type ChangePage } from '../warehouse/change_list.ts';
import { csvText } from '../warehouse/export/row_writers.ts';
import { changeRow, changesByCompany, countOfChanges } from './company_markup.ts';
import type { PageContext } from './frame.ts';
import { type PageDocument, pageDocument } from './frame.ts';
import { html, listing } from './html.ts';

interface ChangesRequest {
  /** A date or time, as given in the URL. */
  readonly since: string;
  readonly field: string;
  readonly kind: ChangeKind;
  /** The id of the last change on the previous page, or null if this is the first page. */
  readonly beforeId: number | null;
  readonly format: 'html' | 'csv';
}

/** How many changes a page has, by format. */
export const CHANGES_PER_PAGE = { html: 100, csv: 50_000 } as const;

/** Draws one page of changes, most recent first. */
export function changesPage(
  { changes, total }: ChangePage,
  request: ChangesRequest,
  context: PageContext,
): PageDocument {
  const { since, field, kind, format } = request;
  if (format === 'csv')
    return { body: changesCsv(changes), type: 'text/csv; charset=utf-8', fileName: 'changes.csv' };
  const last = changes.at(-1);
  const hasMore = last !== undefined && changes.length === CHANGES_PER_PAGE.html;
  return pageDocument(context, {
    title: 'Changes',
    main: html`<h1>Changes</h1>
<form action="/page/changes" method="get">
<label>Since <input name="since" type="date" value="${since.slice(0, 10)}"></label>
<label>Kind <select name="kind">${CHANGE_KINDS.map((one) => html`<option${one === kind && html` selected`}>${one}</option>`)}</select></label>
<label>Field <input name="field" value="${field}" maxlength="200"></label>
<button>Filter</button></form>
${listing({
  id: 'list',
  title: `${counted(changes.length, 'change')} of ${countOfChanges(total)}`,
  note: html`<a href="${urlOf('.csv', request)}">CSV</a>`,
  empty: 'No changes match.',
  head: ['Seen', 'Company', 'Changes'],
  rows: changesByCompany(changes).flatMap((ofCompany) => changeRow(ofCompany, context.times)),
})}
<header><nav aria-label="Pages">${request.beforeId !== null && html`<a href="${urlOf('', request)}">Latest changes</a> `}${hasMore && html`<a href="${urlOf('', request, last.changeId)}" rel="next">Earlier changes</a>`}</nav></header>`,
  });
}

function urlOf(
  suffix: string,
  { since, field, kind }: ChangesRequest,
  beforeId: number | null = null,
): string {
  const parameters = new URLSearchParams();
  if (since !== '') parameters.set('since', since);
  if (field !== '') parameters.set('field', field);
  if (kind !== 'all') parameters.set('kind', kind);
  if (beforeId !== null) parameters.set('before', String(beforeId));
  const text = parameters.toString();
  return `/page/changes${suffix}${text === '' ? '' : `?${text}`}`;
}

const CHANGE_KEYS = [
  'changeId',
  'observedAt',
  'notBefore',
  'entityId',
  'name',
  'path',
  'before',
  'after',
] as const;

function changesCsv(changes: ChangePage['changes']): string {
  return csvText(
    ['change_id', 'observed_at', 'not_before', 'entity_id', 'name', 'path', 'before', 'after'],
    changes.map((one) => CHANGE_KEYS.map((key) => one[key])),
  );
}
