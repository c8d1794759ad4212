import type { IncomingMessage, ServerResponse } from 'node:http';
import { readAssets } from './assets.ts';
import { openEvents } from './events.ts';
import { documentOf } from './frame.ts';
import { html } from './html.ts';
import type { PageRequest } from './page_request.ts';
import type { PageSettings } from './page_settings.ts';
import { openPageThread } from './page_thread_pool.ts';

export interface PageOptions {
  readonly facts: PageSettings;
  /** Ids of the companies that a text finds, the best first, and how many there are. */
  readonly find: (text: string, most: number) => { readonly total: number; readonly ids: readonly string[] };
  /** Another value says that the mirror changed. */
  readonly version: () => unknown;
  /** Only requests that name this machine as their host are answered: a page of another site must not read it. */
  readonly onlyLocalHosts: boolean;
  readonly now: () => number;
  readonly failed: (error: Error) => void;
}

/** The status page: everything under `/page/`, and `/` itself. It shows, and changes nothing. */
export interface Page {
  /** Answers what is the page's, and says whether it was. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  close(): Promise<void>;
}

export function openPage(options: PageOptions): Page {
  const { facts, find, failed } = options;
  const assets = readAssets();
  const events = openEvents(options.version);
  const thread = openPageThread(facts, options.now);

  const answer = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const refusal = refusalOf(request, options);
    if (refusal !== null)
      return end(response, refusal.status, messagePage(facts, refusal.words), refusal.headers);
    const asset = assets.get(url.pathname);
    if (asset !== undefined) {
      const isKnown = request.headers['if-none-match'] === asset.etag;
      const headers = { 'content-type': asset.type, etag: asset.etag, 'cache-control': 'no-cache' };
      return end(response, isKnown ? 304 : 200, isKnown ? '' : asset.body, headers);
    }
    if (url.pathname === '/page/events') {
      response.writeHead(200, {
        ...SAFETY,
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
      });
      if (!events.open(response)) response.end();
      return;
    }
    const ask = askFor(url, find);
    const document = ask === null ? null : await thread.draw(ask);
    if (document === null)
      return end(response, 404, messagePage(facts, 'There is no such page, or company.'));
    end(response, 200, document);
  };

  return {
    answer(request, response) {
      const url = urlOf(request);
      if (url === null || (url.pathname !== '/' && !url.pathname.startsWith('/page/'))) return false;
      answer(request, response, url).catch((error: Error) => {
        failed(error);
        if (!response.headersSent)
          end(response, 500, messagePage(facts, 'The page could not be made; the log of `serve` says why.'));
      });
      return true;
    },
    async close() {
      events.close();
      await thread.close();
    },
  };
}

function askFor(url: URL, find: PageOptions['find']): PageRequest | null {
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
  const query = (searchParams.get('q') ?? '').trim().slice(0, LONGEST_QUERY);
  return { page: 'search', query, ...(query === '' ? { total: 0, ids: [] } : find(query, MOST_FOUND)) };
}

function refusalOf({ method, headers }: IncomingMessage, { onlyLocalHosts }: PageOptions) {
  if (onlyLocalHosts && !LOCAL_HOST.test(headers.host ?? ''))
    return {
      status: 421,
      words: 'This page answers to the names of its own machine alone: open it by its address.',
      headers: {},
    };
  if (method !== 'GET' && method !== 'HEAD')
    return { status: 405, words: 'This page can only be read.', headers: { allow: 'GET, HEAD' } };
  return null;
}

function messagePage(facts: PageSettings, words: string): string {
  const { source, schedule } = facts;
  const main = html`<h1>${words}</h1><p><a href="/">To the overview</a></p>`;
  return documentOf({ title: words, source, zone: schedule.timezone, query: '', top: null, main });
}

function end(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    ...SAFETY,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    ...(status === 304 ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** null: it is not for the page. Told from the first letters, because every request of every client passes here. */
function urlOf({ url = '/' }: IncomingMessage): URL | null {
  if (url !== '/' && !url.startsWith('/?') && !url.startsWith('/page/')) return null;
  // The base only fills what is missing; its host is never looked at.
  return URL.parse(url, 'http://page');
}

const SAFETY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
const LONGEST_QUERY = 200;
const MOST_FOUND = 25;
