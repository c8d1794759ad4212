import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type AdmissionOptions, admit } from '../../api/admission.ts';
import { isLoopback } from '../../api/http_server.ts';
import { RejectedRequest } from '../../api/problems.ts';
import { VERSION } from '../../operations/version.ts';
import type { CompanyProperty } from '../../warehouse/company_properties.ts';
import {
  COMPANY,
  type CompanyReaders,
  candidatesFor,
  Extend,
  extended,
  GONE,
  QueryBatch,
  suggestions,
} from './reconciler.ts';

export interface ReconciliationOptions {
  /**
   * open: the service needs no key, because OpenRefine sends none. It accepts only local host names and requests from
   * local pages.
   * keyed: every request needs a key and is counted as one request. The manifest needs no key.
   */
  readonly access: 'open' | 'keyed';
  /** The path of a company's page on this server, such as `/company/{{id}}`, or null if there are none. */
  readonly companyPage: string | null;
}

interface ServiceOptions extends ReconciliationOptions, AdmissionOptions {
  /** The registry's name. */
  readonly sourceName: string;
}

/** Adds the routes of the Reconciliation Service API 0.2 under `/reconcile`, for OpenRefine and similar tools. */
export function addReconciliation(
  app: FastifyInstance,
  readers: () => CompanyReaders,
  options: ServiceOptions,
): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.addHook('onRequest', async (request, reply) => admitLocal(options, request, reply));
  const respond = async (parameters: Parameters, request: FastifyRequest, reply: FastifyReply) => {
    if (parameters.queries !== undefined)
      return reply.send(await batchResults(parsed('queries', parameters.queries, QueryBatch), readers));
    if (parameters.extend === undefined)
      return reply.send(manifest(options, `${request.protocol}://${request.host}`));
    const extend = parsed('extend', parameters.extend, Extend);
    requireKnown('property', propertyIds(readers()), extend.properties);
    return reply.send(extended(extend, readers()));
  };
  app.get<{ Querystring: Parameters }>(ROOT, { schema: HIDDEN }, (request, reply) =>
    respond(request.query, request, reply),
  );
  app.post<{ Body: Parameters | null }>(
    ROOT,
    { schema: HIDDEN, bodyLimit: MAX_BODY_BYTES },
    (request, reply) => respond(request.body ?? {}, request, reply),
  );
  app.options(`${ROOT}*`, { schema: HIDDEN }, (_request, reply) => reply.code(204).send());
  addSuggestions(app, readers);
}

/** Returns the candidates for each query in a batch, by the query's key. */
async function batchResults(
  batch: z.output<typeof QueryBatch>,
  readers: () => CompanyReaders,
): Promise<Record<string, object>> {
  const queries = Object.values(batch);
  requireKnown(
    'type',
    [COMPANY.id, GONE.id],
    queries.flatMap(({ types }) => types),
  );
  requireKnown(
    'property',
    propertyIds(readers()),
    queries.flatMap(({ properties }) => properties.map(({ id }) => id)),
  );
  const results: Record<string, object> = {};
  for (const [key, query] of Object.entries(batch)) {
    results[key] = { result: candidatesFor(query, readers()) };
    // The server can handle other requests between two queries in a batch.
    await setImmediate();
  }
  return results;
}

/** Adds the routes that suggest companies, properties and types while a user types. */
function addSuggestions(app: FastifyInstance, readers: () => CompanyReaders): void {
  const get = (path: string, respond: (query: SuggestParameters) => object) =>
    app.get<{ Querystring: SuggestParameters }>(
      `${ROOT}/${path}`,
      { schema: PARAMETERS },
      ({ query }, reply) => reply.send(respond(query)),
    );
  get('suggest/entity', (query) => ({
    result: suggestions(query.prefix ?? '', cursorOf(query), readers()),
  }));
  get('suggest/property', (query) => {
    const prefix = (query.prefix ?? '').toLowerCase();
    const found = readers()
      .properties.list()
      .filter(({ id }) => id.includes(prefix));
    const from = cursorOf(query);
    return { result: found.slice(from, from + MAX_SUGGESTED).map(propertyOf) };
  });
  get('suggest/type', ({ prefix = '' }) => ({
    result: [COMPANY, GONE].filter(({ id, name }) =>
      `${id} ${name}`.toLowerCase().includes(prefix.toLowerCase()),
    ),
  }));
  get('properties', ({ limit = MAX_SUGGESTED }) => ({
    type: COMPANY.id,
    limit,
    properties: readers().properties.list().slice(0, limit).map(propertyOf),
  }));
}

/** The OpenAPI document describes only the registry's own endpoints and the change feed. */
const HIDDEN = { hide: true };
/** A repeated parameter, or a limit that is no positive number, is rejected with 400. */
const PARAMETERS = {
  ...HIDDEN,
  querystring: {
    type: 'object',
    properties: {
      prefix: { type: 'string' },
      cursor: { type: 'string' },
      limit: { type: 'integer', minimum: 1 },
    },
  },
};

interface Parameters {
  readonly queries?: string;
  readonly extend?: string;
}

interface SuggestParameters {
  readonly prefix?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** Checks the key and the limits or, if no key is needed, that the request is local. */
async function admitLocal(
  options: ServiceOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { access } = options;
  const { origin, host } = request.headers;
  if (access === 'open') {
    if (!isLoopback(host))
      return reply
        .code(421)
        .send({ code: 'host_not_local', detail: 'Use http://127.0.0.1 or http://localhost.' });
    if (origin !== undefined && !LOCAL_ORIGIN.test(origin))
      return reply
        .code(403)
        .send({ code: 'origin_not_local', detail: 'Only local pages may use this service.' });
  }
  // OpenRefine's page calls this service from another port and therefore from another origin.
  reply.header('access-control-allow-origin', access === 'open' ? (origin ?? '*') : '*');
  reply.header('access-control-allow-headers', 'authorization, content-type');
  reply.header('vary', 'origin');
  if (access === 'open' || request.method === 'OPTIONS' || isForManifest(request)) return undefined;
  return admit(options, request, reply);
}

function isForManifest({ method, url }: FastifyRequest): boolean {
  return method === 'GET' && (url === ROOT || url === `${ROOT}/`);
}

function manifest({ sourceName, access, companyPage, profile }: ServiceOptions, origin: string): object {
  const service = (path: string) => ({ service_url: origin, service_path: `${ROOT}/${path}` });
  return {
    versions: ['0.2'],
    name: sourceName,
    identifierSpace: `${origin}/api/entity/`,
    schemaSpace: `${origin}${ROOT}/properties`,
    serviceVersion: VERSION,
    defaultTypes: [COMPANY, GONE],
    ...(companyPage === null ? {} : { view: { url: `${origin}${companyPage}` } }),
    ...(access === 'open'
      ? {}
      : { authentication: { type: 'apiKey', name: profile.key_header.split(':')[0], in: 'header' } }),
    suggest: {
      entity: service('suggest/entity'),
      property: service('suggest/property'),
      type: service('suggest/type'),
    },
    extend: { propose_properties: service('properties'), property_settings: [] },
  };
}

function propertyOf({ id, path }: CompanyProperty) {
  return { id, name: id, ...(path === null ? {} : { description: path }) };
}

function cursorOf({ cursor }: SuggestParameters): number {
  return Math.min(Math.max(Number.parseInt(cursor ?? '', 10) || 0, 0), MAX_CURSOR);
}

function propertyIds({ properties }: CompanyReaders): string[] {
  return properties.list().map(({ id }) => id);
}

/**
 * Parses the JSON in a parameter.
 *
 * @throws RejectedRequest that names the first fault
 */
function parsed<Schema extends z.ZodType>(parameter: string, text: string, schema: Schema): z.output<Schema> {
  const result = schema.safeParse(jsonOrUndefined(text));
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const at = [parameter, ...(first?.path ?? [])].join('.');
  const detail = `${at}: ${first?.message ?? 'is invalid'}`;
  throw new RejectedRequest({ code: 'parameter_invalid', detail });
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws RejectedRequest that names the known ids, because an unknown one would look like an empty result */
function requireKnown(what: 'type' | 'property', known: readonly string[], ids: readonly string[]): void {
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown === undefined) return;
  const detail = `the ${what} ${unknown} is unknown. Known: ${known.join(', ')}.`;
  throw new RejectedRequest({ code: 'parameter_invalid', detail });
}

const ROOT = '/reconcile';
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SUGGESTED = 50;
const MAX_CURSOR = 1_000;
const LOCAL_ORIGIN = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
