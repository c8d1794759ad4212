import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ErrorLog } from '../../jobs/error_log.ts';
import { leapingClock } from '../support/leaping_clock.ts';

test('an expired lock of a job is logged once, with its cause and without a stack', () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const errors = new ErrorLog(log, leapingClock(0));
  for (const message of ['could not renew lock for job 6', 'Missing lock for job 6. moveToFinished'])
    errors.log(new Error(message), 'the worker received an error from the queue');
  expect(lines).toMatchObject([{ level: 40, msg: expect.stringMatching(/lost its lock, because Redis/) }]);
  expect(lines[0]).not.toHaveProperty('err');
});
