import { isJsonObject, type Json } from '../json/json.ts';
import { idText, isSameId } from './body_values.ts';
import type { Headers } from './headers.ts';
import { idInPath } from './request.ts';

/**
 * Returns the id in the `Location` of a permanent redirect (301 or 308) to another record, or null if the response is no
 * such redirect. `template` is the records' URL with `{id}`.
 */
export function redirectedTo(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  { template, entityId }: { readonly template: string; readonly entityId: string },
): string | null {
  const { location } = headers;
  if ((status !== 301 && status !== 308) || location === undefined) return null;
  const requested = template.replace('{id}', () => encodeURIComponent(entityId));
  if (!URL.canParse(location, requested)) return null;
  const { origin, pathname, search } = new URL(location, requested);
  const id = idInPath(template, origin + pathname + search);
  return id === null || id === '' || /[/?]/.test(id) || isSameId(id, entityId) ? null : id;
}

/** Returns the id that a body without a record names as the replacement, or null if it names none. */
export function replacementIn(body: Json | undefined, entityId: string): string | null {
  if (!isJsonObject(body)) return null;
  for (const value of [body, ...Object.values(body)]) {
    if (!isJsonObject(value)) continue;
    const key = Object.keys(value).find((name) => REPLACEMENT_KEYS.test(name));
    const id = key === undefined ? null : idText(value[key]);
    if (id !== null && !isSameId(id, entityId)) return id;
  }
  return null;
}

const REPLACEMENT_KEYS = /^(replaced|superseded)_?by$|^(merged|moved)_?(in)?to$|^successor(_?id)?$/i;
