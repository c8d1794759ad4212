import { expect, test } from 'vitest';
import { ENTITY } from '../support/dialect.ts';
import { answerWith, GOOD_RECORD, type Handler, made, rigFor, upstreamOf } from '../support/fetch.ts';

const OK = answerWith(200, GOOD_RECORD);

const REPORTS = [
  'keyWorked',
  'pauseUntil',
  'reportSpacing',
  'reportQuota',
  'exhaustedUntil',
  'refuseKey',
  'doubtKey',
] as const;

/** Makes two calls. The first request succeeds, and `second` answers the other one. */
async function reportsOf(second: Handler) {
  const upstream = await upstreamOf((request, response, index) =>
    (index === 0 ? OK : second)(request, response, index),
  );
  const reports: string[] = [];
  const rig = rigFor(upstream, {
    watchLedger: (ledger) => {
      for (const name of REPORTS) {
        const report = ledger[name].bind(ledger) as (...args: unknown[]) => void;
        Object.assign(ledger, {
          [name]: (...args: unknown[]) => {
            reports.push(name);
            report(...args);
          },
        });
      }
      return ledger;
    },
  });
  made(await rig.make(ENTITY));
  expect(reports).toEqual(['keyWorked']);
  made(await rig.make(ENTITY));
  return reports.slice(1);
}

test.each<[string, Handler, string[]]>([
  ['a further success', OK, []],
  ['an unknown id', answerWith(404, '{}'), []],
  ['a throttle', answerWith(429, ''), ['pauseUntil']],
  ['an exhausted quota', answerWith(402, '{"error":"monthly quota exhausted"}'), ['exhaustedUntil']],
  ['a rejected key', answerWith(401, ''), ['doubtKey']],
  [
    'a success that ends the rate window',
    answerWith(200, GOOD_RECORD, { 'ratelimit-remaining': '0', 'ratelimit-reset': '30' }),
    ['pauseUntil'],
  ],
])('after a success, %s writes only new facts to the ledger', async (_title, second, reports) => {
  expect(await reportsOf(second)).toEqual(reports);
});

test('a slot that is given back returns its unit and its connection', async () => {
  const upstream = await upstreamOf(OK);
  const rig = rigFor(upstream, { connections: 2 });
  const slots = await rig.fetch.slots(1, new AbortController().signal);
  if ('is' in slots) throw new Error('no slot');
  expect([rig.fetch.free, rig.ledger.state(Date.now()).spentEver]).toEqual([1, 1]);
  await rig.fetch.giveBack(slots);
  expect([rig.fetch.free, rig.ledger.state(Date.now()).spentEver]).toEqual([2, 0]);
});
