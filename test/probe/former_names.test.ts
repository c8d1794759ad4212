import { expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { believe } from '../../src/probe/beliefs.ts';
import type { ProbeExchange, ProbeRequest } from '../../src/probe/exchange.ts';

const [CURRENT, FORMER] = ['Τρέχον Όνομα', 'Πρώην Όνομα'];
const row = (id: string, name: string, status: string) => ({ id, name, status });

function response(request: Pick<ProbeRequest, 'kind' | 'path' | 'params'>, json: Json): ProbeExchange {
  const text = JSON.stringify(json);
  return { request: { ...request, why: '' }, status: 200, headers: {}, json, text, reading: 'ok' };
}

const search = (params: ProbeRequest['params'], rows: readonly Json[]) =>
  response({ kind: 'search', path: '/companies', params }, { results: [...rows] });
const record = (id: string, names: readonly Json[]) =>
  response({ kind: 'entity', path: `/companies/${id}`, params: [] }, { id, names: [...names] });

it('the name is not sure if an id has rows with different names, and several records show the current one', () => {
  const current = ['Amber', 'Birch', 'Cedar', 'Dover', 'Ember'].map((word, index) =>
    row(`HE${100 + index}`, `${word} Trading`, CURRENT),
  );
  const former = row('HE100', 'Quartz Trading', FORMER);
  const { search: found } = believe({
    upstream: {
      base_url: 'https://r.example',
      paths: { search: '/companies', entity: '/companies/{id}' },
    },
    exchanges: [
      search([], current),
      search([['name', 'quartz']], [former]),
      search([['name', 'trading']], [...current.slice(1), former]),
      record('HE100', [
        { name: 'Quartz Trading', status: FORMER },
        { name: 'Amber Trading', status: CURRENT },
      ]),
      record('HE101', [{ name: 'Birch Trading', status: CURRENT }]),
    ],
    hints: { queryParam: 'name', examples: [] },
  });
  expect(found?.name).toMatchObject({
    certainty: 'likely',
    because: '1 id has rows with different names, such as a former one',
  });
  expect(found?.hasSeveralRows).toBe(true);
  expect(found?.record.certainty).toBe('likely');
  expect(found?.record.value?.name).toBe(`/names/[status=${CURRENT}]/name`);
});
