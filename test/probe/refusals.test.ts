import { describe, expect, it } from 'vitest';
import { isNamedIn, lengthNamedBy } from '../../src/probe/refusals.ts';
import { searchExchange } from '../support/probe_exchanges.ts';

describe('the text of an error', () => {
  it.each([
    ['The parameter q is missing.', 'q', true],
    ["Missing required parameter: 'query'", 'query', true],
    ['navn: must be given', 'navn', false],
    ['The query is too short.', 'query', false],
    ['Use "search" to look for names', 'search', true],
  ])('"%s" names the parameter %s: %s', (text, name, isNamed) => {
    expect(isNamedIn(text, name)).toBe(isNamed);
  });

  it.each([
    ['A query needs at least 3 characters.', 3],
    ['minimum length is 2 letters', 2],
    ['Something else', null],
  ])('"%s" names the min query length %s', (message, length) => {
    expect(lengthNamedBy({ ...searchExchange({ message }), reading: 'refused' })).toBe(length);
  });
});
