import { ExactNumber, isJsonObject, type Json, parseJson } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import { foreign, type Html, html, type Part } from './html.ts';

/** A record as rows of field and value, in the order in which it came; every digit as it was sent. */
export function recordTable(answer: string, root: string): Html {
  const rows: Row[] = [];
  collect(rows, [], valueAt(parseJson(answer), root) ?? null);
  const shown = rows.slice(0, MOST_ROWS);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Record"><table class="record">
<thead><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
<tbody>${shown.map(({ path, value }) => html`<tr><th scope="row">${fieldName(path)}</th><td>${value}</td></tr>`)}</tbody>
</table></div>
${rows.length > shown.length && html`<p class="note">${rows.length - shown.length} more fields are not shown.</p>`}`;
}

interface Row {
  readonly path: readonly string[];
  readonly value: Part;
}

function collect(rows: Row[], path: readonly string[], value: Json): void {
  if (rows.length > MOST_ROWS * 2) return;
  const members = Array.isArray(value) ? value.map((inner, at) => [String(at + 1), inner] as const) : null;
  const entries = members ?? (isJsonObject(value) ? Object.entries(value) : null);
  if (entries === null) rows.push({ path, value: scalar(value) });
  else if (entries.length === 0)
    rows.push({
      path,
      value: html`<span class="nothing">${members === null ? 'empty' : 'empty list'}</span>`,
    });
  else for (const [key, inner] of entries) collect(rows, [...path, key], inner);
}

function scalar(value: Json): Part {
  if (typeof value === 'string')
    return value === '' ? html`<span class="nothing">empty text</span>` : foreign(cut(value));
  if (value === null) return html`<span class="nothing">null</span>`;
  if (value instanceof ExactNumber) return html`<span class="number">${value.digits}</span>`;
  return html`<span class="number">${String(value)}</span>`;
}

function fieldName(path: readonly string[]): Html {
  const parents = path.slice(0, -1).map((key) => html`<span class="parent">${foreign(cut(key))} › </span>`);
  return html`${parents}${foreign(cut(path.at(-1) ?? 'value'))}`;
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
}

const MOST_ROWS = 400;
const LONGEST = 2_000;
