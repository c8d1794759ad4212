import { upgrade } from '@scalar/openapi-upgrader';
import { isJsonObject, type Json, type JsonObject, scalarText } from '../../json/json.ts';
import { valueAt } from '../../json/pointer.ts';

/** An OpenAPI document of version 2, 3.0 or 3.1, converted to the structure of version 3.1. */
export interface ApiDocument {
  readonly title: string;
  /**
   * The configured server's path, or else the first server's, without a trailing slash. Null if the document names no
   * server or the server has no path.
   */
  readonly basePath: string | null;
  readonly operations: readonly Operation[];
  /** The schemes in the first security requirement, which state how a request sends the key. */
  readonly security: readonly JsonObject[];
}

/** A GET request that the document describes. */
export interface Operation {
  /** The path below the base path, with variables in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: JsonObject;
}

/**
 * Opens a parsed document. Returns null if it is not an OpenAPI document. `baseUrl` is the API's configured address.
 */
export function openDocument(parsed: unknown, baseUrl: string): ApiDocument | null {
  const given = parsed as Json;
  if (!isJsonObject(given) || !('openapi' in given || 'swagger' in given) || !isJsonObject(given.paths))
    return null;
  const document = upgrade(structuredClone(given), '3.1') as unknown as JsonObject;
  // A reference to another document leads to nothing.
  const resolved = (value: Json | undefined, depth = 0): JsonObject | undefined => {
    if (!isJsonObject(value) || depth > MAX_REFERENCES) return undefined;
    const reference = value.$ref;
    if (typeof reference !== 'string') return value;
    return reference.startsWith('#')
      ? resolved(valueAt(document, pointerIn(reference)), depth + 1)
      : undefined;
  };
  const paths = isJsonObject(document.paths) ? document.paths : {};
  return {
    title: textAt(document, '/info/title'),
    basePath: basePathOf(serverAt(document, baseUrl)),
    operations: Object.entries(paths).flatMap(([path, item]) => operationAt(path, resolved(item), resolved)),
    security: securityOf(document, resolved),
  };
}

type Resolve = (value: Json | undefined) => JsonObject | undefined;

function operationAt(path: string, item: JsonObject | undefined, resolved: Resolve): Operation[] {
  const operation = resolved(item?.get);
  if (operation === undefined) return [];
  const parameters = new Map(
    [...listAt(item, '/parameters'), ...listAt(operation, '/parameters')].flatMap((given) => {
      const parameter = parameterOf(resolved(given), resolved);
      return parameter === null ? [] : [[`${parameter.in} ${parameter.name}`, parameter] as const];
    }),
  );
  return [{ path, parameters: [...parameters.values()] }];
}

function parameterOf(given: JsonObject | undefined, resolved: Resolve): Parameter | null {
  const name = scalarText(given?.name);
  if (given === undefined || name === null || (given.in !== 'query' && given.in !== 'path')) return null;
  const content = Object.values(resolved(given.content) ?? {})[0];
  const schema = resolved(given.schema) ?? resolved(resolved(content)?.schema) ?? {};
  const example = given.example ?? valueAt(given, '/examples/0') ?? undefined;
  return {
    name,
    in: given.in,
    isRequired: given.in === 'path' || given.required === true,
    description: `${textAt(given, '/description')} ${textAt(schema, '/description')}`.trim(),
    schema: example === undefined ? schema : { ...schema, example },
  };
}

/** Returns the server with the configured address, otherwise the first server. */
function serverAt(document: JsonObject, baseUrl: string): Json | undefined {
  const servers = listAt(document, '/servers');
  const addressOf = (url: string) => url.replace(/\/+$/, '');
  return servers.find((server) => addressOf(textAt(server, '/url')) === addressOf(baseUrl)) ?? servers[0];
}

/** Returns a server URL's path. Variables in the URL get their default values. */
function basePathOf(server: Json | undefined): string | null {
  const url = textAt(server, '/url').replace(/\{(\w+)\}/g, (_, name) =>
    textAt(server, `/variables/${name}/default`),
  );
  if (!URL.canParse(url, 'https://host.example')) return null;
  const path = new URL(url, 'https://host.example').pathname.replace(/\/+$/, '');
  return path === '' && !URL.canParse(url) ? null : path;
}

function securityOf(document: JsonObject, resolved: Resolve): JsonObject[] {
  const schemes = resolved(valueAt(document, '/components/securitySchemes')) ?? {};
  const operations = Object.values(isJsonObject(document.paths) ? document.paths : {}).flatMap((item) =>
    listAt(resolved(resolved(item)?.get), '/security'),
  );
  const required = [...listAt(document, '/security'), ...operations].find(
    (requirement) => isJsonObject(requirement) && Object.keys(requirement).length > 0,
  );
  const names = isJsonObject(required) ? Object.keys(required) : Object.keys(schemes);
  return names.map((name) => resolved(schemes[name])).filter((scheme) => scheme !== undefined);
}

function listAt(holder: Json | undefined, pointer: string): readonly Json[] {
  const list = valueAt(holder, pointer);
  return Array.isArray(list) ? list : [];
}

function textAt(holder: Json | undefined, pointer: string): string {
  return scalarText(valueAt(holder, pointer)) ?? '';
}

function pointerIn(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference.slice(1);
  }
}

const MAX_REFERENCES = 20;
