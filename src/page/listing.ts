import { type Html, html, type Part } from './html.ts';

/** A table with a heading. */
export interface Listing {
  readonly id: string;
  readonly title: string;
  readonly note?: Part;
  /** Replaces the table if it has no rows. */
  readonly empty: string;
  readonly head: readonly string[];
  /** The layout on a phone: each row becomes a block, or the table scrolls. */
  readonly narrow: 'blocks' | 'scrolls';
  /** Indexes of the columns with numbers, which are aligned right. */
  readonly numeric?: readonly number[];
  readonly rows: readonly (readonly Part[])[];
}

/** Explicit ARIA roles keep the table a table for screen readers when CSS displays its rows as blocks. */
export function listing(options: Listing): Html {
  const { id, title, note = null, empty, rows } = options;
  return html`<section class="listing" id="${id}" data-live><h2>${title}</h2>
${note !== null && note !== false && html`<p class="note">${note}</p>`}
${rows.length === 0 ? html`<p class="empty">${empty}</p>` : table(options)}
</section>`;
}

function table({ title, head, narrow, numeric = [], rows }: Listing): Html {
  const figureClass = (at: number) => numeric.includes(at) && html` class="figure"`;
  const heads = head.map(
    (name, at) => html`<th role="columnheader" scope="col"${figureClass(at)}>${name}</th>`,
  );
  const cells = (row: readonly Part[]) =>
    row.map((cell, at) => html`<td role="cell" data-head="${head[at] ?? ''}"${figureClass(at)}>${cell}</td>`);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="${narrow}" role="table">
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${cells(row)}</tr>`)}</tbody>
</table></div>`;
}
