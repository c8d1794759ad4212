import { count, counted } from '../report/figures.ts';
import type { CompanyRow } from '../warehouse/company_history.ts';
import { csvText } from '../warehouse/export/row_writers.ts';
import { type PageContext, type PageDocument, pageDocument } from './frame.ts';
import { foreign, type Html, html } from './html.ts';
import { companyLink } from './section/changes.ts';

/** A search and its result. */
interface Found {
  readonly query: string;
  readonly state: CompanyState | null;
  /** The number of matches before the first row of this page. */
  readonly offset: number;
  readonly format: 'html' | 'csv';
  /** The best matches with the requested state, best match first. */
  readonly companies: readonly CompanyRow[];
  /** Whether more than COMPANIES_FOUND companies match, in any state. */
  readonly hasMore: boolean;
}

type CompanyState = 'listed' | 'fetched' | 'gone';
export const COMPANY_STATES: readonly CompanyState[] = ['listed', 'fetched', 'gone'];

/** The number of best matches that the pages and the state filter cover, and the number in the CSV file. */
export const COMPANIES_FOUND = { html: 500, csv: 5_000 };

export function searchPage(found: Found, context: PageContext): PageDocument {
  const { query, format, companies } = found;
  if (format === 'csv')
    return { body: companiesCsv(companies), type: 'text/csv; charset=utf-8', fileName: 'companies.csv' };
  const title = query === '' ? 'Search' : query;
  return pageDocument(context, { title, query, main: html`<h1>Companies</h1>${results(found)}` });
}

function results(found: Found): Html {
  const { query, state, offset, companies, hasMore } = found;
  if (query === '') return html`<p id="results">Enter a name, prefixes of its words, or an identifier.</p>`;
  if (companies.length === 0 && state === null)
    return html`<p id="results">No company matches “${foreign(query)}”.</p>`;
  const shown = companies.slice(offset, offset + COMPANIES_PER_PAGE);
  const to = offset + shown.length;
  return html`<div id="results"><p class="note">${count(shown.length === 0 ? 0 : offset + 1)}–${count(to)} of ${counted(companies.length, 'company', 'companies')}${state !== null && ` with state ${state}`}${hasMore && ', the best of more matches. Type more of the name to find the others.'}</p>
<ul class="companies">${shown.map(
    (company) =>
      html`<li>${companyLink(company)} <code>${foreign(company.entityId)}</code> <span class="badge ${company.state}">${company.state}</span></li>`,
  )}</ul>
<header><nav aria-label="Pages">${offset > 0 && html`<a rel="prev" href="${urlOf('', found, Math.max(0, offset - COMPANIES_PER_PAGE))}">Previous</a>`}${to < companies.length && html`<a rel="next" href="${urlOf('', found, to)}">Next</a>`}<a href="${urlOf('.csv', found)}">CSV</a></nav></header>
<header><nav aria-label="State">State: ${[null, ...COMPANY_STATES].map((one) => html`<a href="${urlOf('', { query, state: one })}"${one === state && html` aria-current="true"`}>${one ?? 'all'}</a>`)}</nav></header></div>`;
}

function urlOf(suffix: string, { query, state }: Pick<Found, 'query' | 'state'>, offset = 0): string {
  const parameters = new URLSearchParams({ q: query });
  if (state !== null) parameters.set('state', state);
  if (offset > 0) parameters.set('from', String(offset));
  return `/page/search${suffix}?${parameters}`;
}

function companiesCsv(companies: readonly CompanyRow[]): string {
  return csvText(
    ['entity_id', 'name', 'state', 'first_seen_at', 'last_seen_at', 'fetched_at', 'gone_at'],
    companies.map(({ entityId, name, state, firstSeenAt, lastSeenAt, fetchedAt, goneAt }) => [
      entityId,
      name,
      state,
      firstSeenAt,
      lastSeenAt,
      fetchedAt,
      goneAt,
    ]),
  );
}

const COMPANIES_PER_PAGE = 25;
