import { expect, test } from 'vitest';
import { NotUnderstood } from '../../../src/dialect/body_values.ts';
import { decode } from '../../../src/dialect/decode.ts';
import { contradictionsIn, exchangeOf } from '../../../src/dialect/evidence/dialect_evidence.ts';
import { namesAreText, namesMatchQuery } from '../../../src/dialect/evidence/judgements.ts';
import { searchDialect, searchFor } from '../../support/dialect.ts';

const rowsFor = (queries: readonly string[], nameOf: (query: string) => string) =>
  queries.flatMap((query) =>
    Array.from({ length: 10 }, (_, at) => ({ query, name: `${nameOf(query)} ${at}` })),
  );

test('names that do not contain their queries contradict the dialect', () => {
  expect(
    namesMatchQuery(
      rowsFor(['amber', 'birch', 'cedar'], () => 'Nelson Street'),
      'token',
    ).holds,
  ).toBe(false);
});

test('names in another script than their queries say nothing about the dialect', () => {
  const inChinese = rowsFor(['公司', '有限', '貿易'], () => 'Eastern Trading Limited');
  expect(namesMatchQuery(inChinese, 'substring').holds).toBeNull();
  const inLatin = rowsFor(['eastern', 'trading'], () => 'Eastern Trading Limited');
  expect(namesMatchQuery([...inChinese, ...inLatin], 'substring').holds).toBe(true);
});

test('names that are made from an id contradict the dialect, but not ids that are made from the name', () => {
  const rows = Array.from({ length: 30 }, (_, at) => ({ id: `NL${1000 + at}`, name: `NL${1000 + at} B.V.` }));
  expect(namesAreText(rows).holds).toBe(false);
  expect(namesAreText(rows.map(({ name }) => ({ id: name, name }))).holds).not.toBe(false);
});

test('a next page does not contradict a total at its stated cap', () => {
  const page = (index: number, total_clamped_at: number | null) => {
    const rows = Array.from({ length: 50 }, (_, at) => ({
      id: `${index}-${at}`,
      name: `Acme ${index} ${at}`,
    }));
    const dialect = searchDialect({ total_clamped_at });
    const call = searchFor('acme', 'name', { index, next: null });
    const answer = decode(dialect, call, { results: rows, total: 50 }, {});
    if (answer instanceof NotUnderstood) throw new Error(answer.why);
    return exchangeOf(dialect, call, answer);
  };
  const contradicted = (clamp: number | null) => {
    const exchanges = [page(0, clamp), page(1, clamp)].filter((one) => one !== null);
    return contradictionsIn(searchDialect({ total_clamped_at: clamp }), exchanges).map(({ key }) => key);
  };
  expect(contradicted(null)).toEqual(['search.total']);
  expect(contradicted(50)).toEqual([]);
});

test('a field that changes with the query is never proposed as the id', () => {
  const dialect = searchDialect({ total: null });
  const exchanges = ['ac', 'acm', 'acme'].flatMap((query) => {
    const results = Array.from({ length: 20 }, (_, at) => ({
      id: String(at),
      name: `[${query}]${'acme'.slice(query.length)} ${at}`,
      vat: `V${at}`,
    }));
    const call = searchFor(query);
    const answer = decode(dialect, call, { results }, {});
    if (answer instanceof NotUnderstood) throw new Error(answer.why);
    return exchangeOf(dialect, call, answer) ?? [];
  });
  expect(contradictionsIn(dialect, exchanges)).toEqual([expect.objectContaining({ key: 'search.id' })]);
  expect(contradictionsIn(dialect, exchanges)[0]).not.toHaveProperty('to');
});

test.each([
  ['the nearest names', 0, []],
  ['unrelated names', 7, ['search.query_param']],
])('a search without the words of its queries may return %s', (_what, shift, keys) => {
  const dialect = searchDialect({ total: null });
  const words = ['harbour', 'telecomp', 'meridian', 'quayside', 'brewing', 'ottoman', 'pelican', 'viscount'];
  const exchanges = words.flatMap((query, index) => {
    // The names have most letters of the word, but not the word itself.
    const near = words[(index + shift) % words.length] ?? '';
    const results = Array.from({ length: 5 }, (_, at) => ({
      id: `${near}${at}`.replaceAll(/[a-z]/g, (letter) => String(letter.charCodeAt(0) % 10)),
      name: `${near.slice(0, -1)}x ${at}`,
    }));
    const call = searchFor(query);
    const answer = decode(dialect, call, { results }, {});
    if (answer instanceof NotUnderstood) throw new Error(answer.why);
    return exchangeOf(dialect, call, answer) ?? [];
  });
  expect(contradictionsIn(dialect, exchanges).map(({ key }) => key)).toEqual(keys);
});

test('an extract with the query in HTML tags is never proposed as the name', () => {
  const dialect = searchDialect({ total: null });
  const proposedFor = (mark: (word: string) => string) => {
    const exchanges = 'amber birch cedar delta ember fjord grove hazel ivory jade koral linden'
      .split(' ')
      .flatMap((query) => {
        const results = Array.from({ length: 12 }, (_, at) => ({
          id: `R${query.charCodeAt(0)}${at}`,
          name: `Works ${query.charCodeAt(0)}${at}`,
          text: `Page ${at} is about ${mark(query)}`,
        }));
        const call = searchFor(query);
        const answer = decode(dialect, call, { results }, {});
        return answer instanceof NotUnderstood ? [] : [exchangeOf(dialect, call, answer)];
      });
    return contradictionsIn(
      dialect,
      exchanges.filter((one) => one !== null),
    ).map(({ to }) => to);
  };
  expect(proposedFor((word) => word)).toEqual(['/text']);
  expect(proposedFor((word) => `<em>${word}</em>`)).toEqual([]);
});

test('a field that repeats the query is never proposed as the name', () => {
  const dialect = searchDialect({ total: null, name: '/town' });
  const exchanges = 'amber birch cedar delta ember fjord grove hazel ivory jade koral linden'
    .split(' ')
    .flatMap((query, index) => {
      const results = Array.from({ length: 20 }, (_, at) => ({
        id: `R${index * 20 + at}`,
        town: `Nelson ${at}`,
        found: query,
      }));
      const call = searchFor(query);
      const answer = decode(dialect, call, { results }, {});
      if (answer instanceof NotUnderstood) throw new Error(answer.why);
      return exchangeOf(dialect, call, answer) ?? [];
    });
  expect(contradictionsIn(dialect, exchanges).map(({ key }) => key)).not.toContain('search.name');
});

test('under an unknown query rule, a query may find a part of a word', () => {
  const rows = rowsFor(['公司', '科技', '有限'], () => '上海科技有限公司');
  expect(namesMatchQuery(rows, 'token_prefix').holds).toBe(false);
  expect(namesMatchQuery(rows, 'unknown').holds).toBe(true);
});
