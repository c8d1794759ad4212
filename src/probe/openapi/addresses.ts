import type { Addresses as Paths } from '../addresses.ts';
import { type Finding, likely, open, sure } from '../exchange.ts';
import type { ApiDocument, Operation } from './document.ts';
import { fixedParameters, type Operations } from './operations.ts';

/**
 * Finds the three resources' paths on the host in `baseUrl`. The paths include required parameters that have a fixed
 * value. If the document does not state the path of records or statistics, that path is the default. The certainty is
 * the search path's.
 */
export function findAddresses(
  { basePath }: ApiDocument,
  { search, entity, stats }: Operations,
  { baseUrl, extra }: { readonly baseUrl: string; readonly extra: Readonly<Record<string, string>> },
): Finding<Omit<Paths, 'constants'> | null> {
  if (search.value === null) return open(null, search.because);
  const configured = new URL(baseUrl).pathname.replace(/\/+$/, '');
  const { path } = search.value.operation;
  // If the document names no server, its paths are relative to the configured address, unless they already begin with
  // that address's path.
  const prefix = basePath ?? (path.startsWith(`${configured}/`) ? '' : configured);
  const standard = `${configured.replace(/\/api$/, '')}/api`;
  const addresses = {
    search: `${prefix}${path}${queryOf(Object.entries(extra))}`,
    entity:
      entity.value === null
        ? `${standard}/entity/{id}`
        : `${prefix}${entity.value.operation.path.replace(/\{\w+\}/, '{id}')}${fixedQueryOf(entity.value.operation)}`,
    stats:
      stats.value === null
        ? `${standard}/registry/stats`
        : `${prefix}${stats.value.operation.path}${fixedQueryOf(stats.value.operation)}`,
  };
  return { ...search, value: addresses };
}

function fixedQueryOf({ parameters }: Operation): string {
  return queryOf(fixedParameters(parameters));
}

function queryOf(parameters: [name: string, value: string][]): string {
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
}

/** Finds the header that contains the key. */
export function findKeyHeader({ security }: ApiDocument): Finding<string | null> {
  const [scheme] = security.filter((one) => one.type !== 'apiKey' || one.in === 'header');
  if (scheme === undefined) {
    const other = security.find(({ type }) => type === 'apiKey');
    return open(
      null,
      other === undefined
        ? 'the document describes no key'
        : `the key is sent in the ${other.in} parameter ${other.name}; for a query parameter, set upstream.key_param`,
    );
  }
  if (scheme.type === 'apiKey') {
    const name = String(scheme.name);
    const because = 'the document describes a key in this header';
    // Many proxies drop headers with an underscore. Such a name, for example `api_key`, is often left over from an
    // example.
    return name.includes('_')
      ? likely(name, `${because}, but few APIs use a header with an underscore`)
      : sure(name, because);
  }
  const isBasic = scheme.type === 'http' && String(scheme.scheme).toLowerCase() === 'basic';
  if (isBasic)
    return likely(
      'Authorization: Basic {key:basic}',
      'the document describes Basic authentication: the key is USER:PASSWORD',
    );
  return sure('Authorization: Bearer {key}', 'the document describes a Bearer token');
}
