import { expect, test } from 'vitest';
import { openOutput, type Streams } from '../../src/cli/output.ts';
import { showEstimating } from '../../src/cli/plan.ts';

test("a terminal shows an estimate's progress after the first second", () => {
  expect(shownBy({ isTTY: true }, {})).toBe('\r\x1b[KEstimating… 40 %');
});

test.each([
  ['a pipe', { isTTY: false }, {}],
  ['--json', { isTTY: true }, { json: true }],
])('an estimate shows no progress with %s', (_, streams, flags) => {
  expect(shownBy(streams, flags)).toBe('');
});

/** What the command has written to standard error after 0.5 and 1.5 seconds. */
function shownBy(stream: { isTTY: boolean }, flags: { json?: boolean }): string {
  let written = '';
  const write = (text: string) => {
    written += text;
    return true;
  };
  const one = { ...stream, columns: 80, write };
  const output = openOutput(flags, { stdout: one, stderr: one, env: {} } as unknown as Streams);
  let nowMs = 0;
  const progress = showEstimating(output, () => nowMs);
  for (nowMs of [500, 1_500]) progress(nowMs === 500 ? 0.1 : 0.4);
  return written;
}
