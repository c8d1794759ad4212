/** One benchmark in the suite, with its arguments for a full and for a quick run. */
export interface Part {
  /** The benchmark's name for `npm run bench`. */
  readonly name: string;
  readonly title: string;
  readonly question: string;
  readonly full: readonly string[];
  readonly quick: readonly string[];
}

/** Parts that `npm run trust` runs. All others are benchmarks. */
export const GROUP: Readonly<Record<string, 'trust'>> = {
  faults: 'trust',
  kills: 'trust',
  moving: 'trust',
  feed: 'trust',
  lost_files: 'trust',
  fuzz: 'trust',
  soak: 'trust',
};

export const PARTS: readonly Part[] = [
  {
    name: 'throughput',
    title: 'Throughput without limits',
    question: 'Calls per second for searching, fetching and loading, compared with got alone.',
    full: [],
    quick: ['--companies', '5000', '--rounds', '3'],
  },
  {
    name: 'rate',
    title: 'Use of the rate',
    question:
      'How much of the permitted rate is used in real time. The column `held` is true if no 60-second window exceeds the rate. The column `lanes` shows the number of connections.',
    full: ['--processes', '1,3'],
    quick: ['--processes', '1,3', '--minutes', '1.2'],
  },
  {
    name: 'serve',
    title: 'Serving',
    question:
      'Requests per second that `serve` handles with keys and limits, compared with a bare fastify route on the same warehouse.',
    full: [],
    quick: ['--companies', '50000', '--flat', '50000', '--rounds', '3', '--requests', '5000'],
  },
  {
    name: 'probe',
    title: 'Probing',
    question: 'What `probe` learns about unknown APIs, and in how many calls.',
    full: [],
    quick: ['--seeds', '40', '--from', '700001'],
  },
  {
    name: 'discovery',
    title: 'Discovery per call',
    question:
      'The searches needed until 50%, 90% and 99% of a registry are known, compared with simple methods. The unit is the number of companies divided by the page size.',
    full: [],
    quick: ['--quick'],
  },
  {
    name: 'focus',
    title: 'A small total',
    question: 'The searches, hopeless searches, records and names from 400 calls for 4,000 companies.',
    full: [],
    quick: [],
  },
  {
    name: 'yields',
    title: 'Expected yields',
    question: 'The expected yield of searches, compared with the actual yield.',
    full: [],
    quick: [],
  },
  {
    name: 'backfill',
    title: 'Backfills',
    question: 'The searches that a list of names and three prefixes need.',
    full: [],
    quick: ['--companies', '1000', '--names', '50'],
  },
  {
    name: 'price',
    title: 'Cost estimates',
    question:
      'The estimates that `plan` makes for a whole registry, for ids and for names, compared with the actual calls. The sign `!` marks a wrong estimate.',
    full: [],
    quick: ['--registries', '3', '--companies', '300'],
  },
  {
    name: 'choosing',
    title: 'Choosing a call',
    question:
      'With millions of known companies: the time to the first chosen call, and the CPU time of each choice after that.',
    full: [],
    quick: ['--companies', '50000', '--calls', '100'],
  },
  {
    name: 'refresh',
    title: 'Refresh per call',
    question:
      'The share of records that are up to date in a changing registry, compared with round robin and the best possible schedule.',
    full: [],
    quick: ['--quick', '--seeds', '2'],
  },
  {
    name: 'faults',
    title: 'Faulty upstreams',
    question: 'Responses lost, calls over the allowance, and mirrors that differ, with random faults.',
    full: ['--rounds', '60'],
    quick: ['--rounds', '3', '--companies', '200'],
  },
  {
    name: 'kills',
    title: 'Kills',
    question:
      'Responses lost, calls not counted, and corrupt files, after kills between any two SQL statements.',
    full: ['--points', '700', '--at-once', '2'],
    quick: ['--points', '48', '--companies', '60'],
  },
  {
    name: 'moving',
    title: 'Moving companies',
    question: 'Companies missed while a registry changes between any two calls.',
    full: ['--histories', '2000'],
    quick: ['--histories', '100'],
  },
  {
    name: 'feed',
    title: 'Consumers of the change feed',
    question: 'Consumers whose tables differ from a full export, after random histories.',
    full: [],
    quick: ['--histories', '20'],
  },
  {
    name: 'lost_files',
    title: 'Lost files',
    question: 'Calls over the allowance after ledgers or warehouses were lost.',
    full: [],
    quick: [],
  },
  {
    name: 'soak',
    title: 'Years of an account',
    question: 'Allowance windows exceeded, and the share of the allowance used.',
    full: ['--seeds', '2', '--days', '1200'],
    quick: ['--seeds', '1', '--days', '100'],
  },
  {
    name: 'fuzz',
    title: 'Hostile input',
    question: 'Crashes and bodies not stored, with random input.',
    full: ['--runs', '100000'],
    quick: ['--runs', '2000'],
  },
];
