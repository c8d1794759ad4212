import { entityUrl, UnwritableUrl } from '../dialect/request.ts';

/** The configured path of a record, with `{id}`. */

/**
 * Returns the forms of a record's URL: with the whole id as one segment, its last segment, all its segments, or zeros in
 * front of it.
 */
export function recordTemplates(template: string): string[] {
  return [template, ...['last', 'path', 'pad10'].map((rule) => template.replace('{id}', `{id:${rule}}`))];
}

/** Returns a record's URL path, or null if the id cannot be part of a path. */
export function entityPath(template: string, id: string): string | null {
  const url = entityUrl({ entity: template } as Parameters<typeof entityUrl>[0], id);
  return url instanceof UnwritableUrl ? null : url.pathname + url.search;
}

/**
 * Returns the key that a record's path uses for the id, such as `businessId` in `/companies?businessId={id}` and in
 * `/companies?$filter=businessId eq '{id}'`.
 */
export function idKeyOf(template: string): string | null {
  const before = decodeURIComponent(
    template.replace(/%(?![\da-f]{2})/gi, '%25').split(/\{id(?::\w+)?\}/)[0] ?? '',
  );
  // A key in quotes can have spaces.
  const quoted = /(["'])([^"']+)\1\s*[:=]\s*["']?$/.exec(before)?.[2];
  return quoted ?? /([\p{L}_][\p{L}\p{N}_]*)(?:\s*[:=]\s*|\s+eq\s+)["']?$/u.exec(before)?.[1] ?? null;
}

/** Returns whether a text is the URL of a record: the configured path with another segment in place of `{id}`. */
export function isRecordLink(template: string, text: string): boolean {
  const [before = '', after] = pathOf(template).split('{id}');
  const url = /^(https?:\/\/|\/)/.test(text) ? URL.parse(text, 'http://host') : null;
  const at = url?.pathname.lastIndexOf(before) ?? -1;
  if (url === null || after === undefined || after !== '' || at === -1 || !/\w/.test(before)) return false;
  return /^[^/]+\/?$/.test(url.pathname.slice(at + before.length));
}

const pathOf = (template: string): string => template.replace(/^https?:\/\/[^/]*/, '').split('?')[0] ?? '';
