import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import type { Param, ProbeExchange } from '../../src/probe/exchange.ts';
import { judgeTrials, likelyHalf } from '../../src/probe/trials.ts';

const NOTHING = { message: 'At least one search parameter is required' };
const ROWS = ['Amber Ltd', 'Birch Ltd', 'Cedar Ltd'].map((name, index) => ({ id: index + 10, name }));

function search(params: readonly Param[], status: number, json: Json): ProbeExchange {
  const request = { kind: 'search', path: '/search', params, why: '' } as const;
  const reading = status === 200 ? 'ok' : 'refused';
  return { request, status, json, headers: {}, text: JSON.stringify(json), reading };
}

const judge = (searches: readonly ProbeExchange[], isLenient = true) =>
  judgeTrials(searches, '/results', { required: [], isLenient });

describe('a group of parameters', () => {
  it('a group has an effect if the API refuses only searches without it', () => {
    const group: Param[] = [
      ['q', 'limited'],
      ['fullName', 'group'],
    ];
    const bare = search([], 400, NOTHING);
    const accepted = search([...group, ['size', '19']], 200, { results: [] });
    const { group: found } = judge([bare, accepted]);
    expect(found?.suspects.map(({ param }) => param)).toEqual(group);
    expect(found?.others).toEqual([['size', '19']]);
    const half = search([['q', 'limited']], 400, NOTHING);
    const left = judge([bare, accepted, half]);
    expect(left.group?.suspects.map(({ param }) => param[0])).toEqual(['fullName']);
    expect([...left.ineffective]).toEqual(['q']);
  });

  it('a part that finds nothing is excluded if the group found companies', () => {
    const group = ['q', 'query', 'keyword'].map((name): Param => [name, 'amber']);
    const nothing = { results: null };
    const searches = [search([], 200, nothing), search(group, 200, { results: ROWS })];
    const half = search(group.slice(0, 2), 200, nothing);
    const { ineffective, group: left } = judge([...searches, half]);
    expect([...ineffective]).toEqual(['q', 'query']);
    expect(left?.suspects.map(({ param }) => param[0])).toEqual(['keyword']);
  });

  it('a group that finds companies has an effect if a search without parameters is not found', () => {
    const bare: ProbeExchange = { ...search([], 200, NOTHING), status: 404, reading: 'absent' };
    const { group } = judge([
      bare,
      search(
        [
          ['q', 'amber'],
          ['org', 'amber'],
        ],
        200,
        { results: ROWS },
      ),
    ]);
    expect(group?.suspects.map(({ param }) => param[0])).toEqual(['q', 'org']);
  });

  it('a short value that changes nothing shows nothing, because the API may ignore short values', () => {
    const { ineffective } = judge([search([], 400, NOTHING), search([['q', 'co']], 400, NOTHING)]);
    expect([...ineffective]).toEqual([]);
  });

  it('a refused group shows nothing while the API may be strict', () => {
    const group: Param[] = [
      ['q', 'limited'],
      ['name', 'company'],
    ];
    const searches = [search([], 400, NOTHING), search(group, 400, NOTHING)];
    expect([...judge(searches, false).ineffective]).toEqual([]);
    expect([...judge(searches, true).ineffective]).toEqual(['q', 'name']);
    const alone = [search([], 400, NOTHING), search([['q', 'limited']], 400, NOTHING)];
    expect([...judge(alone, false).ineffective]).toEqual(['q']);
  });

  it('a refusal shows nothing if the request has a parameter that was never accepted', () => {
    const sized: Param[] = [
      ['q', 'limited'],
      ['size', '1000'],
    ];
    const searches = [search([], 400, NOTHING), search(sized, 400, NOTHING)];
    expect([...judge(searches).ineffective]).toEqual([]);
  });

  it('a parameter is ineffective if the rows are the same as without it and do not match it', () => {
    const bare = search([], 200, { results: ROWS });
    const ignored = search([['name', 'Granite']], 200, { results: ROWS });
    const matching = search([['q', 'Ltd']], 200, { results: ROWS });
    const { ineffective } = judge([bare, ignored, matching]);
    expect([...ineffective]).toEqual(['name']);
  });

  it('half of a group is about half as likely as the group', () => {
    const suspects = Array.from({ length: 12 }, (_, rank) => ({
      param: [`p${rank}`, ''] as const,
      weight: 1 / (rank + 2),
    }));
    expect(likelyHalf(suspects)).toHaveLength(3);
    expect(likelyHalf(suspects.slice(0, 1))).toHaveLength(1);
  });
});
