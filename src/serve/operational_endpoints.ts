import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { isLoopback, pathOf } from '../api/http_server.ts';
import { messageOf } from '../errors.ts';
import { type Coverage, readCoverage } from '../warehouse/coverage_counts.ts';
import type { ReadableWarehouse } from './served_warehouse.ts';

export interface OperationalOptions {
  /** Whether /metrics is available. /health always is. */
  readonly hasMetrics: boolean;
  /** Whether /metrics accepts only local host names, so that no website's page can read it by DNS rebinding. */
  readonly onlyLocalHosts: boolean;
}

interface OperationalEndpoints {
  /** Counts the request. Responds to GET /health and /metrics, and then returns true. */
  handle(...request: Parameters<RequestListener>): boolean;
}

/** Opens the endpoints for operators of `serve`: GET /health for supervisors, and GET /metrics for Prometheus. */
export function openOperationalEndpoints(
  served: ReadableWarehouse,
  sourceName: string,
  { hasMetrics, onlyLocalHosts }: OperationalOptions,
): OperationalEndpoints {
  const read = (): Coverage => {
    try {
      return readCoverage(served.current().db);
    } catch (error) {
      served.doubt(error);
      throw error;
    }
  };
  const { registry, count } = openMetrics(sourceName, read);
  return {
    handle: (request, response) => {
      response.once('finish', () => count(request, response));
      const path = pathOf(request);
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (path === '/health' && isRead) {
        sendHealth(response, read);
        return true;
      }
      if (path !== '/metrics' || !isRead || !hasMetrics) return false;
      if (onlyLocalHosts && !isLoopback(request.headers.host)) {
        response.writeHead(421).end();
        return true;
      }
      void registry.metrics().then(
        (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
        () => response.writeHead(503).end(),
      );
      return true;
    },
  };
}

/** The server is healthy if it can read the warehouse. */
function sendHealth(response: ServerResponse, read: () => Coverage): void {
  let error: string | null = null;
  try {
    read();
  } catch (cause) {
    error = messageOf(cause);
  }
  response
    .writeHead(error === null ? 200 : 503, { 'content-type': 'application/json' })
    .end(`${JSON.stringify({ ok: error === null, error })}\n`);
}

function openMetrics(sourceName: string, read: () => Coverage) {
  const registry = new Registry();
  registry.setDefaultLabels({ registry: sourceName });
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1000 });
  new Gauge({
    name: 'registry_mirror_companies',
    help: 'Companies in the mirror by state: known, fetched, gone.',
    labelNames: ['state'],
    registers,
    collect() {
      const coverage = read();
      for (const state of ['known', 'fetched', 'gone'] as const) this.set({ state }, coverage[state]);
    },
  });
  const requests = new Counter({
    name: 'registry_mirror_served_requests_total',
    help: 'Requests to this server by the first part of the path and by response status.',
    labelNames: ['path', 'status'],
    registers,
  });
  const count = (request: IncomingMessage, response: ServerResponse) =>
    requests.inc({ path: firstPart(pathOf(request)), status: response.statusCode });
  return { registry, count };
}

/**
 * Returns the first part of a known path. Unknown paths share one label, so that clients cannot create labels without
 * limit.
 */
function firstPart(path: string): string {
  const part = path.split('/', 2)[1] ?? '';
  return KNOWN.has(part) ? `/${part}` : 'other';
}

const KNOWN = new Set(['', 'api', 'changes', 'export', 'health', 'metrics', 'page', 'reconcile']);
