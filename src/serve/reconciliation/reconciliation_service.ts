import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Accounts } from '../../api/accounts.ts';
import type { ApiProfile } from '../../api/api_profile.ts';
import { authenticate } from '../../api/authentication.ts';
import { pathOf } from '../../api/http_server.ts';
import { LOCAL_HOST } from '../../api/local_host.ts';
import { errorResponse, type Problem, UNAVAILABLE } from '../../api/problems.ts';
import type { QuotaMeter } from '../../api/quota_meter.ts';
import { VERSION } from '../../operations/version.ts';
import {
  type CompanyProperties,
  type CompanyProperty,
  companyProperties,
} from '../../warehouse/company_properties.ts';
import type { CompanySearch } from '../../warehouse/company_search.ts';
import { Extend, QueryBatch } from './queries.ts';
import { COMPANY, GONE, openReconciler, type Reconciler } from './reconciler.ts';

export interface ReconciliationOptions {
  readonly sourceName: string;
  readonly accounts: Accounts;
  readonly meter: QuotaMeter;
  readonly profile: ApiProfile;
  /**
   * open: the service needs no key, because OpenRefine sends none. It accepts only local host names and requests from
   * local pages.
   * keyed: every request needs a key and is counted as one request. The manifest needs no key.
   */
  readonly access: 'open' | 'keyed';
  /** The path of a company's page on this server, such as `/company/{{id}}`, or null if there are none. */
  readonly companyPage: string | null;
  readonly now: () => number;
  readonly failed: (error: Error) => void;
  /** Returns whether an error means that the companies cannot be read now. */
  readonly isUnavailable?: (error: Error) => boolean;
}

/** Implements the Reconciliation Service API 0.2 under `/reconcile`, for OpenRefine and similar tools. */
export interface ReconciliationService {
  /** Responds to a request and returns true if its path belongs to this service. Otherwise, returns false. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  close(): Promise<void>;
}

export async function openReconciliation(
  db: Database,
  search: CompanySearch,
  options: ReconciliationOptions,
): Promise<ReconciliationService> {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 60_000,
    exposeHeadRoutes: false,
  });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const isFault = (error.statusCode ?? 500) >= 500;
    if (isFault) options.failed(error);
    if (options.isUnavailable?.(error)) return reject(options, request, reply, UNAVAILABLE);
    return reject(options, request, reply, { code: isFault ? 'internal_error' : 'request_malformed' });
  });
  app.setNotFoundHandler((request, reply) => reject(options, request, reply, { code: 'not_found' }));
  app.addHook('onRequest', async (request, reply) => admit(options, request, reply));
  const properties = companyProperties(db);
  addRoutes(app, openReconciler(search, properties), properties, options);
  await app.ready();
  return {
    handle(request, response) {
      if (!/^\/reconcile(?:[/?]|$)/.test(request.url ?? '')) return false;
      app.routing(request, response);
      return true;
    },
    close: () => app.close(),
  };
}

function addRoutes(
  app: FastifyInstance,
  reconciler: Reconciler,
  properties: CompanyProperties,
  options: ReconciliationOptions,
): void {
  const respond = async (parameters: Parameters, request: FastifyRequest, reply: FastifyReply) => {
    if (parameters.queries !== undefined) {
      const batch = QueryBatch.safeParse(jsonOf(parameters.queries));
      if (!batch.success) return reject(options, request, reply, invalid('queries', batch.error.issues));
      const results: Record<string, object> = {};
      for (const [key, query] of Object.entries(batch.data)) {
        results[key] = { result: reconciler.candidates(query) };
        // The server can handle other requests between two queries in a batch.
        await setImmediate();
      }
      return reply.send(results);
    }
    if (parameters.extend !== undefined) {
      const extend = Extend.safeParse(jsonOf(parameters.extend));
      if (!extend.success) return reject(options, request, reply, invalid('extend', extend.error.issues));
      return reply.send(reconciler.extend(extend.data));
    }
    return reply.send(manifest(options, `${request.protocol}://${request.host}`));
  };
  app.get<{ Querystring: Parameters }>(ROOT, (request, reply) => respond(request.query, request, reply));
  app.post<{ Body: Parameters | null }>(ROOT, (request, reply) =>
    respond(request.body ?? {}, request, reply),
  );
  app.options(`${ROOT}*`, (_request, reply) => reply.code(204).send());

  app.get<{ Querystring: SuggestParameters }>(
    `${ROOT}/suggest/entity`,
    { schema: PARAMETERS },
    ({ query }, reply) => reply.send({ result: reconciler.suggest(query.prefix ?? '', cursorOf(query)) }),
  );
  app.get<{ Querystring: SuggestParameters }>(
    `${ROOT}/suggest/property`,
    { schema: PARAMETERS },
    ({ query }, reply) => {
      const prefix = (query.prefix ?? '').toLowerCase();
      const found = properties.list().filter(({ id }) => id.includes(prefix));
      const from = cursorOf(query);
      return reply.send({ result: found.slice(from, from + MAX_SUGGESTED).map(propertyOf) });
    },
  );
  app.get<{ Querystring: SuggestParameters }>(
    `${ROOT}/suggest/type`,
    { schema: PARAMETERS },
    ({ query }, reply) => {
      const prefix = (query.prefix ?? '').toLowerCase();
      const found = [COMPANY, GONE].filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(prefix));
      return reply.send({ result: found });
    },
  );
  app.get<{ Querystring: { limit?: number } }>(
    `${ROOT}/properties`,
    { schema: PARAMETERS },
    ({ query }, reply) => {
      const limit = query.limit ?? MAX_SUGGESTED;
      return reply.send({
        type: COMPANY.id,
        limit,
        properties: properties.list().slice(0, limit).map(propertyOf),
      });
    },
  );
}

/** A repeated parameter, or a limit that is no positive number, is rejected with 400. */
const PARAMETERS = {
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
}

/** Checks the key and the limits or, if no key is needed, that the request is local. */
async function admit(
  options: ReconciliationOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { origin, host } = request.headers;
  const { access } = options;
  if (access === 'open') {
    if (!LOCAL_HOST.test(host ?? ''))
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
  const { problem, headers } = authenticate(request.headers, options.now(), options);
  reply.headers(headers);
  if (problem !== null) return reject(options, request, reply, problem);
  await options.meter.settled();
  return undefined;
}

function isForManifest({ method, url }: FastifyRequest): boolean {
  return method === 'GET' && (url === ROOT || url === `${ROOT}/`);
}

function manifest(
  { sourceName, access, companyPage, profile }: ReconciliationOptions,
  origin: string,
): object {
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

/** Parses JSON text. Returns undefined if the text is not JSON, which the schema then rejects. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalid(
  parameter: string,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): Problem {
  const [first] = issues;
  const at = [parameter, ...(first?.path ?? [])].join('.');
  return { code: 'parameter_invalid', detail: `${at}: ${first?.message ?? 'is invalid'}` };
}

function reject(
  { profile }: ReconciliationOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): FastifyReply {
  const { status, headers, body } = errorResponse(profile, problem, pathOf(request));
  return reply.code(status).headers(headers).send(body);
}

const ROOT = '/reconcile';
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SUGGESTED = 50;
const MAX_CURSOR = 1_000;
const LOCAL_ORIGIN = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
