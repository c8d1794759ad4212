// npm run bench price [-- --registries 10 --first 1 --companies 600]
// Compares the cost estimates of `plan` and `backfill --dry-run` with the actual calls, for random sandbox registries.
// The estimates are for a whole registry once a tenth is listed, for a list of ids and for a list of names.
import { parseArgs } from 'node:util';
import { generateRegistry } from '../../data/generate.ts';
import { randomProfile } from '../../src/sandbox/random_profile.ts';
import type { BackfillItem } from '../../src/warehouse/backfill.ts';
import { type EstimateResult, openEstimateCase } from './estimate/case.ts';

const { values } = parseArgs({
  options: {
    registries: { type: 'string', default: '10' },
    first: { type: 'string', default: '1' },
    companies: { type: 'string', default: '600' },
  },
});
const first = Number(values.first);
const print = (line: string) => process.stdout.write(`${line}\n`);

const held = { sync: 0, ids: 0, names: 0 };
const reported = { all: 0, held: 0 };
print(
  'seed  by          searches      actual  whole registry  actual  upper/lower      ids  actual   names  actual',
);
for (let seed = first; seed < first + Number(values.registries); seed++) {
  const idStyle = randomProfile(seed).ids === 'number' ? 'numeric' : 'registry';
  const companies = [...generateRegistry({ companies: Number(values.companies), seed, ids: idStyle })];
  const testCase = await openEstimateCase(seed, companies);
  try {
    const sync = await testCase.sync();
    const ids = await testCase.backfill(companies.slice(0, 200).map(({ id }) => item('entity', String(id))));
    const names = await testCase.backfill(companies.slice(300, 500).map(({ name }) => item('name', name)));
    const ratio = sync.estimate.high === null ? Infinity : sync.estimate.high / sync.estimate.low;
    if (holds(sync) && ratio <= 1.5) held.sync++;
    if (sync.by === 'statistics') reported.all++;
    if (sync.by === 'statistics' && holds(sync) && ratio <= 1.5) reported.held++;
    if (isWithinTenth(ids)) held.ids++;
    if (isWithinTenth(names)) held.names++;
    print(
      [
        String(seed).padStart(4),
        sync.by.padEnd(10),
        rangeOf(sync.searches).padStart(13),
        String(sync.searches.actual).padStart(7),
        rangeOf(sync).padStart(15),
        `${sync.actual}${holds(sync) ? ' ' : '!'}`.padStart(8),
        (ratio === Infinity ? 'open' : ratio.toFixed(2)).padStart(10),
        rangeOf(ids).padStart(9),
        `${ids.actual}${isWithinTenth(ids) ? ' ' : '!'}`.padStart(7),
        rangeOf(names).padStart(8),
        `${names.actual}${isWithinTenth(names) ? ' ' : '!'}`.padStart(7),
      ].join('  '),
    );
  } finally {
    await testCase.close();
  }
}
print(
  `of ${values.registries}: ${held.sync} whole registries within the interval, with upper ≤ 1.5 × lower ` +
    `(${reported.held} of the ${reported.all} that report their size); ` +
    `${held.ids} lists of ids and ${held.names} lists of names within a tenth`,
);

function holds({ estimate, actual }: EstimateResult): boolean {
  return estimate.low <= actual && actual <= (estimate.high ?? Infinity);
}

/** Returns whether the actual number of calls is in the range after it is widened by 10%. */
function isWithinTenth({ estimate, actual }: EstimateResult): boolean {
  return estimate.low * 0.9 <= actual && actual <= (estimate.high ?? 0) * 1.1;
}

function rangeOf({ estimate }: EstimateResult): string {
  if (estimate.high === null) return `${estimate.low} …`;
  return estimate.low === estimate.high ? String(estimate.low) : `${estimate.low}–${estimate.high}`;
}

function item(kind: 'entity' | 'name', given: string): BackfillItem {
  return { kind, searchedBy: null, given };
}
