import { expect, test } from 'vitest';
import type { Outcome, Verdict } from '../../src/outcome.ts';
import { DriftWatch } from '../../src/plan/drift.ts';
import { dialectOf, searchDialect, searchFor } from '../support/dialect.ts';

const MISREAD: Verdict = { is: 'broken', why: 'no list of results', misread: true };

function listing(...ids: string[]): Verdict {
  const rows = ids.map((entityId) => ({ entityId, name: null, summary: {} }));
  const counts = { rejected: [], withoutId: 0, resultCount: rows.length, total: rows.length };
  return { is: 'ok', answer: { kind: 'search', rows, next: null, ...counts } };
}

/** The drift after searches with these verdicts, one search each. */
function driftAfter(verdicts: readonly Verdict[]): string | null {
  const watch = new DriftWatch(dialectOf());
  verdicts.forEach((verdict, at) => {
    watch.note([{ call: searchFor(`query ${at}`), verdict } as unknown as Outcome]);
  });
  return watch.drift;
}

test('three responses in a row that do not match the dialect count as drift', () => {
  expect(driftAfter([MISREAD, MISREAD])).toBeNull();
  expect(driftAfter([MISREAD, MISREAD, MISREAD])).toMatch(/^3 responses in a row for searches do not match/);
});

test.each([
  ['an empty listing', listing()],
  ['a rejected query', { is: 'refused', why: 'too broad' }],
  ['a failed call', { is: 'broken', why: 'HTTP 500' }],
] as [string, Verdict][])('%s does not prove that the dialect still matches', (_what, verdict) => {
  expect(driftAfter([MISREAD, MISREAD, verdict, MISREAD])).toMatch(/^3 responses in a row/);
});

test('a listing with at least one company proves that the dialect still matches', () => {
  expect(driftAfter([MISREAD, MISREAD, listing('C1'), MISREAD])).toBeNull();
});

test('companies that a query finds by their ids do not contradict their names', () => {
  const watch = new DriftWatch(dialectOf());
  for (let at = 10; at < 40; at++) {
    const rows = Array.from({ length: 10 }, (_, row) => {
      const entityId = `${at}${row}00`;
      return { entityId, name: `Hotel ${'ABCDEFGHIJ'[row]}${at}`, summary: { id: entityId } };
    });
    const answer = { kind: 'search', rows, next: null, rejected: [], withoutId: 0 };
    const verdict = { is: 'ok', answer: { ...answer, resultCount: 10, total: 10 } };
    watch.note([{ call: searchFor(`${at}`), verdict } as unknown as Outcome]);
  }
  expect(watch.drift).toBeNull();
});

test('a page parameter that is ignored is noticed, however many other responses come between the second pages', () => {
  const watch = new DriftWatch(searchDialect({ paging: { style: 'page', param: 'p', size: 2 } }));
  const page = (query: string, index: number) => {
    const rows = [1, 2].map((at) => ({
      entityId: `${query}${at}`,
      name: `${query} ${at}`,
      summary: { name: `${query} ${at}` },
    }));
    const answer = { kind: 'search', rows, next: '2', rejected: [], withoutId: 0 };
    const call = searchFor(query, 'name', { index, next: null });
    const verdict = { is: 'ok', answer: { ...answer, resultCount: 2, total: 4 } };
    watch.note([{ call, verdict } as unknown as Outcome]);
  };
  page('acme', 0);
  page('acme', 1);
  page('beta', 0);
  for (let at = 0; at < 200; at++) page(`other ${String.fromCharCode(97 + (at % 26))}${at}`, 0);
  expect(watch.drift).toBeNull();
  page('beta', 1);
  expect(watch.drift).toMatch(/search.paging .* page 2 repeated page 1/);
});

test.each([
  ['matches their query', 'Harbour', '; [/person] fits'],
  ['does not match their query', 'Quayside', null],
])('companies without a name have it in a field that alone %s', (_what, word, end) => {
  const watch = new DriftWatch(dialectOf());
  let ids = 0;
  const search = (query: string, rows: readonly { name: string | null; summary: object }[]) => {
    const listed = rows.map((row) => ({ entityId: `N${++ids}`, ...row }));
    const answer = { kind: 'search', rows: listed, next: null, rejected: [], withoutId: 0 };
    const verdict = { is: 'ok', answer: { ...answer, resultCount: rows.length, total: rows.length } };
    watch.note([{ call: searchFor(query), verdict } as unknown as Outcome]);
  };
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (let at = 0; at < 200; at++) {
    const name = `Amber${at} ${letters[at % 26]}`;
    search(`amber${at}`, [{ name, summary: { name, kind: 'ul' } }]);
    // The pages with companies without a name are far apart.
    if (at % 40 === 5)
      search('harbour'.slice(0, 7 - Math.floor(at / 40)), [
        { name: null, summary: { person: `${word} ${letters[at % 26]}`, kind: 'ip', no: at } },
      ]);
  }
  if (end === null) expect(watch.drift).toBeNull();
  else expect(watch.drift).toMatch(end);
});
