import { isJsonObject, type Json, scalarText } from '../json/json.ts';
import { isMarkup } from './response_body.ts';

/**
 * Returns a response's form: its status, its keys, and the values of keys that hold codes. Parts that depend on the
 * requested id are omitted. Two 404s with the same form have the same meaning.
 */
export function responseFormOf(
  status: number,
  json: Json | undefined,
  text: string | null,
  entityId: string,
): string {
  if (json === undefined)
    return `${status} ${text === '' ? 'empty' : text === null ? 'bytes' : isMarkup(text) ? 'markup' : 'text'}`;
  const parts: string[] = [];
  outline(json, '', entityId, parts);
  return `${status} ${parts.sort().join(' ')}`.slice(0, MAX_FORM_CHARS).toWellFormed();
}

function outline(value: Json, path: string, entityId: string, parts: string[]): void {
  if (parts.length > MAX_PARTS) return;
  if (Array.isArray(value)) {
    if (value[0] !== undefined) outline(value[0], `${path}[]`, entityId, parts);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) outline(value[key] as Json, `${path}/${key}`, entityId, parts);
  } else if (CODE_KEYS.test(path)) {
    parts.push(`${path}=${withoutId(scalarText(value) ?? 'null', entityId)}`);
  } else {
    parts.push(path);
  }
}

function withoutId(text: string, entityId: string): string {
  return (entityId === '' ? text : text.replaceAll(entityId, '{id}')).slice(0, MAX_CODE_CHARS);
}

const MAX_PARTS = 40;
const MAX_FORM_CHARS = 500;
const MAX_CODE_CHARS = 60;
const CODE_KEYS = /\/(code|error|type|title|reason|status)$/i;
