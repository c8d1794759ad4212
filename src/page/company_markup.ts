import { count, counted } from '../report/figures.ts';
import { MAX_COUNTED } from '../warehouse/change_list.ts';
import type { FieldChange, NamedChange } from '../warehouse/company_history.ts';
import { foreign, type Html, html, type Markup } from './html.ts';
import type { Times } from './page_figures.ts';

/** Returns a company's name, or its id if the name has no visible character and so could not be clicked. */
export function shownName({ entityId, name }: Pick<NamedChange, 'entityId' | 'name'>): string {
  return name !== null && /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? name : entityId;
}

export function companyLink({ entityId, name }: Pick<NamedChange, 'entityId' | 'name'>): Html {
  return html`<a href="/page/company?id=${encodeURIComponent(entityId)}">${foreign(shownName({ entityId, name }))}</a>`;
}

/** Formats the number of changes in a list. Changes are counted only up to a limit. */
export function countOfChanges(total: number): string {
  return total > MAX_COUNTED ? `more than ${count(MAX_COUNTED)}` : count(total);
}

/** Groups changes by company and call, in their order. */
export function changesByCompany(changes: readonly NamedChange[]): readonly NamedChange[][] {
  return [...Map.groupBy(changes, ({ callId, entityId }) => `${callId} ${entityId}`).values()];
}

/** Returns table rows for one company's changes in one call: time, company and at most `most` changes. */
export function changeRow(
  changes: readonly NamedChange[],
  times: Times,
  most?: number,
): (readonly Markup[])[] {
  const [first] = changes;
  if (first === undefined) return [];
  return [
    [times.brief(Date.parse(first.observedAt)), companyLink(first), changeList(changes.toReversed(), most)],
  ];
}

/** Draws a list of changes, each with its old and new value. */
export function changeList(
  changes: readonly Pick<FieldChange, 'path' | 'before' | 'after'>[],
  most = Number.POSITIVE_INFINITY,
): Html {
  const more = changes.length - most;
  return html`<dl class="differences">${changes
    .slice(0, most)
    .map(
      (one) =>
        html`<div><dt>${one.path === '_gone_at' ? 'the company' : html`<code>${foreign(one.path)}</code>`}</dt><dd>${change(one)}</dd></div>`,
    )}</dl>${more > 0 && html`<p class="note">${counted(more, 'more field')}</p>`}`;
}

function change({ path, before, after }: Pick<FieldChange, 'path' | 'before' | 'after'>): Html {
  if (path === '_gone_at')
    return after === null
      ? html`<span class="badge fetched">returned to the registry</span>`
      : html`<span class="badge gone">gone from the registry</span>`;
  return html`${value(before, 'del')} → ${value(after, 'ins')}`;
}

function value(given: FieldChange['before'], tag: 'del' | 'ins'): Markup {
  if (given === null) return html`<span class="note">nothing</span>`;
  const text = shorten(String(given));
  return tag === 'del' ? html`<del>${foreign(text)}</del>` : html`<ins>${foreign(text)}</ins>`;
}

function shorten(text: string): string {
  const characters = [...text.slice(0, MAX_CHARACTERS * 4)];
  return characters.length <= MAX_CHARACTERS ? text : `${characters.slice(0, MAX_CHARACTERS).join('')}…`;
}

const MAX_CHARACTERS = 160;
