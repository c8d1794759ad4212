// npm run bench price [-- --registries 40 --first 1 --companies 600 --calls 100]
// Compares the cost estimates of `plan` and `backfill --dry-run` with the actual calls, for random sandbox registries.
// The estimates are for the next run and for the whole registry once a tenth is listed, for a prefix before and after
// its first call, for a list of ids and for a list of names. An estimate is right if its range contains the actual number and is narrow enough.
import { generateRegistry } from '../../data/generate.ts';
import { folded } from '../../src/names/folding.ts';
import type { BackfillItem } from '../../src/warehouse/backfill.ts';
import { randomProfile } from '../support/random_profile.ts';
import { argumentsOf } from '../support/script.ts';
import { type EstimateResult, openEstimateCase } from './estimate/case.ts';

const values = argumentsOf({ registries: 40, first: 1, companies: 600, calls: 100 });
const { first } = values;
const print = (line: string) => process.stdout.write(`${line}\n`);

const COLUMNS = [
  ...(['calls', 'searches', 'records', 'companies', 'whole'] as const),
  ...(['prefix', 'begun prefix', 'ids', 'names'] as const),
];
/** The widest permitted range, as the ratio of its ends. */
const WIDEST: Readonly<Record<(typeof COLUMNS)[number], number>> = {
  calls: 1.5,
  searches: 2,
  records: 2,
  companies: 2,
  whole: 1.5,
  prefix: 1.5,
  'begun prefix': 1.5,
  ids: 1.5,
  names: 1.5,
};
const right = new Map<string, number>();
const counted = new Map<string, number>();
const within = new Map<string, number>();
print(`seed  ${'by'.padEnd(10)}  ${COLUMNS.map((column) => column.padStart(16)).join('  ')}`);
for (let seed = first; seed < first + values.registries; seed++) {
  const profile = randomProfile(seed);
  const idStyle = profile.ids === 'number' ? 'numeric' : 'registry';
  const companies = [...generateRegistry({ companies: values.companies, seed, ids: idStyle })];
  const named = Math.min(300, Math.floor(companies.length / 2));
  const testCase = await openEstimateCase(seed, companies);
  try {
    const { by, whole, next } = await testCase.sync(values.calls);
    const prefix =
      profile.dialect.search.matches === 'token'
        ? null
        : await testCase.backfill([item('prefix', commonPrefix(companies.map(({ name }) => name)))]);
    const results: Record<(typeof COLUMNS)[number], EstimateResult | null> = {
      ...next,
      whole,
      prefix,
      'begun prefix': prefix?.begun ?? null,
      ids: await testCase.backfill(companies.slice(0, 200).map(({ id }) => item('entity', String(id)))),
      names: await testCase.backfill(
        companies.slice(named, named + 200).map(({ name }) => item('name', name)),
      ),
    };
    const cells = COLUMNS.map((column) => {
      const result = results[column];
      if (result === null) return ''.padStart(16);
      const isRight = isWithin(result, WIDEST[column]);
      add(within, column, contains(result));
      add(right, column, isRight);
      if (by === 'statistics') {
        add(counted, column, isRight);
        add(counted, `all ${column}`, true);
      }
      add(right, `all ${column}`, true);
      return `${rangeOf(result)} ${result.actual}${isRight ? ' ' : contains(result) ? '~' : '!'}`.padStart(
        16,
      );
    });
    print(`${String(seed).padStart(4)}  ${by.padEnd(10)}  ${cells.join('  ')}`);
  } finally {
    await testCase.close();
  }
}
const summary = (label: string, of: (column: string) => string) =>
  print(`${label.padEnd(16)}  ${COLUMNS.map((column) => of(column).padStart(16)).join('  ')}`);
summary('right', (column) => `${right.get(column) ?? 0} of ${right.get(`all ${column}`) ?? 0}`);
summary('contained', (column) => `${within.get(column) ?? 0} of ${right.get(`all ${column}`) ?? 0}`);
summary('right (counted)', (column) => `${counted.get(column) ?? 0} of ${counted.get(`all ${column}`) ?? 0}`);

function add(to: Map<string, number>, key: string, isAdded: boolean): void {
  to.set(key, (to.get(key) ?? 0) + (isAdded ? 1 : 0));
}

function contains({ estimate, actual }: EstimateResult): boolean {
  return estimate.low <= actual && actual <= (estimate.high ?? Number.POSITIVE_INFINITY);
}

/** Returns whether the range contains the actual number, and its ends differ by at most this factor or by ten. */
function isWithin({ estimate, actual }: EstimateResult, widest: number): boolean {
  const { low, high } = estimate;
  if (high === null || !contains({ estimate, actual })) return false;
  return high <= widest * low || high - low <= 10;
}

function rangeOf({ estimate }: EstimateResult): string {
  if (estimate.high === null) return `${estimate.low}…`;
  return estimate.low === estimate.high ? String(estimate.low) : `${estimate.low}–${estimate.high}`;
}

/** Returns the first three letters that most names begin with. */
function commonPrefix(names: readonly string[]): string {
  const prefixes = names.map((name) => folded(name).slice(0, 3)).filter((text) => /^[a-z]{3}$/.test(text));
  const counts = Map.groupBy(prefixes, (text) => text);
  return [...counts].toSorted((one, other) => other[1].length - one[1].length)[0]?.[0] ?? 'lim';
}

function item(kind: 'entity' | 'name' | 'prefix', given: string): BackfillItem {
  return { kind, searchedBy: kind === 'prefix' ? 'name' : null, given };
}
