import { FACTS, type Line } from '../../report/fact_table.ts';
import { percent } from '../../report/figures.ts';
import { type Html, html } from '../html.ts';
import type { Section } from './section.ts';

/** The key figures: every line of the fact table that has a tile. */
export const tilesSection: Section = {
  id: 'answers',
  title: 'Key figures',
  group: 'summary',
  shownIf: 'always',
  draw({ snapshot, times }, { id, title }) {
    const format = { time: times.zoned, zone: times.zone };
    const lines = FACTS.flatMap((fact) => fact.lines?.(snapshot, format) ?? []);
    return html`<article><h2 class="unseen">${title}</h2>
<dl class="figures" id="${id}">${lines.filter(({ tile }) => tile !== undefined).map(drawTile)}</dl></article>`;
  },
};

function drawTile({ tile = '', value, notes = [], share }: Line): Html {
  return html`<div><dt>${tile}</dt><dd><span class="value">${value}</span>${share !== undefined && bar(tile, share)}${notes.map((note) => html`<span class="note">${note}</span>`)}</dd></div>`;
}

/** Draws a share, or the lowest value of the range in which it lies. */
function bar(title: string, { low, high }: NonNullable<Line['share']>): Html {
  const range = low === high ? percent(low) : `${percent(low)} to ${percent(high)}`;
  return html`<progress aria-label="${title}: ${range}" value="${Math.min(1, low)}"></progress>`;
}
