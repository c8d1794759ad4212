import { byteSize, count } from '../report/figures.ts';
import type { Quarantined } from '../warehouse/quarantine.ts';
import type { PageContext } from './frame.ts';
import { type PageDocument, pageDocument } from './frame.ts';
import { foreign, html, listing } from './html.ts';
import { quarantineTable } from './section/tables.ts';

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
<dl class="seen">
<div><dt>Call</dt><dd>${kind} ${foreign(target)}${position !== null && `, item ${position + 1}`}</dd></div>
<div><dt>State</dt><dd>${state}, received ${count(entry.times)} times</dd></div>
<div><dt>Received</dt><dd>${times.full(Date.parse(entry.quarantinedAt))}</dd></div>
<div><dt>Run</dt><dd><a href="/page/runs/${runId}">${runId}</a></dd></div>
<div><dt>Response</dt><dd>HTTP ${status ?? '–'}, ${byteSize(bytes)}</dd></div>
</dl>
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
