import { type Html, html, type Markup } from './html.ts';

/** A table with a heading. The user can collapse it. On a phone, each row is displayed as a block. */
interface Listing {
  readonly id: string;
  readonly title: string;
  readonly note?: Markup;
  /** Shown instead of the table if there are no rows. */
  readonly empty: string;
  readonly head: readonly string[];
  /** Indexes of the columns that contain numbers. They are right-aligned. */
  readonly numeric?: readonly number[];
  readonly rows: readonly (readonly Markup[])[];
}

export function listing({ id, title, note = null, empty, ...options }: Listing): Html {
  return html`<details class="fold" id="${id}" open><summary><h2>${title}</h2></summary>
${note !== null && note !== false && html`<p class="note">${note}</p>`}
${options.rows.length === 0 ? html`<p class="note">${empty}</p>` : table({ title, ...options })}</details>`;
}

/** On a phone, CSS displays the rows as blocks. The explicit roles keep them a table for screen readers. */
function table({ title, head, numeric = [], rows }: Omit<Listing, 'id' | 'note' | 'empty'>): Html {
  const figureClass = (at: number) => numeric.includes(at) && html` class="figure"`;
  const cells = (row: readonly Markup[]) =>
    row.map((cell, at) => html`<td role="cell" data-h="${head[at] ?? ''}"${figureClass(at)}>${cell}`);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="blocks" role="table">
<thead role="rowgroup"><tr role="row">${head.map((name, at) => html`<th role="columnheader" scope="col"${figureClass(at)}>${name}`)}</thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${cells(row)}`)}</table></div>`;
}
