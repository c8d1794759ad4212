import type { FieldChange } from '../../warehouse/page_company.ts';
import { foreign, type Html, html, type Part } from '../html.ts';

/** Field by field, what stood there and what stands there now. */
export function differences(changes: readonly Pick<FieldChange, 'path' | 'before' | 'after'>[]): Html {
  return html`<dl class="differences">${changes.map(
    (one) =>
      html`<div><dt>${one.path === '_gone_at' ? 'the company' : html`<code>${foreign(one.path)}</code>`}</dt><dd>${change(one)}</dd></div>`,
  )}</dl>`;
}

function change({ path, before, after }: Pick<FieldChange, 'path' | 'before' | 'after'>): Html {
  if (path === '_gone_at')
    return after === null
      ? html`<span class="badge fetched">came back to the registry</span>`
      : html`<span class="badge gone">left the registry</span>`;
  return html`${value(before, 'del')} <span aria-hidden="true">→</span><span class="unseen">became</span> ${value(after, 'ins')}`;
}

function value(given: FieldChange['before'], tag: 'del' | 'ins'): Part {
  if (given === null) return html`<span class="nothing">nothing</span>`;
  const text = cut(String(given));
  return tag === 'del' ? html`<del>${foreign(text)}</del>` : html`<ins>${foreign(text)}</ins>`;
}

function cut(text: string): string {
  const characters = [...text.slice(0, LONGEST * 4)];
  return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST).join('')}…`;
}

const LONGEST = 160;
