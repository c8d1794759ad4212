import type { IncomingMessage, ServerResponse } from 'node:http';
import { readAssets } from './assets.ts';
import { openEvents } from './events.ts';
import { documentOf } from './frame.ts';
import { html } from './html.ts';
import type { PageRequest } from './page_request.ts';
import type { PageSettings } from './page_settings.ts';
import { openPageThread } from './page_thread_client.ts';

export interface PageOptions {
  readonly settings: PageSettings;
  /** Returns the number of companies that match a query, and the ids of the best matches, at most `limit`. */
  readonly find: (
    query: string,
    limit: number,
  ) => { readonly total: number; readonly ids: readonly string[] };
  /** Returns another value after each change of the mirror. */
  readonly version: () => unknown;
  /** Reject requests whose host name is not local, so that a page of another site cannot read this one. */
  readonly onlyLocalHosts: boolean;
  readonly now: () => number;
  /** Receives errors that a browser sees only as status 500. */
  readonly failed: (error: Error) => void;
}

/** The status page: `/` and all paths under `/page/`. It is read-only. */
export interface Page {
  /** Responds if the path belongs to the page. Returns false for other paths, without a response. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  close(): Promise<void>;
}

export function openPage(options: PageOptions): Page {
  const { settings, find, failed } = options;
  const assets = readAssets();
  const events = openEvents(options.version);
  const thread = openPageThread(settings, options.now);

  const respond = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const rejection = rejectionOf(request, options);
    if (rejection !== null)
      return end(response, rejection.status, messagePage(settings, rejection.message), rejection.headers);
    const asset = assets.get(url.pathname);
    if (asset !== undefined) {
      const isUnchanged = request.headers['if-none-match'] === asset.etag;
      const headers = { 'content-type': asset.type, etag: asset.etag, 'cache-control': 'no-cache' };
      return end(response, isUnchanged ? 304 : 200, isUnchanged ? '' : asset.body, headers);
    }
    if (url.pathname === '/page/events') {
      response.writeHead(200, {
        ...SECURITY_HEADERS,
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
      });
      // A HEAD request has no body, so its response ends.
      if (request.method === 'HEAD' || !events.open(response)) response.end();
      return;
    }
    const pageRequest = pageRequestOf(url, find);
    const document = pageRequest === null ? null : await thread.draw(pageRequest);
    if (document === null)
      return end(response, 404, messagePage(settings, 'This page or company does not exist.'));
    end(response, 200, document);
  };

  return {
    handle(request, response) {
      const url = urlOf(request);
      if (url === null || (url.pathname !== '/' && !url.pathname.startsWith('/page/'))) return false;
      respond(request, response, url).catch((error: Error) => {
        failed(error);
        if (!response.headersSent)
          end(response, 500, messagePage(settings, 'The page could not be drawn. See the log of `serve`.'));
      });
      return true;
    },
    async close() {
      events.close();
      await thread.close();
    },
  };
}

function pageRequestOf(url: URL, find: PageOptions['find']): PageRequest | null {
  const { pathname, searchParams } = url;
  if (pathname === '/') return { page: 'overview' };
  if (pathname === '/page/company') {
    const versionId = Number(searchParams.get('version') ?? Number.NaN);
    return {
      page: 'company',
      entityId: searchParams.get('id') ?? '',
      versionId: Number.isSafeInteger(versionId) ? versionId : null,
    };
  }
  if (pathname !== '/page/search') return null;
  const query = (searchParams.get('q') ?? '').trim().slice(0, MAX_QUERY_CHARACTERS);
  return { page: 'search', query, ...(query === '' ? { total: 0, ids: [] } : find(query, MAX_FOUND)) };
}

function rejectionOf({ method, headers }: IncomingMessage, { onlyLocalHosts }: PageOptions) {
  if (onlyLocalHosts && !LOCAL_HOST.test(headers.host ?? ''))
    return {
      status: 421,
      message:
        'This page is available only under a local host name. Open it as http://localhost or http://127.0.0.1.',
      headers: {},
    };
  if (method !== 'GET' && method !== 'HEAD')
    return { status: 405, message: 'This page is read-only.', headers: { allow: 'GET, HEAD' } };
  return null;
}

function messagePage(settings: PageSettings, message: string): string {
  const { source, schedule } = settings;
  const main = html`<h1>${message}</h1><p><a href="/">To the overview</a></p>`;
  return documentOf({ title: message, source, zone: schedule.timezone, query: '', top: null, main });
}

function end(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    ...(status === 304 ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** Returns null for a path of the endpoints. It checks only a prefix, because each request to `serve` passes here. */
function urlOf({ url = '/' }: IncomingMessage): URL | null {
  if (url !== '/' && !url.startsWith('/?') && !url.startsWith('/page/')) return null;
  // `parse` requires a base; its host is not used.
  return URL.parse(url, 'http://page');
}

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
const MAX_QUERY_CHARACTERS = 200;
const MAX_FOUND = 25;
