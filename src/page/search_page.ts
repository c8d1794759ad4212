import { count, counted } from '../report/figures.ts';
import type { CompanyRow } from '../warehouse/page_queries.ts';
import { companyLink } from './company_markup.ts';
import { documentOf } from './frame.ts';
import { foreign, type Html, html } from './html.ts';
import { timesIn } from './page_figures.ts';
import type { PageSettings } from './page_settings.ts';

/** The result of a search. */
export interface Found {
  readonly query: string;
  readonly total: number;
  /** The best matches. */
  readonly companies: readonly CompanyRow[];
}

export function searchPage(found: Found, settings: PageSettings, nowMs: number): string {
  return documentOf({
    title: `${found.query === '' ? 'Search' : found.query}, ${settings.source.name}`,
    source: settings.source,
    zone: timesIn(settings.schedule.timezone, nowMs).zone,
    query: found.query,
    top: html`<p class="state"><a href="/">Back to the overview</a></p>`,
    main: html`<h1>Companies</h1>${results(found)}`,
  });
}

function results({ query, total, companies }: Found): Html {
  if (query === '') return html`<p id="results">Enter a name, prefixes of its words, or an identifier.</p>`;
  if (total === 0) return html`<p id="results">No company matches “${foreign(query)}”.</p>`;
  return html`<div id="results"><p class="note">${counted(total, 'company', 'companies')}${total > companies.length && html`; the first ${count(companies.length)}`}</p>
<ul class="companies">${companies.map(
    (company) =>
      html`<li>${companyLink(company)} <code>${foreign(company.entityId)}</code> <span class="badge ${company.state}">${company.state}</span></li>`,
  )}</ul></div>`;
}
