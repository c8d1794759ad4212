import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/server/sandbox.ts';
import { PRESETS } from '../../src/server/shape/presets.ts';
import { randomShape } from '../../src/server/shape/random_shape.ts';
import type { Shape, ShapeInput } from '../../src/server/shape/shape.ts';
import { askAll } from './asking.ts';
import { companiesFor } from './companies.ts';
import { gradesOf } from './grading.ts';
import { medianOf, openTally } from './tally.ts';

const MOST_CALLS = 16;
// As many as show it within a few seconds; `npm run bench:probe` takes hundreds.
const seeds = Array.from({ length: 36 }, (_, index) => index + 1);
const shapes: [string, ShapeInput | Shape][] = [
  ...Object.entries(PRESETS),
  ...seeds.map((seed): [string, Shape] => [`random ${seed}`, randomShape(seed)]),
];

describe('a probe', () => {
  it('is never wrong while it is sure, takes ten calls at the median, and finds most of what there is', async () => {
    const calls: number[] = [];
    const wrong: string[] = [];
    const tally = openTally();
    for (const [name, shape] of shapes) {
      const { spent, grades } = await probed(shape);
      calls.push(spent);
      tally.count(grades);
      for (const [topic, grade] of grades) if (grade === 'wrong') wrong.push(`${name}: ${topic}`);
    }
    expect(wrong).toEqual([]);
    expect(Math.max(...calls)).toBeLessThanOrEqual(MOST_CALLS);
    expect(medianOf(calls)).toBeLessThanOrEqual(10);
    for (const topic of ['query parameter', 'list', 'id', 'name', 'record'])
      expect(tally.share(topic, 'right'), topic).toBeGreaterThan(0.95);
    for (const topic of ['next page', 'semantics'])
      expect(tally.share(topic, 'right'), topic).toBeGreaterThan(0.8);
  }, 120_000);
});

async function probed(shape: ShapeInput | Shape) {
  const sandbox = await startSandbox({ shape, companies: await companiesFor(shape), keepArrivals: false });
  try {
    const { conclusions, exchanges } = await askAll(sandbox.baseUrl, sandbox.keyOf('main'));
    return { spent: exchanges.length, grades: gradesOf(conclusions, sandbox.shape, sandbox.dialect) };
  } finally {
    await sandbox.close();
  }
}
