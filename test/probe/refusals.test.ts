import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/probe/evidence.ts';
import { minLengthByRefusals, softError, softRule, softRuleOf } from '../../src/probe/refusals.ts';
import { searchExchange } from '../support/probe_exchanges.ts';

const REFUSED = { success: false, errorCode: 'E102', message: 'Parameter name is too short' };

describe('an error sent with a success status', () => {
  it.each([
    [REFUSED, '/success', 'false'],
    [{ status: 'error', message: 'Too short' }, '/status', 'error'],
    [{ errorCode: 'E102', message: 'Too short' }, '/errorCode', 'E102'],
    [{ error: { text: 'Too short' } }, '/error/text', 'Too short'],
  ])('an error with a success status is recognised in %j', (body, at, text) => {
    expect(softError(body)).toEqual({ at, text });
  });

  it.each([
    { success: true, errorCode: 0, items: [] },
    { status: 'ok', error: null, total: 0 },
    { status: 'active', name: 'Acme Limited' },
    { success: false, items: [{ id: '1' }] },
  ])('no error with a success status is assumed in %j', (body) => {
    expect(softError(body)).toBeNull();
  });

  it('the rule for an error with a success status compares the flag if good responses contain it too', () => {
    const good = [searchExchange({ success: true, items: [{ id: '1' }] })];
    const rule = { kind: 'search', status: 200, at: '/success', is: 'false' };
    expect(softRule([searchExchange(REFUSED)], good)).toEqual({ ...rule, means: 'refused' });
    expect(softRuleOf(searchExchange(REFUSED), good, 'absent')).toEqual({ ...rule, means: 'absent' });
  });
});

describe('the min query length that refusals suggest', () => {
  const { request, ...response } = searchExchange({ message: 'The query is too short.' }, 'co');
  const withOtherQueries = [...request.params, ['name', 'the'] as const];
  const refusal: Exchange = {
    ...response,
    request: { ...request, params: withOtherQueries },
    reading: 'refused',
  };

  it("the min query length exceeds the length of the query parameter's value", () => {
    expect(minLengthByRefusals([refusal], 'q')).toBe(3);
  });

  it('the min query length exceeds the longest value if the query parameter is unknown', () => {
    expect(minLengthByRefusals([refusal], null)).toBe(4);
  });
});
