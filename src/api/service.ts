import { setTimeout } from 'node:timers/promises';
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { AccountFile } from '../warehouse/serve_accounts.ts';
import type { ApiProfile } from './api_profile.ts';
import { type AuthResult, authenticate } from './authentication.ts';
import type { Catalogue } from './catalogue.ts';
import { type Endpoint, type EndpointResponse, endpointRequest, sendChunks } from './endpoint.ts';
import { pathOf } from './http_server.ts';
import { httpDate } from './limit_headers.ts';
import { errorResponse, isProblemCode, PROBLEMS, type Problem, UNAVAILABLE } from './problems.ts';
import type { QuotaMeter } from './quota_meter.ts';
import { recordResponse } from './record_response.ts';
import {
  type ApiResponse,
  jsonResponse,
  type RequestContext,
  type RequestKind,
  type RequestObserver,
} from './request_context.ts';
import { entitySchema, searchSchema, statsSchema } from './route_schemas.ts';
import { type RequestFacts, searchResponder } from './search_response.ts';

export interface ServiceOptions {
  readonly catalogue: Catalogue;
  readonly profile: ApiProfile;
  readonly accounts: AccountFile;
  readonly meter: QuotaMeter;
  /** Returns the time in epoch milliseconds. */
  readonly now: () => number;
  /** The offset added to `now` in response dates. By default, the dates use the system clock. */
  readonly clockSkewMs?: number;
  /** Called with errors that the client sees only as `internal_error`. */
  readonly failed: (error: Error) => void;
  /** Returns whether an error means that the companies cannot be read now. */
  readonly isUnavailable?: (error: Error) => boolean;
  /** Returns the page that a browser gets for an unknown path. If undefined, it gets the same response as a client. */
  readonly notFoundPage?: () => Omit<ApiResponse, 'status'>;
  readonly observer?: RequestObserver;
  /** Additional routes, which use the gate for keys, limits and errors. */
  readonly routes?: (app: FastifyInstance, gate: Gate) => void;
  /** Additional endpoints, with the same keys, limits and error format as the three endpoints. */
  readonly endpoints?: readonly Endpoint[];
}

/** What the service's own endpoints do with every request. */
export interface Gate {
  /** Checks the key and the limits. A rejected request gets its response immediately. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  reject(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply;
}

/**
 * Builds the three endpoints over a catalogue, in an API profile's format, with keys and limits. `/openapi.json` and
 * `/problems/{code}` need no key. The caller starts listening or routes requests to the service.
 */
export async function buildService(options: ServiceOptions): Promise<FastifyInstance> {
  const app = fastify({
    exposeHeadRoutes: false,
    requestTimeout: 60_000,
    bodyLimit: 1_024,
    routerOptions: { maxParamLength: 4_096 },
    ajv: { customOptions: { removeAdditional: false, coerceTypes: true } },
    frameworkErrors: (_error, request, reply) => {
      openContext(options, request, 'other');
      reject(options, request, reply, { code: 'request_malformed' });
    },
  });
  app.decorateRequest('requestContext', null);
  app.decorateRequest('auth', null);
  app.setNotFoundHandler((request, reply) => {
    openContext(options, request, 'other');
    const isBrowser = /\btext\/html\b/.test(request.headers.accept ?? '');
    if (isBrowser && options.notFoundPage !== undefined)
      return deliver(options, request, reply, { status: 404, ...options.notFoundPage() });
    return reject(options, request, reply, { code: 'not_found' });
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = options.isUnavailable?.(error) ? UNAVAILABLE : problemOf(error);
    if (error.statusCode === undefined && !error.validation) options.failed(error);
    return reject(options, request, reply, problem);
  });
  await app.register(swagger, DOCUMENT);
  // The OpenAPI plugin documents only routes that are added after the plugin has loaded.
  await app.register(async (api) => addRoutes(api, options));
  const gate: Gate = {
    admit: (request, reply) => admit(options, request, reply, 'other'),
    reject: (request, reply, problem) => reject(options, request, reply, problem),
  };
  await app.register(async (scope) => options.routes?.(scope, gate));
  await app.ready();
  return app;
}

declare module 'fastify' {
  interface FastifyRequest {
    requestContext: RequestContext | null;
    auth: AuthResult | null;
  }
}

const DOCUMENT: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: { title: 'Company registry', version: '1' },
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    security: [{ key: [] }],
  },
};

const OTHER_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

function addRoutes(api: FastifyInstance, options: ServiceOptions): void {
  const { catalogue, profile } = options;
  const searches = searchResponder(catalogue, profile);

  const endpoint = (
    kind: RequestKind,
    path: string,
    schema: object,
    respond: (
      request: FastifyRequest,
      reply: FastifyReply,
    ) => ApiResponse | Problem | Promise<EndpointResponse | Problem>,
  ) => {
    const [pathname = '', query = ''] = path.split('?');
    const url = pathname.replace(/:/g, '::').replace(/\{(\w+)\}/, ':$1');
    const required = [...new URLSearchParams(query)];
    api.route({
      method: 'GET',
      url,
      schema,
      onRequest: async (request, reply) => admit(options, request, reply, kind),
      handler: (request, reply) => {
        const result = missingParameter(request, required) ?? respond(request, reply);
        if (!(result instanceof Promise)) return send(options, request, reply, result);
        return result.then((settled) => send(options, request, reply, settled));
      },
    });
    api.route({
      method: [...OTHER_METHODS],
      url,
      schema: { hide: true },
      onRequest: async (request, reply) => {
        openContext(options, request, kind);
        return reject(options, request, reply, { code: 'method_not_allowed', headers: { allow: 'GET' } });
      },
      handler: () => undefined,
    });
  };

  endpoint('search', profile.paths.search, searchSchema(profile), (request) =>
    searches(request.query as Record<string, unknown>, factsOf(options, request)),
  );
  const { hasHistory } = catalogue;
  endpoint('entity', profile.paths.entity, entitySchema(profile, hasHistory), (request) =>
    recordResponse(catalogue, (request.params as { id: string }).id, {
      ifNoneMatch: request.headers['if-none-match'],
      asOf: hasHistory ? (request.query as { as_of?: string }).as_of : undefined,
    }),
  );
  for (const { path, schema, respond } of options.endpoints ?? [])
    endpoint('other', path, schema, (request, reply) => respond(endpointRequest(request, reply)));
  endpoint('stats', profile.paths.stats, statsSchema(profile), () => jsonResponse(catalogue.stats()));
  addDescriptions(api);
}

/** The delay before the response to an unknown key, so that keys cannot be tried quickly. */
const WRONG_KEY_DELAY_MS = 500;

/** Returns a problem if a request lacks a parameter that the profile's path requires. */
function missingParameter(
  { query }: FastifyRequest,
  required: readonly (readonly [name: string, value: string])[],
): Problem | null {
  const missing = required.find(([name, value]) => (query as Record<string, unknown>)[name] !== value);
  return missing === undefined
    ? null
    : { code: 'parameter_invalid', detail: `The parameter ${missing.join('=')} is missing.` };
}

function addDescriptions(api: FastifyInstance): void {
  api.get('/openapi.json', { schema: { hide: true } }, () => api.swagger());
  api.get<{ Params: { code: string } }>('/problems/:code', { schema: { hide: true } }, (request, reply) => {
    const { code } = request.params;
    if (!isProblemCode(code)) return reply.callNotFound();
    return reply.send({ code, ...PROBLEMS[code] });
  });
}

/** Checks the key and the limits before the handler runs. A rejected request gets its response immediately. */
async function admit(
  options: ServiceOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: RequestKind,
): Promise<unknown> {
  const context = openContext(options, request, kind);
  const auth = authenticate(request.headers, context.atMs, options);
  context.account = auth.account?.accountId ?? null;
  request.auth = auth;
  if (auth.problem?.code === 'credentials_invalid') await setTimeout(WRONG_KEY_DELAY_MS);
  if (auth.problem !== null) return reject(options, request, reply, auth.problem);
  await options.meter.settled();
  return undefined;
}

function openContext(options: ServiceOptions, request: FastifyRequest, kind: RequestKind): RequestContext {
  const { method, url, params, headers } = request;
  const target = kind === 'entity' ? ((params as { id?: string }).id ?? '') : url;
  const context: RequestContext = {
    atMs: options.now(),
    kind,
    method,
    url,
    target,
    headers,
    account: null,
    status: null,
  };
  request.requestContext = context;
  options.observer?.onRequest(context);
  return context;
}

function send(
  options: ServiceOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  result: EndpointResponse | Problem,
): FastifyReply | Promise<FastifyReply> {
  if ('code' in result) return reject(options, request, reply, result);
  const { status, headers, body } = result;
  if (typeof body === 'string') return deliver(options, request, reply, { status, headers, body });
  reply.hijack();
  reply.raw.writeHead(status, { ...request.auth?.headers, ...headers });
  return sendChunks(reply, body, options.failed);
}

function reject(options: ServiceOptions, request: FastifyRequest, reply: FastifyReply, problem: Problem) {
  return deliver(options, request, reply, errorResponse(options.profile, problem, pathOf(request)));
}

function deliver(
  options: ServiceOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  given: ApiResponse,
): FastifyReply {
  const { requestContext: context } = request;
  const { clockSkewMs } = options;
  const date =
    clockSkewMs === undefined ? {} : { date: httpDate((context?.atMs ?? options.now()) + clockSkewMs) };
  const response = { ...given, headers: { ...date, ...request.auth?.headers, ...given.headers } };
  if (context !== null) {
    context.status = response.status;
    if (options.observer?.onResponse(context, response, reply) === 'sent') return reply;
  }
  // The body bypasses the framework, whose serialisation and hooks would take as long as reading the record.
  reply.hijack();
  const length =
    response.status === 304 ? {} : { 'content-length': String(Buffer.byteLength(response.body)) };
  reply.raw.writeHead(response.status, { ...response.headers, ...length });
  reply.raw.end(response.body);
  return reply;
}

function problemOf(error: FastifyError): Problem {
  if (error.validation) return { code: 'parameter_invalid', detail: error.message };
  if (error.statusCode !== undefined && error.statusCode < 500) return { code: 'request_malformed' };
  return { code: 'internal_error' };
}

function factsOf(options: ServiceOptions, request: FastifyRequest): RequestFacts {
  return {
    origin: `${request.protocol}://${request.host}`,
    path: pathOf(request),
    id: request.id,
    nowMs: options.now(),
    account: request.auth?.account?.accountId ?? '',
  };
}
