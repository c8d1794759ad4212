import { type Html, html, type Part } from './html.ts';

/**
 * A table with a heading. The user can collapse it. On a phone it is initially collapsed, and each row is displayed as
 * a block.
 */
interface Listing {
  readonly id: string;
  readonly title: string;
  readonly note?: Part;
  /** Shown instead of the table if there are no rows. */
  readonly empty: string;
  readonly head: readonly string[];
  /** Indexes of the columns that contain numbers. They are right-aligned. */
  readonly numeric?: readonly number[];
  readonly rows: readonly (readonly Part[])[];
}

/** Draws a list without live updates, for pages other than the overview. */
export function listing(options: Listing): Html {
  return html`<section class="listing" id="${options.id}"><h2>${options.title}</h2>${content(options)}</section>`;
}

/** Draws a section of the overview. Its content is replaced without a reload. */
export function liveListing(options: Listing): Html {
  const { id, title } = options;
  return html`<details class="fold listing" open><summary><h2 id="${id}-title" data-live>${title}</h2></summary>
<div id="${id}" data-live>${content(options)}</div></details>`;
}

function content({ note = null, empty, ...options }: Listing): Html {
  return html`${note !== null && note !== false && html`<p class="note">${note}</p>`}
${options.rows.length === 0 ? html`<p class="empty">${empty}</p>` : table(options)}`;
}

/** On a phone, CSS displays the rows as blocks. The explicit roles keep them a table for screen readers. */
function table({ title, head, numeric = [], rows }: Omit<Listing, 'note' | 'empty'>): Html {
  const figureClass = (at: number) => numeric.includes(at) && html` class="figure"`;
  const cells = (row: readonly Part[]) =>
    row.map((cell, at) => html`<td role="cell" data-h="${head[at] ?? ''}"${figureClass(at)}>${cell}`);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="blocks" role="table">
<thead role="rowgroup"><tr role="row">${head.map((name, at) => html`<th role="columnheader" scope="col"${figureClass(at)}>${name}`)}</thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${cells(row)}`)}</table></div>`;
}
