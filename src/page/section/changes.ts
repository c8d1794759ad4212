import { count, counted } from '../../report/figures.ts';
import {
  CHANGE_KINDS,
  type ChangeFilter,
  type ChangeKind,
  type ChangePage,
  MAX_COUNTED,
  readChanges,
} from '../../warehouse/change_list.ts';
import type { FieldChange, NamedChange } from '../../warehouse/company_history.ts';
import { csvText } from '../../warehouse/export/row_writers.ts';
import { type PageContext, type PageDocument, pageDocument } from '../frame.ts';
import { foreign, type Html, html, listing, type Markup } from '../html.ts';
import type { Times } from '../page_figures.ts';
import type { Section } from './section.ts';

/** The last changes, with one row for each company and call. */
export const changesSection: Section = {
  id: 'changes',
  title: 'Recent changes',
  group: 'tables',
  shownIf: 'filled',
  draw({ db, times }, { id, title }) {
    const { changes: latest, total } = readChanges(db, EVERY_CHANGE, { beforeId: null, most: MAX_CHANGES });
    const companies = changesByCompany(latest).slice(0, MAX_COMPANIES);
    const shown = companies.reduce((sum, changes) => sum + changes.length, 0);
    return listing({
      id,
      title,
      empty:
        'No changes yet. A change appears when a record is fetched again and differs from the previous version.',
      head: ['Seen', 'Company', 'Changes'],
      note:
        total > 0 &&
        html`${count(shown)} of ${countOfChanges(total)} ${total === 1 ? 'change' : 'changes'}. <a href="/page/changes">All changes</a>`,
      rows: companies.flatMap((ofCompany) => changeRow(ofCompany, times, MAX_FIELDS)),
    });
  },
};

const EVERY_CHANGE: ChangeFilter = { sinceMs: null, path: null, kind: 'all' };
const MAX_CHANGES = 40;
const MAX_COMPANIES = 5;
const MAX_FIELDS = 2;

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

/** Returns a company's name, or its id if the name has no visible character and so could not be clicked. */
export function shownName({ entityId, name }: Pick<NamedChange, 'entityId' | 'name'>): string {
  return name !== null && /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? name : entityId;
}

export function companyLink({ entityId, name }: Pick<NamedChange, 'entityId' | 'name'>): Html {
  return html`<a href="/page/company?id=${encodeURIComponent(entityId)}">${foreign(shownName({ entityId, name }))}</a>`;
}

/** Formats the number of changes in a list. Changes are counted only up to a limit. */
function countOfChanges(total: number): string {
  return total > MAX_COUNTED ? `more than ${count(MAX_COUNTED)}` : count(total);
}

/** Groups changes by company and call, in their order. */
function changesByCompany(changes: readonly NamedChange[]): readonly NamedChange[][] {
  return [...Map.groupBy(changes, ({ callId, entityId }) => `${callId} ${entityId}`).values()];
}

/** Returns table rows for one company's changes in one call: time, company and at most `most` changes. */
function changeRow(changes: readonly NamedChange[], times: Times, most?: number): (readonly Markup[])[] {
  const [first] = changes;
  if (first === undefined) return [];
  return [
    [times.brief(Date.parse(first.observedAt)), companyLink(first), changeList(changes.toReversed(), most)],
  ];
}

/** Draws a list of changes, each with its old and new value. */
export function changeList(
  changes: readonly Pick<FieldChange, 'path' | 'before' | 'after'>[],
  most = Number.POSITIVE_INFINITY,
): Html {
  const more = changes.length - most;
  return html`<dl class="differences">${changes
    .slice(0, most)
    .map(
      (one) =>
        html`<div><dt>${one.path === '_gone_at' ? 'the company' : html`<code>${foreign(one.path)}</code>`}</dt><dd>${change(one)}</dd></div>`,
    )}</dl>${more > 0 && html`<p class="note">${counted(more, 'more field')}</p>`}`;
}

function change({ path, before, after }: Pick<FieldChange, 'path' | 'before' | 'after'>): Html {
  if (path === '_gone_at')
    return after === null
      ? html`<span class="badge fetched">returned to the registry</span>`
      : html`<span class="badge gone">gone from the registry</span>`;
  return html`${value(before, 'del')} → ${value(after, 'ins')}`;
}

function value(given: FieldChange['before'], tag: 'del' | 'ins'): Markup {
  if (given === null) return html`<span class="note">nothing</span>`;
  const text = shorten(String(given));
  return tag === 'del' ? html`<del>${foreign(text)}</del>` : html`<ins>${foreign(text)}</ins>`;
}

function shorten(text: string): string {
  const characters = [...text.slice(0, MAX_CHARACTERS * 4)];
  return characters.length <= MAX_CHARACTERS ? text : `${characters.slice(0, MAX_CHARACTERS).join('')}…`;
}

const MAX_CHARACTERS = 160;
