import { expect, test } from 'vitest';
import { CaptureSample } from '../../../src/plan/discovery/capture_sample.ts';

/** Adds a company that these texts find, and of which they are the name. */
function add(sample: CaptureSample, texts: readonly string[]): void {
  sample.add(texts.join(' '), texts);
}

test('a company resembles unseen ones less with every sent query that matches it', () => {
  const sample = new CaptureSample();
  add(sample, ['red', 'fox']);
  add(sample, ['blue', 'fox']);
  expect(sample.resemblance('fox')).toBe(1);
  sample.record('red', ['red'], 1);
  // The mean over Latin texts is (0.7 + 1 + ½) / 2.5, and the prefixes of `fox` are no texts.
  const latin = 2.2 / 2.5;
  expect(sample.resemblance('fox')).toBeCloseTo((1.7 + latin / 2) / 2.5);
  expect(sample.resemblance('red')).toBeCloseTo((0.7 + latin / 2) / 1.5);
  expect(sample.resemblance('blue')).toBeCloseTo((1 + latin / 2) / 1.5);
});

test('a query of which a share was listed counts as that share, and only once', () => {
  const sample = new CaptureSample();
  add(sample, ['fox']);
  sample.record('fox', ['fox'], 0.5);
  sample.record('fox', ['fox'], 0.4);
  const latin = (weight: number) => (weight + 0.5) / 1.5;
  expect(sample.resemblance('fox')).toBeCloseTo((0.85 + latin(0.85) / 2) / 1.5);
  sample.record('fox', ['fox'], 1);
  expect(sample.resemblance('fox')).toBeCloseTo((0.7 + latin(0.7) / 2) / 1.5);
});

test('a company that is found later has the weight for the queries sent before', () => {
  const sample = new CaptureSample();
  sample.record('fox', ['fox'], 1);
  add(sample, ['fox']);
  expect(sample.resemblance('fox')).toBeCloseTo((0.7 + (1.2 / 1.5) * 0.5) / 1.5);
});

test('a pair of words counts for the companies that have both', () => {
  const sample = new CaptureSample();
  add(sample, ['red', 'fox']);
  add(sample, ['blue', 'fox']);
  sample.record('red fox', ['red', 'fox'], 1);
  expect(sample.resemblance('red')).toBeLessThan(0.85);
  expect(sample.resemblance('blue')).toBeGreaterThan(0.95);
});

test('texts in a script that no query has reached keep the full weight', () => {
  const sample = new CaptureSample();
  add(sample, ['fox']);
  for (const query of ['f', 'o', 'x', 'fox']) sample.record(query, ['fox'], 1);
  expect(sample.resemblance('ж')).toBe(1);
  expect(sample.resemblance('q')).toBeLessThan(0.5);
});

test('a large registry is represented by a sample', () => {
  const sample = new CaptureSample();
  for (let at = 0; at < 5_000; at++) add(sample, [at % 2 === 0 ? 'even' : 'odd', `${at}`]);
  sample.record('even', ['even'], 1);
  sample.record('even', ['even'], 1);
  expect(sample.resemblance('even')).toBeCloseTo(0.7, 2);
  expect(sample.resemblance('odd')).toBeCloseTo(1, 2);
});

test('the order in which companies and listings are added changes nothing', () => {
  const names = Array.from({ length: 3_000 }, (_, at) => [`${at % 7}`, `word ${at}`]);
  const seen = (inOrder: readonly string[][], isListedFirst: boolean) => {
    const sample = new CaptureSample();
    const list = () => {
      sample.record('3', ['3'], 1);
      sample.record('4 word', ['4', 'word 4'], 1);
    };
    if (isListedFirst) list();
    for (const texts of inOrder) add(sample, texts);
    if (!isListedFirst) list();
    return ['3', '4', '5', 'word 4'].map((text) => sample.resemblance(text).toFixed(9));
  };
  expect(seen(names.toReversed(), true)).toEqual(seen(names, false));
});
