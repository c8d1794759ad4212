import { count } from '../report/figures.ts';
import type { FieldChange, VersionSeen } from '../warehouse/page_queries.ts';
import { changeList, shownName } from './company_markup.ts';
import { documentOf } from './frame.ts';
import { foreign, type Html, html, type Part } from './html.ts';
import { type Times, timesIn } from './page_figures.ts';
import type { CompanyView } from './page_reader.ts';
import type { PageSettings } from './page_settings.ts';
import { recordTable } from './record_table.ts';

/** The page of one company: its latest or selected record and all observed changes. */
export function companyPage(view: CompanyView, settings: PageSettings): string {
  const { company, nowMs } = view;
  const times = timesIn(settings.schedule.timezone, nowMs);
  const name = shownName(company);
  return documentOf({
    title: `${name}, ${settings.source.name}`,
    source: settings.source,
    zone: times.zone,
    query: '',
    top: html`<p class="state"><a href="/">Back to the overview</a></p>`,
    main: html`<article class="company">
<header><h1>${foreign(name)}</h1><p class="id"><code>${foreign(company.entityId)}</code> <span class="badge ${company.state}">${STATES[company.state]}</span></p>
${milestones(view, times)}</header>
<section id="record" data-live><h2>Record</h2>${record(view, settings, times)}</section>
<section id="history" data-live><h2>History</h2>${history(view, times)}</section>
</article>`,
  });
}

const STATES = {
  listed: 'listed, record not fetched',
  fetched: 'record fetched',
  gone: 'gone from the registry',
} as const;

function milestones({ company }: CompanyView, times: Times): Html {
  const at = (name: string, time: string | null): Part =>
    time !== null && html`<div><dt>${name}</dt><dd>${times.full(Date.parse(time))}</dd></div>`;
  return html`<dl class="seen" id="seen" data-live>
${at('First seen', company.firstSeenAt)}
${at('Last seen', company.lastSeenAt)}
${at('Record fetched', company.fetchedAt)}
${at('Last change', company.changedAt)}
${at('Gone', company.goneAt)}
</dl>`;
}

function record({ shown, versions }: CompanyView, { recordRoot }: PageSettings, times: Times): Html {
  if (shown === null)
    return html`<p class="empty">A search found this company. Its record has not been fetched yet.</p>`;
  const { version, text } = shown;
  const isLatest = version.callId === versions[0]?.callId;
  return html`${!isLatest && html`<p class="note">Record as of ${times.full(Date.parse(version.observedFrom))}.</p>`}
${text === null ? html`<p class="empty">The response with this version was pruned.</p>` : recordTable(text, recordRoot)}`;
}

/** The versions and their changes, the latest first. */
function history({ company, versions, changes, shown }: CompanyView, times: Times): Html {
  const changesOf = Map.groupBy(changes, ({ callId }) => callId);
  const calls = new Set([...versions.map(({ callId }) => callId), ...changesOf.keys()]);
  const entries = [...calls].sort((a, b) => b - a);
  if (entries.length === 0) return html`<p class="empty">No history yet: no record was fetched.</p>`;
  return html`<ol class="history">${entries.map((callId) => {
    const version = versions.find((one) => one.callId === callId) ?? null;
    const ownChanges = changesOf.get(callId) ?? [];
    return html`<li>${observedAt(version, ownChanges, times)}${version !== null && versionLink(company.entityId, version, shown?.version.callId ?? null)}${changesIn(ownChanges, version, versions)}</li>`;
  })}</ol>`;
}

function observedAt(version: VersionSeen | null, changes: readonly FieldChange[], times: Times): Html {
  const at = version?.observedFrom ?? changes[0]?.observedAt ?? '';
  const notBefore = changes[0]?.notBefore ?? null;
  return html`<h3>${times.full(Date.parse(at))}</h3>${notBefore !== null && html`<p class="note">Unchanged until at least ${times.full(Date.parse(notBefore))}.</p>`}`;
}

function versionLink(entityId: string, { callId }: VersionSeen, shownId: number | null): Html {
  if (callId === shownId) return html`<p class="note">This version is shown above.</p>`;
  return html`<p><a href="/page/company?id=${encodeURIComponent(entityId)}&amp;version=${callId}#record">Show the record of this version</a></p>`;
}

function changesIn(
  changes: readonly FieldChange[],
  version: VersionSeen | null,
  versions: readonly VersionSeen[],
): Html {
  if (changes.length === 0)
    return html`<p>${version !== null && version === versions.at(-1) ? 'First version.' : 'No changed fields.'}</p>`;
  const shown = changes.toReversed().slice(0, MAX_CHANGES);
  return html`${changeList(shown)}
${changes.length > shown.length && html`<p class="note">${count(changes.length - shown.length)} more fields changed.</p>`}`;
}

const MAX_CHANGES = 100;
