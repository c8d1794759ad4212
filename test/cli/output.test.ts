import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { fittedTo, openOutput } from '../../src/cli/output.ts';

const SENTENCE =
  'Pages are turned with `page`; they start at 0, and a page holds a hundred rows or fewer than that.';

it.each([
  [0, 100],
  [10, 30],
  [60, 60],
])('on a terminal that reports %i columns, no line exceeds %i', (columns, taken) => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns }) as never;
  expect(openOutput({ quiet: false, json: false }, { stdout: stream, stderr: stream, env: {} }).columns).toBe(
    taken,
  );
  const widest = Math.max(
    ...fittedTo(stream, SENTENCE)
      .split('\n')
      .map(({ length }) => length),
  );
  expect(widest).toBeLessThanOrEqual(taken);
  expect(widest).toBeGreaterThan(taken / 2);
});

it('a document on a terminal has no character that changes its display', () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const streams = { stdout, stderr: stdout, env: {} } as never;
  openOutput({ quiet: false, json: false }, streams).document('id,name\r\n1,\x1b[31mRed \u{e0041}Ltd\r\n');
  expect(String(stdout.read())).toBe('id,name\n1,\ufffd[31mRed \ufffdLtd\n');
});
