import { type Finding, likely, open, sure } from '../exchange.ts';
import { type ApiDocument, type Operation, openDocument } from './document.ts';
import { findOperations, fixedParameters, idVariable, type Operations } from './operations.ts';
import {
  findIdentifierParam,
  findMaxSize,
  findMinLength,
  findPageParam,
  findQueryParam,
  findSizeParam,
} from './parameters.ts';

/** What an OpenAPI document states about an API: paths, the key's header and the parameters of a search. */
export interface Specification {
  readonly title: string;
  readonly addresses: Finding<StatedPaths | null>;
  readonly recordPath: Finding<string | null>;
  /** The value for `upstream.key_header`. */
  readonly keyHeader: Finding<string | null>;
  /** The names of all query parameters of a search. */
  readonly params: readonly string[];
  /** Parameters that every search must have, with a value that the document permits. */
  readonly extra: Readonly<Record<string, string>>;
  readonly queryParam: Finding<string | null>;
  readonly minLength: Finding<number | null>;
  readonly identifierParam: Finding<string | null>;
  readonly pageParam: Finding<string | null>;
  readonly sizeParam: Finding<string | null>;
  readonly maxSize: Finding<number | null>;
}

interface StatedPaths {
  readonly search: string;
  readonly entity: string;
  readonly stats: string;
}

/**
 * Reads a parsed OpenAPI document. Returns null if it is not an OpenAPI document. `baseUrl` is the API's configured
 * address. The form of the responses is not read, because the first response shows it.
 */
export function readSpecification(parsed: unknown, baseUrl: string): Specification | null {
  const document = openDocument(parsed, baseUrl);
  if (document === null) return null;
  const operations = findOperations(document);
  const { search, entity } = operations;
  const parameters = search.value?.parameters.filter((one) => one.in === 'query') ?? [];
  const queryParam = findQueryParam(parameters);
  const sizeParam = findSizeParam(parameters);
  const extra = Object.fromEntries(fixedParameters(parameters, [queryParam.value, sizeParam.value]));
  const addresses = findAddresses(document, operations, { baseUrl, extra });
  return {
    title: document.title,
    addresses,
    recordPath:
      addresses.value === null ? open(null, addresses.because) : { ...entity, value: addresses.value.entity },
    keyHeader: findKeyHeader(document),
    params: parameters.map(({ name }) => name),
    extra,
    queryParam: { ...queryParam, value: queryParam.value?.name ?? null },
    minLength: findMinLength(queryParam.value),
    identifierParam: findIdentifierParam(
      parameters,
      queryParam.value?.name ?? null,
      idVariable(entity.value?.path ?? ''),
    ),
    pageParam: findPageParam(parameters),
    sizeParam: { ...sizeParam, value: sizeParam.value?.name ?? null },
    maxSize: findMaxSize(sizeParam.value),
  };
}

/**
 * Finds the three resources' paths on the host in `baseUrl`. The paths include required parameters that have a fixed
 * value. If the document does not state the path of records or statistics, that path is the default. The certainty is
 * the search path's.
 */
function findAddresses(
  { basePath }: ApiDocument,
  { search, entity, stats }: Operations,
  { baseUrl, extra }: { readonly baseUrl: string; readonly extra: Readonly<Record<string, string>> },
): Specification['addresses'] {
  if (search.value === null) return open(null, search.because);
  const configured = new URL(baseUrl).pathname.replace(/\/+$/, '');
  const { path } = search.value;
  // If the document names no server, its paths are relative to the configured address, unless they already begin with
  // that address's path.
  const prefix = basePath ?? (path.startsWith(`${configured}/`) ? '' : configured);
  const standard = `${configured.replace(/\/api$/, '')}/api`;
  const pathOf = (operation: Operation) =>
    `${prefix}${operation.path}${queryOf(fixedParameters(operation.parameters))}`;
  const paths = {
    search: `${prefix}${path}${queryOf(Object.entries(extra))}`,
    entity:
      entity.value === null ? `${standard}/entity/{id}` : pathOf(entity.value).replace(/\{\w+\}/, '{id}'),
    stats: stats.value === null ? `${standard}/registry/stats` : pathOf(stats.value),
  };
  return { ...search, value: paths };
}

function queryOf(parameters: [name: string, value: string][]): string {
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
}

/** Finds the header that contains the key. */
function findKeyHeader({ security }: ApiDocument): Finding<string | null> {
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
