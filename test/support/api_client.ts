import type { Call } from '../../src/call.ts';
import { classify } from '../../src/dialect/classify.ts';
import { endpointsOf, UnwritableUrl, urlOf } from '../../src/dialect/request.ts';
import { type Json, parseJson } from '../../src/json/json.ts';
import type { Verdict } from '../../src/outcome.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json | undefined;
}

/** Sends an HTTP request without following redirects. `path` is absolute. */
export async function ask(
  sandbox: Sandbox,
  path: string,
  options: RequestInit = {},
  account = 'main',
): Promise<Reply> {
  return await askWith(sandbox.keyOf(account), sandbox.url + path, options);
}

export async function askWith(key: string, url: string, options: RequestInit = {}): Promise<Reply> {
  const headers = { authorization: `Bearer ${key}`, ...options.headers };
  const response = await fetch(url, { redirect: 'manual', ...options, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: jsonOf(text) };
}

/** Makes a call as the mirror would, with the sandbox's dialect. */
export async function askBy(sandbox: Sandbox, call: Call): Promise<Verdict> {
  const endpoints = endpointsOf({ base_url: sandbox.baseUrl, paths: sandbox.paths });
  const url = urlOf(endpoints, sandbox.dialect, call);
  if (url instanceof UnwritableUrl) throw new Error(url.why);
  const response = await fetch(url, { headers: { authorization: `Bearer ${sandbox.keyOf('main')}` } });
  const body = Buffer.from(await response.arrayBuffer());
  const reply = { status: response.status, headers: Object.fromEntries(response.headers), body };
  return classify(sandbox.dialect, call, reply, { nowMs: Date.now(), keyHasWorked: true });
}

const planned = { reason: 'test', expected: 1 };

export const statsCall = (): Call => ({ kind: 'stats', ...planned });

export const entityCall = (entityId: string): Call => ({ kind: 'entity', entityId, ...planned });

export const searchCall = (
  text: string,
  by: 'name' | 'identifier' = 'name',
  page: { index: number; next: string | null } = { index: 0, next: null },
): Call => ({ kind: 'search', query: { by, text }, page, ...planned });

function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
