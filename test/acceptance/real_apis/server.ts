// Stand-ins for public registry APIs. Each file in this folder describes one API with `standIn`, and this file gives
// them synthetic companies, matching rules and an HTTP server on 127.0.0.1.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Company, type Locale, synthesize } from './companies.ts';

export interface StandIn {
  readonly name: string;
  start(options: { readonly key: string }): Promise<RunningStandIn>;
}

export interface RunningStandIn {
  readonly baseUrl: string;
  readonly hints: Hints;
  /** The companies that a complete copy has, with the ids that open their records. */
  readonly entities: readonly Entity[];
  close(): Promise<void>;
}

/** The facts that a user writes by hand before any request. */
export interface Hints {
  readonly paths: { readonly search: string; readonly entity: string; readonly stats?: string };
  /** The header of the key, with its format if that is not the bare key. Without it: `Authorization: Bearer {key}`. */
  readonly key_header?: string;
  /** The parameter of a query, if the query is part of an expression: `search=registration.name:{query}`. */
  readonly query?: string;
}

export interface Entity {
  readonly id: string;
  readonly name: string;
}

/** A request that has a valid key. */
export interface Call<Row> {
  readonly path: string;
  readonly params: URLSearchParams;
  readonly url: URL;
  readonly rows: readonly Row[];
  readonly cap: number;
  /** Returns the URL of the same request with other parameters. */
  link(params: Readonly<Record<string, string | number>>): string;
}

export interface Reply {
  readonly status?: number;
  /** Sent as JSON. A string is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Definition<Row extends Entity> {
  readonly name: string;
  readonly locale: Locale;
  /** Number of companies. */
  readonly rows: number;
  /** Rows of a query that paging reaches. */
  readonly cap: number;
  readonly hints: Hints;
  /** Header and value of a valid key, in lower case. Without it: a bearer token. */
  readonly credential?: (key: string) => readonly [header: string, value: string];
  readonly unauthorized?: Reply;
  readonly notFound?: Reply;
  readonly record: (company: Company) => Row;
  readonly reply: (call: Call<Row>) => Reply | null;
}

/** Each start serves the same companies. */
const SEED = 7;

export function standIn<Row extends Entity>(definition: Definition<Row>): StandIn {
  return {
    name: definition.name,
    async start({ key }) {
      const { rows, cap } = definition;
      const records = synthesize(definition.locale, rows, SEED).map(definition.record);
      const server = createServer((request, response) => {
        const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
        const reply = replyTo(definition, records, cap, url, request.headers, key);
        const isText = typeof reply.body === 'string';
        response.writeHead(reply.status ?? 200, {
          'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
          ...reply.headers,
        });
        response.end(isText ? reply.body : JSON.stringify(reply.body));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return {
        baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        hints: definition.hints,
        entities: records.map(({ id, name }) => ({ id, name })),
        close: () => closeServer(server),
      };
    },
  };
}

/** Returns the whole number in a parameter: the default if the parameter is absent or empty, NaN if it is no number. */
export function whole(params: URLSearchParams, name: string, otherwise: number): number {
  const value = params.get(name) ?? '';
  if (value === '') return otherwise;
  return /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
}

/** Returns the parameters that an API does not know. */
export function unknownParams(params: URLSearchParams, known: readonly string[]): string[] {
  return [...new Set(params.keys())].filter((name) => !known.includes(name));
}

/** Returns a number of the given length that differs for each index and does not follow the order of the companies. */
export function digits(index: number, length: number, salt = 1): string {
  const first = 10n ** BigInt(length - 1);
  const step = 7_368_787_131_419n;
  return String(first + ((BigInt(index) * step + BigInt(salt) * 104_729n) % (9n * first)));
}

/** Returns letters and digits that differ for each index. */
export function code(index: number, length: number, alphabet: string, salt = 1): string {
  let value = BigInt(index + 1) * 2_654_435_761n + BigInt(salt) * 40_503n;
  let text = '';
  while (text.length < length) {
    text += alphabet[Number(value % BigInt(alphabet.length))];
    value = value / BigInt(alphabet.length) + BigInt(text.length) * 97n;
  }
  return text;
}

/** Removes diacritics and case. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

export function wordsOf(text: string): string[] {
  return fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

export function hasPrefix(query: string, text: string): boolean {
  return fold(text).startsWith(fold(query));
}

export function hasSubstring(query: string, text: string): boolean {
  return fold(text).includes(fold(query));
}

/** Each word of the query is a word of the text. */
export function hasWords(query: string, text: string): boolean {
  const words = wordsOf(text);
  const wanted = wordsOf(query);
  return wanted.length > 0 && wanted.every((word) => words.includes(word));
}

/** Each word of the query starts a word of the text. */
export function hasWordPrefixes(query: string, text: string): boolean {
  const words = wordsOf(text);
  const wanted = wordsOf(query);
  return wanted.length > 0 && wanted.every((prefix) => words.some((word) => word.startsWith(prefix)));
}

function replyTo<Row extends Entity>(
  definition: Definition<Row>,
  rows: readonly Row[],
  cap: number,
  url: URL,
  headers: IncomingHttpHeaders,
  key: string,
): Reply {
  const [header, value] = definition.credential?.(key) ?? ['authorization', `Bearer ${key}`];
  if (headers[header] !== value) {
    return definition.unauthorized ?? { status: 401, body: { message: 'Unauthorized' } };
  }
  const link = (params: Readonly<Record<string, string | number>>) => {
    const target = new URL(url);
    for (const [name, text] of Object.entries(params)) target.searchParams.set(name, String(text));
    return target.href;
  };
  const call = { path: safeDecode(url.pathname), params: url.searchParams, url, rows, cap, link };
  const notFound = definition.notFound ?? { status: 404, body: { message: 'Not Found' } };
  return definition.reply(call) ?? notFound;
}

function safeDecode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
