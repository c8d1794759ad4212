import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isLoopback } from '../api/http_server.ts';
import type { Config } from '../config/config.ts';
import { MirrorError } from '../errors.ts';
import { HEALTH_WORDS, type HealthState } from '../report/health.ts';
import { Documents, type PageWarehouse, ParameterError, zoneOf } from './documents.ts';
import type { PageContext } from './frame.ts';
import { pageDocument } from './frame.ts';
import { html } from './html.ts';
import { timesIn } from './page_figures.ts';
import { remedyOf } from './section/summary.ts';

interface PageOptions {
  readonly config: Config;
  /** If true, requests without a local host name are rejected, so that another website cannot read this page. */
  readonly onlyLocalHosts: boolean;
  readonly now: () => number;
  /** Called with each error that the browser sees only as status 500. */
  readonly failed: (error: Error) => void;
}

/** The status page: `/` and all paths under `/page/`. It is read-only. */
export class Page {
  readonly #options: PageOptions;
  readonly #assets = readAssets();
  readonly #documents: Documents;

  constructor(options: PageOptions) {
    this.#options = options;
    this.#documents = new Documents(options);
  }

  /** Responds if the path belongs to the page. Returns false without a response for other paths. */
  handle(request: IncomingMessage, response: ServerResponse, warehouse: PageWarehouse): boolean {
    const url = urlOf(request);
    if (url === null || (url.pathname !== '/' && !url.pathname.startsWith('/page/'))) return false;
    void sendReply(response, this.#replyTo(request, url, warehouse)).catch(this.#options.failed);
    return true;
  }

  /** Returns the page for an unknown path of the server. */
  notFound(): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
    return {
      headers: { ...SECURITY_HEADERS, 'content-type': 'text/html; charset=utf-8' },
      body: messagePage(this.#options.config, 'This address does not exist.'),
    };
  }

  #replyTo(request: IncomingMessage, url: URL, warehouse: PageWarehouse): Reply {
    const { config, failed } = this.#options;
    try {
      return this.#documentOf(request, url, warehouse);
    } catch (error) {
      if (error instanceof ParameterError) return { status: 400, body: messagePage(config, error.message) };
      failed(error as Error);
      return error instanceof MirrorError
        ? { status: 503, body: faultPage(config, error) }
        : { status: 500, body: messagePage(config, NOT_DRAWN) };
    }
  }

  #documentOf(request: IncomingMessage, url: URL, warehouse: PageWarehouse): Reply {
    const { config } = this.#options;
    const rejection = rejectionOf(request, this.#options);
    if (rejection !== null) return { ...rejection, body: messagePage(config, rejection.message) };
    const asset = this.#assets.get(url.pathname);
    if (asset !== undefined) return { status: 200, ...asset };
    const zone = zoneOf(request.headers.cookie, config.schedule.timezone);
    const document = this.#documents.draw(url, zone, warehouse);
    if (document === null) return { status: 404, body: messagePage(config, NOT_FOUND) };
    const { body, type, fileName } = document;
    const headers =
      fileName === undefined ? {} : { 'content-disposition': `attachment; filename="${fileName}"` };
    return { status: 200, body, type, headers };
  }
}

function rejectionOf({ method, headers }: IncomingMessage, { onlyLocalHosts }: PageOptions) {
  if (onlyLocalHosts && !isLoopback(headers.host))
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

/** Pages without figures show the schedule's time zone. */
function contextOf(config: Config): PageContext {
  return { config, times: timesIn(config.schedule.timezone, 0) };
}

function messagePage(config: Config, title: string): string {
  const main = html`<h1>${title}</h1><p><a href="/">Back to the overview</a></p>`;
  return pageDocument(contextOf(config), { title, main }).body;
}

/** Shows why a file cannot be read, and the remedy. */
function faultPage(config: Config, { message, hint }: MirrorError): string {
  const title = `${HEALTH_WORDS.needs_you}: ${message}`;
  const main = html`<h1>${title}</h1>${hint !== null && remedyOf(hint)}`;
  return pageDocument(contextOf(config), { title, icon: 'needs_you', main }).body;
}

/**
 * Returns the request's URL, or null if the path is not the page's. Only the path's prefix is checked, because this
 * runs for every request to `serve`.
 */
function urlOf({ url = '/' }: IncomingMessage): URL | null {
  if (url !== '/' && !url.startsWith('/?') && !url.startsWith('/page/')) return null;
  // `parse` requires a base, but its host is not used.
  return URL.parse(url, 'http://page');
}

const NOT_FOUND = 'This page, company, run or quarantine entry does not exist.';
const NOT_DRAWN = 'The page could not be drawn. See the log of `serve`.';

interface Reply {
  readonly status: number;
  readonly body: string | Buffer;
  /** The content type. The default is HTML. */
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a reply, compressed if the browser accepts gzip, or 304 without a body if the browser has cached the same body. */
async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  const { status, body, type = 'text/html; charset=utf-8', headers = {} } = reply;
  const etag = `"${hash('sha256', body).slice(0, 20)}"`;
  const shared = { ...SECURITY_HEADERS, etag, 'cache-control': 'private, no-cache', ...headers };
  const { headers: asked, method } = response.req;
  if (status === 200 && asked['if-none-match']?.includes(etag) === true) {
    response.writeHead(304, shared).end();
    return;
  }
  const acceptsGzip = /\bgzip\b(?!;\s*q=0(\.0+)?(,|$))/.test(String(asked['accept-encoding'] ?? ''));
  const isLarge = Buffer.byteLength(body) > MIN_COMPRESSED_BYTES;
  const sent = acceptsGzip && isLarge ? await compressed(body) : Buffer.from(body);
  response.writeHead(status, {
    ...shared,
    'content-type': type,
    'content-length': String(sent.length),
    vary: 'accept-encoding, cookie',
    ...(acceptsGzip && isLarge ? { 'content-encoding': 'gzip' } : {}),
  });
  response.end(method === 'HEAD' ? undefined : sent);
}

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const compressed = promisify<string | Buffer, Buffer>(gzip);
const MIN_COMPRESSED_BYTES = 1_000;

/** A static file that the page uses. */
interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

/** Reads the static files, of which some belong to packages. The keys are their URL paths. */
function readAssets(): ReadonlyMap<string, Asset> {
  const own = (name: string) => readFileSync(join(import.meta.dirname, 'assets', name));
  const require = createRequire(import.meta.url);
  const css = 'text/css; charset=utf-8';
  const js = 'text/javascript; charset=utf-8';
  const icon = own('icon.svg').toString();
  return new Map([
    ['/page/simple.css', { type: css, body: readFileSync(require.resolve('simpledotcss/simple.min.css')) }],
    ['/page/page.css', { type: css, body: own('page.css') }],
    [
      '/page/idiomorph.js',
      { type: js, body: readFileSync(require.resolve('idiomorph/dist/idiomorph.esm.js')) },
    ],
    ['/page/page.js', { type: js, body: own('page.js') }],
    ...Object.entries(ICON_COLOURS).map(([state, colour]) => {
      const body = Buffer.from(icon.replace('#0b5f63', colour));
      return [`/page/icon-${state}.svg`, { type: 'image/svg+xml', body }] as const;
    }),
  ]);
}

/** The favicon's colour for each health state. */
const ICON_COLOURS: Readonly<Record<HealthState, string>> = {
  needs_you: '#b3261e',
  working: '#2b5fa8',
  waiting: '#8a5f00',
  empty: '#566064',
  healthy: '#0b5f63',
};
