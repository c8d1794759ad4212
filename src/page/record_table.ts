import { ExactNumber, isJsonObject, type Json, parseJson } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import { foreign, type Html, html, type Part } from './html.ts';

/** The record at a JSON path of a response, as rows of field and value. Order and digits are those of the response. */
export function recordTable(response: string, root: string): Html {
  const rows: Row[] = [];
  collect(rows, [], valueAt(parseJson(response), root) ?? null);
  const shown = rows.slice(0, MAX_ROWS);
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
  if (rows.length > MAX_ROWS * 2) return;
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
    return value === '' ? html`<span class="nothing">empty text</span>` : foreign(shorten(value));
  if (value === null) return html`<span class="nothing">null</span>`;
  if (value instanceof ExactNumber) return html`<span class="number">${value.digits}</span>`;
  return html`<span class="number">${String(value)}</span>`;
}

function fieldName(path: readonly string[]): Html {
  const parents = path
    .slice(0, -1)
    .map((key) => html`<span class="parent">${foreign(shorten(key))} › </span>`);
  return html`${parents}${foreign(shorten(path.at(-1) ?? 'value'))}`;
}

function shorten(text: string): string {
  return text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters)`;
}

const MAX_ROWS = 400;
const MAX_CHARACTERS = 2_000;
