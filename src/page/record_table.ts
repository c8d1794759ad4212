import { recordIn } from '../dialect/body_values.ts';
import { ExactNumber, type Json, parseJson } from '../json/json.ts';
import { jsonFields } from '../json/json_fields.ts';
import { foreign, type Html, html, type Part } from './html.ts';

/**
 * Draws a table of a record's fields and values, in their order and with all digits. `root` is the JSON path to the
 * record.
 */
export function recordTable(response: string, root: string, entityId: string): Html {
  const rows = jsonFields(recordIn(root, parseJson(response), entityId) ?? null, 2 * MAX_ROWS);
  const shown = rows.slice(0, MAX_ROWS);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Record"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
<tbody>${shown.map(({ keys, value }) => html`<tr><th scope="row">${fieldName(keys)}</th><td>${shownValue(value)}</td></tr>`)}</tbody>
</table></div>
${rows.length > shown.length && html`<p class="note">${rows.length - shown.length} more fields are not shown.</p>`}`;
}

/** Returns a record's scalar values as text, by JSON path. */
export function recordValues(response: string, root: string, entityId: string): ReadonlyMap<string, string> {
  const fields = jsonFields(recordIn(root, parseJson(response), entityId) ?? null, 2 * MAX_ROWS);
  return new Map(fields.map(({ keys, value }) => [keys.join(' › '), textOf(value)]));
}

function textOf(value: Json): string {
  if (value instanceof ExactNumber) return value.digits;
  return typeof value === 'object' && value !== null ? 'empty' : String(value);
}

function shownValue(value: Json): Part {
  if (Array.isArray(value)) return html`<span class="note">empty list</span>`;
  if (typeof value === 'string')
    return value === '' ? html`<span class="note">empty text</span>` : foreign(shorten(value));
  if (value === null) return html`<span class="note">null</span>`;
  if (value instanceof ExactNumber) return html`<span>${value.digits}</span>`;
  if (typeof value === 'object') return html`<span class="note">empty</span>`;
  return html`<span>${String(value)}</span>`;
}

function fieldName(path: readonly string[]): Html {
  const parents = path.slice(0, -1).map((key) => html`<span class="note">${foreign(shorten(key))} › </span>`);
  return html`${parents}${foreign(shorten(path.at(-1) ?? 'value'))}`;
}

function shorten(text: string): string {
  return text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters)`;
}

const MAX_ROWS = 400;
const MAX_CHARACTERS = 2_000;
