import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SERVICE_PAGING, type ServicePagings } from '../../src/api/paging.ts';
import { PAGING_METHODS, Paging, pagingMethod, pagingStyles } from '../../src/dialect/paging/paging.ts';
import {
  type PagingMethod,
  paramKey,
  sizeKeys,
  statusOfLinkedPages,
  styleKey,
} from '../../src/dialect/paging/paging_method.ts';
import { parseJson } from '../../src/json/json.ts';

const schema = z.strictObject({
  style: styleKey('token_header'),
  param: paramKey,
  header: z.string().describe("header that contains the next page's token"),
  ...sizeKeys,
});

/** A paging style that no other file mentions. */
const tokenHeader = {
  style: 'token_header',
  schema,
  keptHeaders: ['x-next-token'],
  requestOf: ({ param }, { next }) => ({ parameters: next === null ? {} : { [param]: next } }),
  nextPage: ({ header }, _body, headers) => headers[header] ?? null,
  statusAfter: statusOfLinkedPages,
  describe: ({ param, header }) => `The parameter ${param} takes the value of the header ${header}.`,
} satisfies PagingMethod<z.output<typeof schema>>;

test('a listing ends when the next cursor equals the first cursor', () => {
  const settings = Paging.parse({ style: 'cursor', param: 'c', next: '/next', first: '*' });
  const next = (cursor: string) =>
    pagingMethod('cursor').nextPage(settings, parseJson(`{"next":"${cursor}"}`), {});
  expect([next('*'), next('abc')]).toEqual([null, 'abc']);
});

test('an offset counts the rows received if it is known, and full pages otherwise', () => {
  const settings = Paging.parse({ style: 'offset', param: 'start', first: 1, size: 20 });
  const request = (next: string | null) => pagingMethod('offset').requestOf(settings, { index: 2, next });
  expect([request('16'), request(null)]).toEqual([
    { parameters: { start: '17' } },
    { parameters: { start: '41' } },
  ]);
});

const styles = pagingStyles([...PAGING_METHODS, tokenHeader]);
const paging = styles.schema.parse({
  style: 'token_header',
  param: 'token',
  header: 'x-next-token',
  size: 2,
});
const method = styles.methodOf(paging.style);

describe('a new paging style in the list', () => {
  test('a new paging style has its own keys in the configuration', () => {
    expect(paging).toEqual({
      style: 'token_header',
      param: 'token',
      header: 'x-next-token',
      size_param: null,
      size: 2,
      window: null,
    });
    expect(styles.schema.safeParse({ style: 'token_header', param: 'token' }).error?.issues).toMatchObject([
      { path: ['header'] },
    ]);
  });

  test('a new paging style requests pages up to the last page', () => {
    const requests: unknown[] = [];
    const listed: unknown[] = [];
    let next: string | null = null;
    for (let index = 0, status = 'open'; status === 'open'; index++) {
      const request = method.requestOf(paging, { index, next });
      requests.push(request);
      const { headers, rows } = serverResponse(request);
      listed.push(...rows);
      next = method.nextPage(paging, parseJson(JSON.stringify(rows)), headers);
      status = method.statusAfter({ isShort: rows.length < paging.size, total: null, next });
    }
    expect(listed).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(requests).toEqual([
      { parameters: {} },
      { parameters: { token: 'from-2' } },
      { parameters: { token: 'from-4' } },
    ]);
  });

  test('a new paging style lists the response headers that it reads, and describes itself', () => {
    expect(method.keptHeaders).toEqual(['x-next-token']);
    expect(method.describe(paging)).toBe('The parameter token takes the value of the header x-next-token.');
  });

  test('a new paging style does not affect the other styles', () => {
    const page = styles.schema.parse({ style: 'page', param: 'p', first: 0 });
    const request = styles.methodOf('page').requestOf(page, { index: 3, next: null });
    expect(request).toEqual({ parameters: { p: '3' } });
  });

  test('a new paging style does not compile until the service has a server side for it', () => {
    // @ts-expect-error: the service has no server side for token_header
    const halves: ServicePagings<z.output<typeof styles.schema>> = SERVICE_PAGING;
    expect(Object.keys(halves)).not.toContain('token_header');
  });
});

describe('the list of paging styles', () => {
  test('each paging style has a server side', () => {
    const listed: Paging['style'][] = PAGING_METHODS.map(({ style }) => style);
    expect(Object.keys(SERVICE_PAGING).sort()).toEqual(listed.sort());
  });

  test.each(PAGING_METHODS)(
    'the paging style $style has the same name in its schema',
    ({ style, schema }) => {
      const settings = { style, param: 'p', next: '/next' };
      const known = Object.fromEntries(
        Object.entries(settings).filter(([key]) => Object.hasOwn(schema.shape, key)),
      );
      expect(schema.parse(known).style).toBe(style);
    },
  );
});

/** A server with five rows, two on each page. */
function serverResponse(request: object): { rows: readonly string[]; headers: Record<string, string> } {
  const token = 'parameters' in request ? (request.parameters as { token?: string }).token : undefined;
  const from = Number(token?.slice('from-'.length) ?? 0);
  const rows = ['a', 'b', 'c', 'd', 'e'].slice(from, from + 2);
  return { rows, headers: from + 2 < 5 ? { 'x-next-token': `from-${from + 2}` } : {} };
}
