import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Config } from '../../config/config.ts';
import { BEARER } from '../../config/credentials.ts';
import { endpointsOf } from '../../dialect/request.ts';
import { withoutConstants } from '../../dialect/url_template.ts';
import { messageOf, UsageError } from '../../errors.ts';
import { readSpecification, type Specification } from '../../probe/openapi/specification.ts';

/**
 * Reads an OpenAPI document in JSON or YAML.
 *
 * @throws UsageError if the file cannot be read or is not an OpenAPI document.
 */
export function openapiIn(path: string, { upstream }: Config): Specification {
  const specification = readSpecification(contentOf(path), upstream.base_url);
  if (specification !== null) return specification;
  throw new UsageError(
    `${path} is not an OpenAPI document: it has no "openapi" or "swagger", or no "paths".`,
    {
      hint: "Pass the API's OpenAPI document, version 2, 3.0 or 3.1, as JSON or YAML.",
    },
  );
}

/**
 * Adds the paths and the key header from an OpenAPI document to the configuration. Paths in the configuration file take
 * precedence.
 */
export function withStatements(config: Config, { addresses, keyHeader }: Specification): Config {
  const { upstream } = config;
  const isDefault = upstream.key_header === BEARER;
  return {
    ...config,
    upstream: {
      ...upstream,
      paths: { ...addresses.value, ...upstream.paths },
      key_header: isDefault ? (keyHeader.value ?? BEARER) : upstream.key_header,
    },
  };
}

/**
 * Returns the values to write into the configuration file for `upstream.paths` and `upstream.key_header`. A value is
 * null if the file already has it.
 */
export function statedUpstream(config: Config, { addresses, keyHeader }: Specification) {
  const { upstream } = config;
  const { origin } = new URL(upstream.base_url);
  const { search, entity, stats } = endpointsOf(upstream);
  const present = {
    search: withoutConstants(search).slice(origin.length),
    entity: entity.slice(origin.length),
    stats: stats?.href.slice(origin.length) ?? null,
  };
  // Remove the query string, because a search's fixed parameters are in `dialect.search.extra`.
  const stated = { ...addresses.value, search: addresses.value?.search.split('?')[0], ...upstream.paths };
  const paths = addresses.value === null ? present : { ...present, ...stated };
  const isNew = JSON.stringify(paths) !== JSON.stringify(present);
  const isNewHeader =
    upstream.key_header === BEARER && keyHeader.value !== null && keyHeader.value !== BEARER;
  return { paths: isNew ? (paths as typeof present) : null, keyHeader: isNewHeader ? keyHeader.value : null };
}

function contentOf(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'), { maxAliasCount: 10_000 });
  } catch (cause) {
    throw new UsageError(`${path} cannot be read as JSON or YAML: ${firstLine(cause)}`, {
      hint: 'Pass the path of an OpenAPI document.',
      cause,
    });
  }
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? '';
}
