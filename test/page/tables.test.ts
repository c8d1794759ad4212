import { expect, test } from 'vitest';
import { type Html, html, listing } from '../../src/page/html.ts';
import { timesIn } from '../../src/page/page_figures.ts';
import { AGE_CLASSES } from '../../src/page/page_snapshot.ts';
import { freshnessSection } from '../../src/page/section/charts.ts';
import { quarantineTable } from '../../src/page/section/quarantine.ts';
import { runsSection } from '../../src/page/section/runs.ts';
import type { Quarantined } from '../../src/warehouse/quarantine.ts';
import type { RunRow } from '../../src/warehouse/run.ts';

const NOW_MS = Date.UTC(2027, 2, 10, 12);
const times = timesIn('UTC', NOW_MS);

/** Returns the text of each cell in the first row, by its column's heading. */
function firstRow(drawn: Html | readonly Html[]): Record<string, string> {
  const [row = ''] = html`${[drawn].flat()}`.markup.split('<tr role="row">').slice(2);
  const cells = row.matchAll(/<td role="cell" data-h="(\w+)"[^>]*>(.*?)(?=<td|<\/table)/gs);
  return Object.fromEntries([...cells].map(([, head, cell]) => [head, cell?.replace(/<[^>]+>/g, '').trim()]));
}

test('every column of the runs shows its own figure', () => {
  const run: RunRow = {
    runId: 12,
    command: 'sync',
    ended: 'done',
    error: null,
    startedAt: '2027-03-10T09:00:00.000Z',
    endedAt: '2027-03-10T09:07:00.000Z',
    calls: 51,
    new: 52,
    changed: 53,
    gone: 54,
    quarantined: 55,
  };
  const snapshot = { mirror: { runs: [run] }, working: null };
  expect(firstRow(runsSection.draw({ snapshot, times } as never, runsSection))).toEqual({
    Run: '12',
    Started: '09:00',
    Command: 'sync',
    Duration: '7 min',
    Ended: 'done',
    Calls: '51',
    New: '52',
    Changed: '53',
    Gone: '54',
  });
});

test('every column of the quarantine shows its own figure', () => {
  const entry: Quarantined = {
    quarantineId: 31,
    callId: 32,
    runId: 33,
    position: 34,
    times: 35,
    status: 36,
    bytes: 37,
    kind: 'entity',
    target: 'C38',
    reason: 'no id',
    state: 'open',
    quarantinedAt: '2027-03-10T09:00:00.000Z',
  };
  const drawn = listing({ id: 'q', title: 'q', ...quarantineTable([entry], times) });
  expect(firstRow(drawn)).toEqual({
    Since: '09:00',
    Call: 'entity 31',
    Target: 'C38',
    Reason: 'no id',
    Times: '35',
  });
});

test('the freshness chart shows records and list items in their own columns', () => {
  const ages = AGE_CLASSES.map((_, at) => ({ records: 1 + at, summaries: 101 + at }));
  const config = { max_age: { records: { ms: AGE_CLASSES[1].ms } } };
  const drawn = freshnessSection.draw({ snapshot: { ages }, config } as never, freshnessSection);
  const { markup } = html`${[drawn].flat()}`;
  expect(markup).toContain('5.4 % of the records are younger than 6 h');
  expect(markup).toMatch(/<th scope="col">records by age<th scope="col">list items by age/);
  expect(markup).toMatch(
    /<th>within 1 h<td class="figure">1<td class="figure">101<tr><th>1 h to 6 h ago<td class="figure">2/,
  );
});
