import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifySchema,
  type RouteHandler,
} from 'fastify';
import { DateTime } from 'luxon';
import { MirrorError } from '../errors.ts';
import { type AdmissionOptions, admit } from './admission.ts';
import type { Catalogue } from './catalogue.ts';
import {
  type ApiProblem,
  type ErrorPage,
  isProblemCode,
  PROBLEMS,
  RejectedRequest,
  sendProblem,
} from './problems.ts';
import { entitySchema, JSON_TYPE, searchSchema, statsSchema } from './route_schemas.ts';
import { searchResponder } from './search.ts';

interface ServiceOptions extends AdmissionOptions {
  /** Returns the companies. Throws MirrorError while they cannot be read. */
  readonly catalogue: () => Catalogue;
  /** Whether clients can request a record as it was known at a time. */
  readonly hasHistory: boolean;
  /** Called with errors that the client sees only as `internal_error`. */
  readonly failed: (error: Error) => void;
  /** Returns whether an error means that the companies cannot be read now. */
  readonly isUnavailable?: (error: Error) => boolean;
  /** Returns the page that a browser gets for an unknown path. If there is none, it gets the same response as a client. */
  readonly notFoundPage?: () => ErrorPage | null;
  /** Adds hooks that see every request before its key is checked. */
  readonly observe?: (app: FastifyInstance) => void;
  /** Adds GET endpoints with the same keys, limits and errors as the three endpoints. */
  readonly endpoints?: (app: FastifyInstance) => void;
  /** Adds routes that check keys themselves. */
  readonly routes?: (app: FastifyInstance) => void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint that a request is for. */
    kind?: 'search' | 'entity' | 'stats';
  }
}

/**
 * Builds the three endpoints over a catalogue, in an API profile's format, with keys and limits. `/openapi.json` and
 * `/problems/{code}` need no key. The caller starts listening or routes requests to the service.
 */
export async function buildService(options: ServiceOptions): Promise<FastifyInstance> {
  const { profile, observe, endpoints, routes, notFoundPage } = options;
  const app = fastify({
    exposeHeadRoutes: false,
    requestTimeout: 60_000,
    bodyLimit: 1_024,
    routerOptions: { maxParamLength: 4_096 },
    ajv: { customOptions: { removeAdditional: false, coerceTypes: true } },
    frameworkErrors: (_error, _request, reply) => {
      sendProblem(reply, profile, { code: 'request_malformed' });
    },
  });
  app.decorateRequest('account', null);
  observe?.(app);
  app.addHook('onRequest', async () => void options.catalogue());
  app.setNotFoundHandler((request, reply) => {
    const isBrowser = /\btext\/html\b/.test(request.headers.accept ?? '');
    const page = isBrowser ? (notFoundPage?.() ?? null) : null;
    if (page === null) return sendProblem(reply, profile, { code: 'not_found' });
    return reply.code(404).headers(page.headers).send(page.body);
  });
  app.setErrorHandler((error: FastifyError, _request, reply) =>
    sendProblem(reply, profile, problemOf(error, options)),
  );
  await app.register(swagger, DOCUMENT);
  // The OpenAPI plugin documents only routes that are added after the plugin has loaded.
  await app.register(async (api) => {
    addOtherMethods(api);
    api.addHook('onRequest', async (request, reply) => {
      if (request.method !== 'GET')
        throw new RejectedRequest({ code: 'method_not_allowed', headers: { allow: 'GET' } });
      await admit(options, request, reply);
    });
    addEndpoints(api, options);
    endpoints?.(api);
  });
  await app.register(async (scope) => addDescriptions(scope));
  await app.register(async (scope) => routes?.(scope));
  await app.ready();
  return app;
}

const DOCUMENT: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: { title: 'Company registry', version: '1' },
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    security: [{ key: [] }],
  },
};

/** Adds the other methods to every path, so that the response to them is 405 instead of 404. */
function addOtherMethods(api: FastifyInstance): void {
  api.addHook('onRoute', ({ method, url }) => {
    if (method !== 'GET') return;
    const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
    api.route({ method: methods, url, schema: { hide: true }, handler: () => undefined });
  });
}

function addEndpoints(api: FastifyInstance, { catalogue, profile, hasHistory, now }: ServiceOptions): void {
  const get = (kind: keyof typeof profile.paths, schema: FastifySchema, handler: RouteHandler) => {
    const [path = ''] = profile.paths[kind].split('?');
    const url = path.replace(/:/g, '::').replace(/\{(\w+)\}/, ':$1');
    api.get(url, { schema, config: { kind } }, handler);
  };
  const search = searchResponder(profile);
  get('search', searchSchema(profile), (request, reply) => {
    const { headers, body } = search(catalogue(), request, now());
    return reply.type(JSON_TYPE).headers(headers).send(body);
  });
  get('entity', entitySchema(profile, hasHistory), ({ params, query, headers: sent }, reply) => {
    const { as_of: asOf } = query as { as_of?: string };
    const atMs = asOf === undefined || !hasHistory ? null : timeOf(asOf);
    const { text, headers = {} } = catalogue().record((params as { id: string }).id, atMs);
    reply.headers(headers);
    if (isNotModified(headers.etag, sent['if-none-match'])) return reply.code(304).send();
    return reply.type(JSON_TYPE).send(text);
  });
  get('stats', statsSchema(profile), (_request, reply) => reply.type(JSON_TYPE).send(catalogue().stats()));
}

function addDescriptions(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
  app.get<{ Params: { code: string } }>('/problems/:code', { schema: { hide: true } }, (request, reply) => {
    const { code } = request.params;
    if (!isProblemCode(code)) return reply.callNotFound();
    return reply.send({ code, ...PROBLEMS[code] });
  });
}

function problemOf(error: FastifyError, { isUnavailable, failed }: ServiceOptions): ApiProblem {
  if (error instanceof RejectedRequest) return error.problem;
  if (error.validation) return { code: 'parameter_invalid', detail: error.message };
  if (error.statusCode !== undefined && error.statusCode < 500) return { code: 'request_malformed' };
  if (error instanceof MirrorError)
    return { code: 'mirror_unavailable', detail: error.message, headers: { 'retry-after': '5' } };
  failed(error);
  if (isUnavailable?.(error)) return { code: 'mirror_unavailable', headers: { 'retry-after': '5' } };
  return { code: 'internal_error' };
}

/**
 * Parses the parameter `as_of` and returns epoch milliseconds.
 *
 * @throws RejectedRequest if the text is neither a date nor a time with a time zone.
 */
function timeOf(text: string): number {
  // Date.parse accepts 30 February as 2 March.
  const isDay = DateTime.fromISO(text.slice(0, 10)).isValid;
  if (isDay && /^\d{4}-\d{2}-\d{2}$/.test(text)) return Date.parse(`${text}T23:59:59.999Z`);
  const atMs = isDay && TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs)) throw new RejectedRequest({ code: 'parameter_invalid', detail: AS_OF_FORM });
  return atMs;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const AS_OF_FORM =
  'as_of must be a date (2026-03-31: the end of that day in UTC) or a time with a time zone (2026-03-31T12:00:00Z).';

/** Compares entity tags by weak comparison (RFC 9110, section 13.1.2). */
function isNotModified(etag: string | undefined, ifNoneMatch: string | undefined): boolean {
  if (etag === undefined || ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag.replace(/^W\//, ''));
}
