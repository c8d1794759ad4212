import { recordIn } from '../dialect/body_values.ts';
import { parseBody } from '../dialect/response_body.ts';
import { ExactNumber, type Json, jsonFields } from '../json/json.ts';
import { count } from '../report/figures.ts';
import type { CompanyRow, FieldChange, VersionSeen } from '../warehouse/company_history.ts';
import { type PageContext, type PageDocument, pageDocument } from './frame.ts';
import { definitions, foreign, type Html, html, type Markup } from './html.ts';
import type { Times } from './page_figures.ts';
import { changeList, shownName } from './section/changes.ts';

/** One company with its versions and changes. */
export interface CompanyView {
  readonly company: CompanyRow;
  /** Most recent first. */
  readonly versions: readonly VersionSeen[];
  readonly changes: readonly FieldChange[];
  /** The selected version, or null if the record was never fetched. `text` is null if the response was pruned. */
  readonly shown: { readonly version: VersionSeen; readonly text: string | null } | null;
}

/** Draws one company's page: the last or selected record, and all observed changes. */
export function companyPage(view: CompanyView, context: PageContext): PageDocument {
  const { company } = view;
  const { times } = context;
  const name = shownName(company);
  return pageDocument(context, {
    title: name,
    main: html`<h1>${foreign(name)}</h1><p><code id="entity-id">${foreign(company.entityId)}</code> <button type="button" data-copy="entity-id" hidden>Copy id</button> <span class="badge ${company.state}">${STATES[company.state]}</span></p>
${milestones(view, times)}
<article id="record"><h2>Record</h2>${record(view, context)}</article>
<article id="history"><h2>History</h2>${history(view, times)}</article>`,
  });
}

const STATES = {
  listed: 'listed, record not fetched',
  fetched: 'record fetched',
  gone: 'gone from the registry',
} as const;

function milestones({ company }: CompanyView, times: Times): Html {
  const full = (time: string | null) => time !== null && times.full(Date.parse(time));
  return definitions([
    ['First seen', full(company.firstSeenAt)],
    ['Last seen', full(company.lastSeenAt)],
    ['Record fetched', full(company.fetchedAt)],
    ['Last change', full(company.changedAt)],
    ['Gone', full(company.goneAt)],
  ]);
}

function record({ company, shown, versions }: CompanyView, { config, times }: PageContext): Html {
  if (shown === null)
    return html`<p class="note">${
      company.state === 'gone'
        ? 'This company left the registry before its record was fetched.'
        : 'A search found this company. Its record has not been fetched yet.'
    }</p>`;
  const { version, text } = shown;
  const isLatest = version.callId === versions[0]?.callId;
  const json = `/page/company.json?id=${encodeURIComponent(company.entityId)}&version=${version.callId}`;
  return html`${company.state === 'gone' && html`<p class="note">This company is gone. This is its last record.</p>`}${!isLatest && html`<p class="note">Record as of ${times.full(Date.parse(version.observedFrom))}.</p>`}
${text === null ? html`<p class="note">The response with this version was pruned.</p>` : html`${recordTable(text, config.dialect?.entity.root ?? '', company.entityId)}<p class="note"><a href="${json}">Response as JSON</a></p>`}`;
}

/** Draws the versions and their changes, most recent first. */
function history({ company, versions, changes, shown }: CompanyView, times: Times): Html {
  const changesOf = Map.groupBy(changes, ({ callId }) => callId);
  const calls = new Set([...versions.map(({ callId }) => callId), ...changesOf.keys()]);
  const entries = [...calls].sort((a, b) => b - a);
  if (entries.length === 0) return html`<p class="note">No history yet, because no record was fetched.</p>`;
  return html`<ol class="history">${entries.map((callId) => {
    const version = versions.find((one) => one.callId === callId) ?? null;
    const ownChanges = changesOf.get(callId) ?? [];
    return html`<li>${observedAt(version, ownChanges, times)}${version !== null && versionLink(company.entityId, version, shown?.version.callId ?? null)}${changesIn(ownChanges, version, versions)}</li>`;
  })}</ol>`;
}

function observedAt(version: VersionSeen | null, changes: readonly FieldChange[], times: Times): Html {
  const at = version?.observedFrom ?? changes[0]?.observedAt ?? '';
  const notBefore = changes[0]?.notBefore ?? null;
  return html`<h3>${times.full(Date.parse(at))}</h3>${notBefore !== null && html`<p class="note">Changed after ${times.full(Date.parse(notBefore))}, when the previous version was last seen.</p>`}`;
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

/**
 * Draws a table of a record's fields and values, in their order and with all digits. `root` is the JSON path to the
 * record.
 */
function recordTable(response: string, root: string, entityId: string): Html {
  const rows = jsonFields(recordIn(root, parseBody(response), entityId) ?? null, 2 * MAX_ROWS);
  const shown = rows.slice(0, MAX_ROWS);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Record"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
<tbody>${shown.map(({ keys, value }) => html`<tr><th scope="row">${fieldName(keys)}</th><td>${shownValue(value)}</td></tr>`)}</tbody>
</table></div>
${rows.length > shown.length && html`<p class="note">${rows.length - shown.length} more fields are not shown.</p>`}`;
}

function shownValue(value: Json): Markup {
  if (Array.isArray(value)) return html`<span class="note">empty list</span>`;
  if (typeof value === 'string')
    return value === '' ? html`<span class="note">empty text</span>` : foreign(shorten(value));
  if (value === null) return html`<span class="note">null</span>`;
  if (value instanceof ExactNumber) return html`<span>${value.digits}</span>`;
  if (typeof value === 'object') return html`<span class="note">empty</span>`;
  return html`<span>${String(value)}</span>`;
}

function fieldName(path: readonly string[]): Html {
  const parents = path.slice(0, -1).map((key) => html`<span class="note">${foreign(shorten(key))} › </span>`);
  return html`${parents}${foreign(shorten(path.at(-1) ?? 'value'))}`;
}

function shorten(text: string): string {
  return text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters)`;
}

const MAX_ROWS = 400;
const MAX_CHARACTERS = 2_000;
