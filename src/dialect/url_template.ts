import { filled, placeholdersIn, type Values, valuesIn } from './template.ts';

/**
 * A URL template has parameters in braces: `/companies/{id}`, `/search/{name}?limit({size})`. A parameter that the
 * template names is written in its place, all others at the end of the query string.
 */

export class UnwritableUrl {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/**
 * Writes the parameters into a template. Parts of the query string with a parameter that has no value are left out. The
 * query string is not normalised, because an API can use a syntax of its own: `name.contains("acme")&limit(20)`.
 */
export function urlFrom(template: string, parameters: Values): URL | UnwritableUrl {
  const { path, parts } = partsOf(template);
  const isGiven = (name: string) => Object.hasOwn(parameters, name);
  const missing = placeholdersIn(path).find((name) => !isGiven(name) || parameters[name] === '');
  if (missing !== undefined) return new UnwritableUrl(`the path needs {${missing}}, which has no value`);
  const segments = path.split('/').map((segment) => filled(segment, parameters, encodeURIComponent));
  const dropped = segments.find(
    (segment, index) => segment !== path.split('/')[index] && segment.split('/').some(isDots),
  );
  if (dropped !== undefined)
    return new UnwritableUrl(`${JSON.stringify(dropped)} cannot be sent, because URLs drop it from a path`);
  const written = segments.join('/');
  const named = new Set(placeholdersIn(template));
  const others = Object.entries(parameters).filter(([name]) => !named.has(name));
  const query = [
    ...parts
      .filter((part) => placeholdersIn(part).every(isGiven))
      .map((part) => filled(part, parameters, encodeURIComponent)),
    ...others.map((parameter) => String(new URLSearchParams([parameter]))),
  ];
  return new URL(query.length === 0 ? written : `${written}?${query.join('&')}`);
}

/** URL parsers remove "." and ".." from a path, even if they are encoded (URL standard, "double-dot path segment"). */
const isDots = (segment: string): boolean => segment === '.' || segment === '..';

/** The parameters of a URL. */
interface UrlParameters {
  /** Those that the template names in braces. */
  readonly named: Values;
  /** All others, without the constant parameters of the template. */
  readonly others: URLSearchParams;
}

/** Reads the parameters of a URL. Returns null if the URL lacks the template's path or one of its constant parameters. */
export function parametersIn(template: string, url: string): UrlParameters | null {
  const { path, parts } = partsOf(template);
  const given = partsOf(url);
  const inPath = valuesIn(path, given.path, decodeURIComponent);
  if (inPath === null) return null;
  const named = { ...inPath };
  let rest = given.parts;
  for (const part of parts.map(decoded)) {
    const own = rest.find((one) => valuesIn(part, decoded(one)) !== null);
    if (own === undefined && placeholdersIn(part).length === 0) return null;
    if (own !== undefined) Object.assign(named, valuesIn(part, decoded(own)));
    rest = rest.filter((one) => one !== own);
  }
  return { named, others: new URLSearchParams(rest.join('&')) };
}

/** Returns the parts of the query string that have no parameter in braces. */
export function constantParts(template: string): string[] {
  return partsOf(template).parts.filter((part) => placeholdersIn(part).length === 0);
}

/** Returns a template without the parts of its query string that are constant or have none of these parameters. */
export function withOnly(template: string, isSent: (name: string) => boolean): string {
  const { path, parts } = partsOf(template);
  const named = parts.filter((part) => placeholdersIn(part).some(isSent));
  return named.length === 0 ? path : `${path}?${named.join('&')}`;
}

export const withoutConstants = (template: string): string => withOnly(template, () => true);

/** Adds parts to a URL's query string, without those whose parameter the URL already has. */
export function withParts(url: URL, parts: readonly string[]): URL {
  const own = partsOf(url.search).parts;
  const names = new Set(own.map(nameOf));
  const whole = new URL(url);
  whole.search = [...own, ...parts.filter((part) => !names.has(nameOf(part)))].join('&');
  return whole;
}

/** Returns a URL without the parameters of these names. */
export function withoutParameters(url: URL, names: readonly string[]): URL {
  const whole = new URL(url);
  whole.search = partsOf(url.search)
    .parts.filter((part) => !names.includes(nameOf(part)))
    .join('&');
  return whole;
}

const nameOf = (part: string): string => decoded(part.split('=')[0] ?? '');

function decoded(part: string): string {
  const plain = part.replaceAll('+', ' ');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** Splits a URL or a query string with its "?" into the path and the parts of the query string. */
export function partsOf(url: string): { readonly path: string; readonly parts: readonly string[] } {
  const at = url.indexOf('?');
  if (at === -1) return { path: url, parts: [] };
  const parts = url.slice(at + 1).split('&');
  return { path: url.slice(0, at), parts: parts.filter((part) => part !== '') };
}
