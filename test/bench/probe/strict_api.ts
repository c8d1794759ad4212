import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiProfile } from '../../../src/api/api_profile.ts';
import type { Paging } from '../../../src/dialect/dialect.ts';
import { type Random, seededRandom } from '../../../src/random.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { randomProfile } from '../../support/random_profile.ts';
import type { Front } from './mirror_score.ts';
import { FORMATS, LANGUAGES, type Mistake, NAMES, sentenceOf } from './strict_messages.ts';
import { IDENTIFIER_PARAMS, OFFSET_PARAMS, PAGE_PARAMS, QUERY_PARAMS, SIZE_PARAMS } from './usual_names.ts';

/** An API that rejects unknown parameters, short queries and missing companions. It reports them in its own error format. */
export interface StrictApi {
  readonly name: string;
  readonly profile: ApiProfile;
  readonly format: string;
  readonly language: string;
  /** Whether a message about an unknown parameter lists the known parameters. */
  readonly listsAllowed: boolean;
  /** Whether a message reports all mistakes in a request or only the first mistake. */
  readonly reportsAll: boolean;
  readonly companion: { readonly name: string; readonly values: readonly string[] } | null;
  readonly companies: number;
}

const COMPANIONS = [
  { name: 'country', values: ['NL'] },
  { name: 'land', values: ['DE', 'all'] },
  { name: 'jurisdiction', values: ['gb', 'ie'] },
  { name: 'lang', values: ['en', 'fr', 'it'] },
  { name: 'recordStatus', values: ['all', 'active'] },
];

/** Returns a random strict API. The same seed always gives the same API. */
export function strictApi(seed: number): StrictApi {
  const draw = seededRandom(seed);
  const base = randomProfile(seed);
  const listsAllowed = draw.chance(0.5);
  const { dialect, search } = base;
  const profile = ApiProfile.parse({
    ...base,
    name: `strict ${seed}`,
    dialect: {
      ...dialect,
      search: {
        ...dialect.search,
        query_param: unguessed(draw, 'query', QUERY_PARAMS),
        min_length: draw.pick([1, 1, 2, 3, 3]),
        paging: pagingFor(dialect.search.paging, listsAllowed, draw),
      },
    },
    search: { ...search, unknown_params: 'ignore', too_short: 'refuse', broad_above: null },
  });
  return {
    name: `strict ${seed}`,
    profile,
    listsAllowed,
    reportsAll: draw.chance(0.5),
    format: draw.pick(Object.keys(FORMATS)),
    language: draw.pick(Object.keys(LANGUAGES)),
    companion: draw.chance(0.2) ? draw.pick(COMPANIONS) : null,
    companies: 30 + draw.below(130),
  };
}

/** Size and paging parameters have common names, unless the messages list all parameter names. */
function pagingFor(paging: Paging, listsAllowed: boolean, draw: Random): Paging {
  if (!listsAllowed) return paging;
  const size_param = paging.size_param === null ? null : unguessed(draw, 'size', SIZE_PARAMS);
  if (paging.style === 'page') return { ...paging, size_param, param: unguessed(draw, 'page', PAGE_PARAMS) };
  if (paging.style === 'offset')
    return { ...paging, size_param, param: unguessed(draw, 'offset', OFFSET_PARAMS) };
  return { ...paging, size_param };
}

function unguessed(draw: Random, kind: string, guessed: readonly string[]): string {
  const names = NAMES[kind]?.split(' ') ?? [];
  return draw.pick(names.filter((name) => !guessed.includes(name) && !IDENTIFIER_PARAMS.includes(name)));
}

/** Serves a sandbox that checks searches and words its errors as a strict API does. */
export async function startStrictFront(api: StrictApi, sandbox: Sandbox): Promise<Front> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', sandbox.url);
    const isSearch = url.pathname === api.profile.paths.search;
    const mistakes = isSearch ? mistakesIn(api, url.searchParams) : [];
    if (mistakes.length === 0) return forward(request, response, url);
    const shown = api.reportsAll ? mistakes : mistakes.slice(0, 1);
    const say = (mistake: Mistake) => sentenceOf(mistake, api.language);
    const reply = FORMATS[api.format]?.(shown, say, url.pathname);
    response.writeHead(reply?.status ?? 400, { 'content-type': reply?.type ?? '' }).end(reply?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function mistakesIn({ profile, listsAllowed, companion }: StrictApi, params: URLSearchParams): Mistake[] {
  const { query_param, identifier_param, min_length, paging } = profile.dialect.search;
  const { oversize } = profile.search;
  const pageParam = 'param' in paging ? paging.param : null;
  const linkParams = paging.style === 'next_url' || paging.style === 'link_header' ? ['after'] : [];
  const known = [query_param, companion?.name, identifier_param, pageParam, paging.size_param].filter(
    (name) => name != null,
  );
  const mistakes: Mistake[] = [];
  const query = params.get(query_param);
  if (query === null && (identifier_param === null || !params.has(identifier_param)))
    mistakes.push({ is: 'missing', name: query_param, values: null });
  if (companion !== null) {
    const value = params.get(companion.name);
    if (value === null) mistakes.push({ is: 'missing', name: companion.name, values: companion.values });
    else if (!companion.values.includes(value)) mistakes.push({ is: 'value', ...companion });
  }
  for (const name of params.keys())
    if (!known.includes(name) && !linkParams.includes(name))
      mistakes.push({ is: 'unknown', name, values: listsAllowed ? known : null });
  if (query !== null && [...query].length < min_length)
    mistakes.push({ is: 'short', name: query_param, length: min_length });
  const size = paging.size_param === null ? null : params.get(paging.size_param);
  if (size !== null && Number(size) > paging.size && oversize === 'refuse')
    mistakes.push({ is: 'large', name: paging.size_param ?? '', maximum: paging.size });
  return mistakes;
}

function forward(request: IncomingMessage, response: ServerResponse, target: URL): void {
  httpRequest(target, { method: request.method, headers: request.headers }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  })
    .on('error', () => response.writeHead(502).end())
    .end();
}
