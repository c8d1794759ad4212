import { isJsonObject, type Json, scalarText } from '../json/json.ts';
import { isMarkup } from './response_body.ts';

/**
 * Returns a response's form: its status, its keys and the words of its text. Parts that depend on the requested id are
 * omitted, and so are words with digits, which are often times or request ids. Two 404s with the same form have the same
 * meaning. A gateway's 404 has other words than the API's own 404, so it has another form.
 */
export function responseFormOf(
  status: number,
  json: Json | undefined,
  text: string | null,
  entityId: string,
): string {
  if (json === undefined) {
    if (text === null || text === '') return `${status} ${text === '' ? 'empty' : 'bytes'}`;
    return `${status} ${formOfText(text, entityId)}`;
  }
  const parts: string[] = [];
  outline(json, '', entityId, parts);
  return `${status} ${parts.sort().join(' ')}`.slice(0, MAX_FORM_CHARS).toWellFormed();
}

function formOfText(text: string, entityId: string): string {
  const visible = text
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi, ' ')
    .replace(/<[^>]*>/g, ' ');
  const words = wordsOf(visible, entityId).slice(0, MAX_FORM_CHARS).toWellFormed();
  return `${isMarkup(text) ? 'markup' : 'text'} ${words}`.trimEnd();
}

function outline(value: Json, path: string, entityId: string, parts: string[]): void {
  if (parts.length > MAX_PARTS) return;
  if (Array.isArray(value)) {
    if (value[0] !== undefined) outline(value[0], `${path}[]`, entityId, parts);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) outline(value[key] as Json, `${path}/${key}`, entityId, parts);
  } else if (CODE_KEYS.test(path)) {
    parts.push(`${path}=${withoutId(scalarText(value) ?? 'null', entityId).slice(0, MAX_VALUE_CHARS)}`);
  } else {
    const words = typeof value === 'string' ? wordsOf(value, entityId).slice(0, MAX_VALUE_CHARS) : '';
    parts.push(words === '' ? path : `${path}=${words}`);
  }
}

/** Returns the text's words in lower case, without dates, request ids and the requested id. */
function wordsOf(text: string, entityId: string): string {
  return withoutId(text.slice(0, MAX_READ_CHARS), entityId)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => /^\p{L}{2,}$/u.test(word) && !CALENDAR_WORDS.test(word))
    .join(' ')
    .toLowerCase();
}

function withoutId(text: string, entityId: string): string {
  if (entityId === '') return text;
  return text.replaceAll(entityId, '{id}').replaceAll(encodeURIComponent(entityId.toWellFormed()), '{id}');
}

const MAX_PARTS = 40;
const MAX_FORM_CHARS = 500;
const MAX_VALUE_CHARS = 60;
const MAX_READ_CHARS = 20_000;
const CODE_KEYS = /\/(code|error|type|title|reason|status)$/i;
const CALENDAR_WORDS =
  /^(mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|gmt|utc|am|pm)$/i;
