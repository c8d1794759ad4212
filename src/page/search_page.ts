import { count, counted } from '../report/figures.ts';
import type { CompanyRow } from '../warehouse/page_queries.ts';
import { documentOf } from './frame.ts';
import { foreign, type Html, html } from './html.ts';
import { timesIn } from './page_figures.ts';
import type { PageSettings } from './page_settings.ts';
import { companyLink } from './section/tables.ts';

/** What a search found. */
export interface Found {
  readonly query: string;
  readonly total: number;
  /** The best of them. */
  readonly companies: readonly CompanyRow[];
}

export function searchPage(found: Found, facts: PageSettings, nowMs: number): string {
  return documentOf({
    title: `${found.query === '' ? 'Search' : found.query}, ${facts.source.name}`,
    source: facts.source,
    zone: timesIn(facts.schedule.timezone, nowMs).zone,
    query: found.query,
    top: html`<p class="state"><a href="/">Back to the overview</a></p>`,
    main: html`<h1>Companies</h1>${results(found)}`,
  });
}

function results({ query, total, companies }: Found): Html {
  if (query === '')
    return html`<p id="results">Type a name, the beginnings of its words, or an identifier.</p>`;
  if (total === 0) return html`<p id="results">Nothing is known under “${foreign(query)}”.</p>`;
  return html`<div id="results"><p class="note">${counted(total, 'company', 'companies')}${total > companies.length && html`; the first ${count(companies.length)}`}</p>
<ul class="companies">${companies.map(
    (company) =>
      html`<li>${companyLink(company)} <code>${foreign(company.entityId)}</code> <span class="badge ${company.state}">${company.state}</span></li>`,
  )}</ul></div>`;
}
