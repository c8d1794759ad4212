/** One benchmark of the suite: a command of its own, and what it is run with when there is little time. */
export interface Part {
  /** Script of package.json. */
  readonly script: string;
  readonly title: string;
  readonly question: string;
  readonly full: readonly string[];
  readonly quick: readonly string[];
}

export const PARTS: readonly Part[] = [
  {
    script: 'bench:throughput',
    title: 'Throughput without limits',
    question: 'Search, fetch and load, beside a hand-written script, bare got and Crawlee.',
    full: [],
    quick: ['--companies', '5000', '--crawlee-companies', '500', '--rounds', '3'],
  },
  {
    script: 'bench:cost',
    title: 'What calls cost at a rate',
    question: 'Processor time and memory for 1,000 calls, beside the hand-written script.',
    full: [],
    quick: ['--rates', '60,600', '--seconds', '40'],
  },
  {
    script: 'bench:rate',
    title: 'Use of the rate',
    question: 'How much of the permitted rate is used in real time, and that no window holds more.',
    full: ['--processes', '1,3'],
    quick: ['--processes', '1,3', '--minutes', '1.2'],
  },
  {
    script: 'bench:load',
    title: 'Loading and questions',
    question:
      'Load, load again, readers and analysts’ questions, beside bare better-sqlite3 and sqlite-utils.',
    full: [],
    quick: [
      ...['--records', '20000', '--companies', '50000'],
      ...['--reader-records', '10000', '--reader-seconds', '10'],
    ],
  },
  {
    script: 'bench:serve',
    title: 'Serving',
    question: 'Keys, limits and faithful records, beside a bare fastify route over the same warehouse.',
    full: [],
    quick: ['--companies', '50000', '--flat', '50000', '--rounds', '3', '--requests', '5000'],
  },
  {
    script: 'bench:worker',
    title: 'The worker',
    question: 'Records a second by a job of the worker, beside sync.',
    full: [],
    quick: ['--companies', '2000', '--rounds', '3'],
  },
  {
    script: 'bench:probe',
    title: 'Probing',
    question: 'What probe finds out about an unknown API, and with how many calls.',
    full: [],
    quick: [],
  },
  {
    script: 'bench:discovery',
    title: 'Discovery per call',
    question: 'Searches until half, nine tenths and nearly all of a registry are known, beside plain ways.',
    full: [],
    quick: ['--quick'],
  },
  {
    script: 'bench:price',
    title: 'What calls will be needed',
    question: 'What `plan` says of a whole registry, of ids and of names, beside what it then costs.',
    full: [],
    quick: ['--registries', '3', '--companies', '300'],
  },
  {
    script: 'bench:choosing',
    title: 'Choosing a call',
    question: 'How soon a run begins among very many known companies, and what each choice costs then.',
    full: [],
    quick: ['--companies', '50000', '--calls', '100'],
  },
  {
    script: 'bench:refresh',
    title: 'Refresh per call',
    question:
      'How much of a registry that changes stays right, beside fetching in turn and the best schedule.',
    full: [],
    quick: ['--quick', '--seeds', '2'],
  },
  {
    script: 'bench:growth',
    title: 'Growth',
    question: 'Time per call, memory, start-up and file as the registry grows.',
    full: [],
    quick: ['--sizes', '10000,50000', '--calls', '1000'],
  },
];
