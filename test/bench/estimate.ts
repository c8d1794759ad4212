// npm run bench price [-- --registries 10 --first 1 --companies 600]
// What `plan` and `backfill --dry-run` say against what it then costs, over random sandbox registries: the whole
// registry once a tenth is listed, a list of ids, and a list of names.
import { parseArgs } from 'node:util';
import { generateRegistry } from '../../data/generate.ts';
import { randomProfile } from '../../src/sandbox/random_profile.ts';
import type { BackfillItem } from '../../src/warehouse/backfill.ts';
import { openPriceCase, type Priced } from './estimate/case.ts';

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
const stated = { all: 0, held: 0 };
print(
  'seed  by          searches      really  whole registry  really  upper/lower      ids  really   names  really',
);
for (let seed = first; seed < first + Number(values.registries); seed++) {
  const idStyle = randomProfile(seed).ids === 'number' ? 'numeric' : 'registry';
  const companies = [...generateRegistry({ companies: Number(values.companies), seed, ids: idStyle })];
  const place = await openPriceCase(seed, companies);
  try {
    const sync = await place.sync();
    const ids = await place.backfill(companies.slice(0, 200).map(({ id }) => item('entity', String(id))));
    const names = await place.backfill(companies.slice(300, 500).map(({ name }) => item('name', name)));
    const ratio = sync.price.high === null ? Infinity : sync.price.high / sync.price.low;
    if (holds(sync) && ratio <= 1.5) held.sync++;
    if (sync.by === 'statistics') stated.all++;
    if (sync.by === 'statistics' && holds(sync) && ratio <= 1.5) stated.held++;
    if (isWithinTenth(ids)) held.ids++;
    if (isWithinTenth(names)) held.names++;
    print(
      [
        String(seed).padStart(4),
        sync.by.padEnd(10),
        rangeOf(sync.searches).padStart(13),
        String(sync.searches.truth).padStart(7),
        rangeOf(sync).padStart(15),
        `${sync.truth}${holds(sync) ? ' ' : '!'}`.padStart(8),
        (ratio === Infinity ? 'open' : ratio.toFixed(2)).padStart(10),
        rangeOf(ids).padStart(9),
        `${ids.truth}${isWithinTenth(ids) ? ' ' : '!'}`.padStart(7),
        rangeOf(names).padStart(8),
        `${names.truth}${isWithinTenth(names) ? ' ' : '!'}`.padStart(7),
      ].join('  '),
    );
  } finally {
    await place.close();
  }
}
print(
  `of ${values.registries}: ${held.sync} whole registries within the interval and upper ≤ 1.5 × lower ` +
    `(${stated.held} of the ${stated.all} that state their size); ` +
    `${held.ids} lists of ids and ${held.names} lists of names within a tenth`,
);

function holds({ price, truth }: Priced): boolean {
  return price.low <= truth && truth <= (price.high ?? Infinity);
}

/** Is the truth within a tenth of the range? */
function isWithinTenth({ price, truth }: Priced): boolean {
  return price.low * 0.9 <= truth && truth <= (price.high ?? 0) * 1.1;
}

function rangeOf({ price }: Priced): string {
  if (price.high === null) return `${price.low} …`;
  return price.low === price.high ? String(price.low) : `${price.low}–${price.high}`;
}

function item(kind: 'entity' | 'name', given: string): BackfillItem {
  return { kind, searchedBy: null, given };
}
