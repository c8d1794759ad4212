import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/durations.ts';
import { pruneAnswers } from '../../src/warehouse/retention.ts';
import { bench, START_MS } from '../support/loader.ts';

type Mirror = ReturnType<typeof bench>;

const flaggedIn = ({ all }: Mirror) =>
  all('SELECT entity_id FROM _company WHERE flagged_at IS NOT NULL ORDER BY 1').map(
    ({ entity_id }) => entity_id,
  );

/** Sends the query's pages with these companies, two on each page. */
function list({ search }: Mirror, text: string, ids: readonly string[]): void {
  for (let index = 0; index === 0 || 2 * index < ids.length; index++) page({ search }, text, ids, index);
}

function page({ search }: Pick<Mirror, 'search'>, text: string, ids: readonly string[], index: number) {
  const results = ids.slice(2 * index, 2 * index + 2).map((id) => ({ id, name: `Acme ${id}` }));
  return search(text, { total: ids.length, results }, { page: index });
}

/** A mirror with the records of five companies, which a listing of three pages shows. */
function mirror(text: string): Mirror {
  const rig = bench();
  list(rig, text, FIVE);
  for (const id of FIVE) rig.record(id, { id, name: `Acme ${id}` });
  return rig;
}

const FIVE = ['C1', 'C2', 'C3', 'C4', 'C5'];

test.each(['', 'acme'])('a company that the complete listing of "%s" no longer shows is flagged', (text) => {
  const rig = mirror(text);
  list(rig, text, ['C1', 'C3', 'C4', 'C5']);
  expect(flaggedIn(rig)).toEqual(['C2']);
});

test('companies on pages that a shorter listing no longer has are flagged', () => {
  const rig = mirror('acme');
  list(rig, 'acme', ['C1']);
  expect(flaggedIn(rig)).toEqual(['C2', 'C3', 'C4', 'C5']);
});

test('a company is flagged although another search has shown it after the last complete listing', () => {
  const rig = mirror('acme');
  list(rig, 'c2', ['C2']);
  list(rig, 'acme', ['C1', 'C3', 'C4', 'C5']);
  expect(flaggedIn(rig)).toEqual(['C2']);
});

test('a company that moves to another page, or that another search shows meanwhile, is not flagged', () => {
  const rig = mirror('acme');
  page(rig, 'acme', ['C5', 'C3', 'C4', 'C1'], 0);
  list(rig, 'c2', ['C2']);
  page(rig, 'acme', ['C5', 'C3', 'C4', 'C1'], 1);
  expect(flaggedIn(rig)).toEqual([]);
});

test('a listing shows nothing about the companies that it lacks before it is complete', () => {
  const rig = mirror('acme');
  page(rig, 'acme', ['C1', 'C3', 'C4', 'C5'], 0);
  expect(flaggedIn(rig)).toEqual([]);
  list(rig, 'acme', ['C1', 'C3', 'C4', 'C5']);
  expect(flaggedIn(rig)).toEqual(['C2']);
});

test('what an interrupted reading replaced survives a restart and the removal of old responses', () => {
  const rig = mirror('acme');
  page(rig, 'acme', ['C3', 'C4', 'C5'], 0);
  const next = rig.reopen();
  pruneAnswers(rig.warehouse.db, { maxAgeMs: 0, versions: 1 }, START_MS + DAY_MS);
  page(next, 'acme', ['C3', 'C4', 'C5'], 1);
  expect(flaggedIn(next)).toEqual(['C1', 'C2']);
});

test('a finished listing stores nothing about the listing before it', () => {
  const rig = mirror('acme');
  list(rig, 'acme', ['C1', 'C3', 'C4']);
  expect(rig.all('SELECT page, earlier_call, earlier_fingerprint FROM _query_page')).toEqual([
    { page: 0, earlier_call: null, earlier_fingerprint: null },
    { page: 1, earlier_call: null, earlier_fingerprint: null },
  ]);
});
