import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Mirrored, openMirrored, type Served, serve } from '../support/served_mirror.ts';

const COMPANIES = 60;
const PAGES = 6;

let mirror: Mirrored;
let served: Served;
beforeAll(async () => {
  mirror = await openMirrored({
    companies: numbered(0, COMPANIES),
    configuration: { max_age: { stats: '1s', summaries: '1s', records: '1s' } },
  });
  await mirror.sync();
  served = await serve(mirror);
});
afterAll(async () => {
  await served.close();
  await mirror.close();
});

test('no row is repeated or omitted while a client pages and the mirror changes', async () => {
  const first = await page(1);
  expect(first.total).toBe(COMPANIES);
  const ids = [...first.ids];
  for (let number = 2; ids.length < first.total; number++) {
    await growAndShrink(number);
    const { total, ids: more } = await page(number);
    expect(total).toBe(COMPANIES);
    ids.push(...more);
  }
  expect(new Set(ids).size).toBe(COMPANIES);
  expect(ids.toSorted()).toEqual(numbered(0, COMPANIES).map(({ id }) => id));

  // A new first page shows the mirror's current state.
  const present = mirror.sandbox.companies.count();
  expect(present).not.toBe(COMPANIES);
  expect((await page(1)).total).toBe(present);
});

/** Deletes one company, and adds others before, between and after the existing ones, so that all pages shift. */
async function growAndShrink(round: number): Promise<void> {
  for (const company of numbered(COMPANIES + round * 7, COMPANIES + (round + 1) * 7))
    mirror.sandbox.companies.put(company);
  mirror.sandbox.companies.remove(idOf(round), mirror.now());
  await mirror.sync(2_000);
}

async function page(number: number): Promise<{ total: number; ids: string[] }> {
  const { json } = await served.ask(`/api/search?q=company&per_page=${COMPANIES / PAGES}&page=${number}`);
  const { total, results } = json as { total: number; results: { id: string }[] };
  return { total, ids: results.map(({ id }) => id) };
}

function numbered(from: number, to: number) {
  return Array.from({ length: to - from }, (_, at) => {
    const number = from + at;
    return { id: idOf(number), name: `${'abcdefghij'[number % 10]} company ${number}`, fields: {} };
  });
}

function idOf(number: number): string {
  return String(number).padStart(6, '0');
}
