import { expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { queriesInLanguage } from '../../src/probe/language_queries.ts';
import { searchExchange } from '../support/probe_exchanges.ts';

it.each([
  ['Das Feld Firmenbezeichnung muss ausgefüllt werden.', 'gmbh'],
  ['El campo denominación social es obligatorio.', 's.l.'],
  ['Le champ est requis', 'sarl'],
  ['la dimensione deve essere compresa tra 3 e 80; ragione sociale', 's.r.l.'],
  ['Dit veld is verplicht', 'b.v.'],
  ['forespørgslen har et ukendt felt', 'aps'],
  ['Proszę wypełnić pole fraza', 'sp. z o.o.'],
])('queries are in the language of the message "%s"', (message, query) => {
  expect(queriesInLanguage([searchExchange({ message } as Json)], 'q')[0]).toBe(query);
});

it('the query parameter shows the language if the messages do not', () => {
  expect(queriesInLanguage([searchExchange({ error: 'bad request' })], 'zoekNaam')).toContain('b.v.');
  expect(queriesInLanguage([searchExchange({ error: 'bad request' })], 'q')).toEqual([]);
});

it('words that a message repeats from the request do not show the language', () => {
  const { request, ...rest } = searchExchange({ detail: [{ loc: ['query', 'denominacion'], input: 'el' }] });
  const sent = { ...rest, request: { ...request, params: [['denominacion', 'el'] as const] } };
  expect(queriesInLanguage([sent], 'q')).toEqual([]);
});
