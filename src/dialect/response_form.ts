import { isJsonObject, type Json, scalarText } from '../json/json.ts';
import { isMarkup } from './response_body.ts';

/**
 * The shape of an answer, without what differs from one id to the next: its status, its keys, and the
 * values of keys that hold codes. Two 404s of one shape say the same thing.
 */
export function responseFormOf(
  status: number,
  json: Json | undefined,
  text: string | null,
  entityId: string,
): string {
  if (json === undefined) return `${status} ${text === null ? 'empty' : isMarkup(text) ? 'markup' : 'text'}`;
  const parts: string[] = [];
  outline(json, '', entityId, parts);
  return `${status} ${parts.sort().join(' ')}`.slice(0, LONGEST_SHAPE).toWellFormed();
}

function outline(value: Json, path: string, entityId: string, parts: string[]): void {
  if (parts.length > MOST_PARTS) return;
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
  return (entityId === '' ? text : text.replaceAll(entityId, '{id}')).slice(0, LONGEST_CODE);
}

const MOST_PARTS = 40;
const LONGEST_SHAPE = 500;
const LONGEST_CODE = 60;
const CODE_KEYS = /\/(code|error|type|title|reason|status)$/i;
