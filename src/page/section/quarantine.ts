import { byteSize, count } from '../../report/figures.ts';
import { listQuarantined, type Quarantined, quarantineCounts } from '../../warehouse/quarantine.ts';
import { type PageContext, type PageDocument, pageDocument } from '../frame.ts';
import { definitions, foreign, html, listing } from '../html.ts';
import type { Times } from '../page_figures.ts';
import type { Section } from './section.ts';

/** Responses that could not be processed. */
export const quarantineSection: Section = {
  id: 'quarantine',
  title: 'Quarantine',
  group: 'tables',
  shownIf: 'always',
  draw({ db, times }, { id, title }) {
    const { open } = quarantineCounts(db);
    const latest = listQuarantined(db, 'open', MAX_ENTRIES);
    return listing({
      id,
      title: open === 0 ? title : `${title}: ${count(open)} open`,
      note:
        open > 0 &&
        html`${count(latest.length)} of ${count(open)} responses that could not be processed. <a href="/page/quarantine">All entries</a>`,
      ...quarantineTable(latest, times),
    });
  },
};

export function quarantineTable(entries: readonly Quarantined[], times: Times) {
  return {
    empty: 'The quarantine is empty: all responses were processed.',
    head: ['Since', 'Call', 'Target', 'Reason', 'Times'],
    numeric: [4],
    rows: entries.map((one) => [
      times.brief(Date.parse(one.quarantinedAt)),
      html`<a href="/page/quarantine?id=${one.quarantineId}">${one.kind} ${one.quarantineId}</a>`,
      foreign(one.target),
      foreign(one.reason),
      count(one.times),
    ]),
  };
}

const MAX_ENTRIES = 5;

/** All open quarantine entries, or one entry with its response. */
type QuarantineView =
  | { readonly entries: readonly Quarantined[]; readonly open: number }
  /** `text` is null if the response was pruned. */
  | { readonly entry: Quarantined; readonly text: string | null };

export function quarantinePage(view: QuarantineView, context: PageContext): PageDocument {
  const { times } = context;
  if ('entries' in view)
    return pageDocument(context, {
      title: 'Quarantine',
      main: html`<h1>Quarantine</h1>
${listing({
  id: 'list',
  title: `${count(view.entries.length)} of ${count(view.open)} open entries`,
  ...quarantineTable(view.entries, times),
})}`,
    });
  const { entry, text } = view;
  const { quarantineId, kind, target, position, reason, state, runId, status, bytes } = entry;
  return pageDocument(context, {
    title: `Quarantine entry ${quarantineId}`,
    main: html`<h1>Quarantine entry ${quarantineId}</h1>
<p class="alert">${foreign(reason)}</p>
${definitions([
  ['Call', html`${kind} ${foreign(target)}${position !== null && `, item ${position + 1}`}`],
  ['State', `${state}, received ${count(entry.times)} times`],
  ['Received', times.full(Date.parse(entry.quarantinedAt))],
  ['Run', html`<a href="/page/runs/${runId}">${runId}</a>`],
  ['Response', `HTTP ${status ?? '–'}, ${byteSize(bytes)}`],
])}
<p class="note">This page is read-only. Process the response again with <code>registry-mirror quarantine replay ${quarantineId}</code>, or close the entry with <code>registry-mirror quarantine discard ${quarantineId}</code>.</p>
<h2>Response as received</h2>
${
  text === null
    ? html`<p class="note">The response was pruned.</p>`
    : html`<pre tabindex="0">${text.slice(0, MAX_CHARACTERS)}</pre>${text.length > MAX_CHARACTERS && html`<p class="note">The first ${count(MAX_CHARACTERS)} of ${count(text.length)} characters. <code>registry-mirror quarantine show ${quarantineId} --json</code> prints all.</p>`}`
}`,
  });
}

const MAX_CHARACTERS = 20_000;
