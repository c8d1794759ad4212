import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateRegistry } from '../../data/generate.ts';
import { type House, openHouse } from '../../src/assemble.ts';
import { configFrom } from '../../src/config.ts';
import { ALL_KINDS, type RunReport, run } from '../../src/run.ts';
import { type Sandbox, startSandbox } from '../../src/server/sandbox.ts';
import { compareWithUpstream } from '../e2e/equality.ts';
import { drawFault, seeded } from './drawn.ts';
import { type LeapingClock, leapingClock } from './leaping_clock.ts';

export interface RoundOptions {
  readonly seed: number;
  readonly companies: number;
  /** Share of answers that go wrong. */
  readonly faultShare: number;
}

export interface Round {
  readonly seed: number;
  readonly runs: number;
  readonly arrivals: number;
  readonly faults: number;
  readonly recordCalls: number;
  readonly records: number;
  /** What must not be: each a sentence. */
  readonly broken: readonly string[];
}

const KEY = 'canary-7f3a9c52e1d84b06';
const PER_DAY = 700;

/** One registry, faults drawn by seed, as many runs as it takes: then the mirror is held against the upstream. */
export async function faultRound({ seed, companies, faultShare }: RoundOptions): Promise<Round> {
  const random = seeded(seed);
  const clock = leapingClock(Date.UTC(2027, 0, 15, 9));
  const elsewhere = await openElsewhere();
  let faults = 0;
  const sandbox = await startSandbox({
    companies: generateRegistry({ companies, seed }),
    accounts: [{ id: 'main', key: KEY, perDay: PER_DAY, day: 'rolling' }],
    now: clock.now,
    faults: () => {
      if (random() >= faultShare) return null;
      faults += 1;
      return drawFault(random, elsewhere.origin);
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-faults-'));
  try {
    const house = openHouse(configOf(sandbox, folder), clock);
    const { runs, reports } = await runUntilWhole(house, sandbox, clock);
    const comparison = compareWithUpstream(house.warehouse.db, sandbox);
    const arrivals = sandbox.arrivals();
    const spent = house.ledger.state(clock.now()).spentEver;
    house.close();
    return {
      seed,
      runs,
      arrivals: arrivals.length,
      faults,
      recordCalls: arrivals.filter(({ kind }) => kind === 'entity').length,
      records: comparison.records,
      broken: [
        ...comparison.differences.map((difference) => `mirror unequal to the upstream: ${difference}`),
        ...(comparison.listed === comparison.upstream
          ? []
          : [`listed ${comparison.listed} of ${comparison.upstream}`]),
        ...(spent === arrivals.length ? [] : [`spent ${spent} units, but ${arrivals.length} calls arrived`]),
        ...arrivals
          .filter(({ status, fault }) => status === 429 && fault === null)
          .map(() => 'a call above the limit'),
        ...(elsewhere.requests() === 0 ? [] : ['another origin was asked']),
        ...keySightings(folder, reports),
      ],
    };
  } finally {
    await sandbox.close();
    elsewhere.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runUntilWhole(house: House, sandbox: Sandbox, clock: LeapingClock) {
  const reports: RunReport[] = [];
  for (let runs = 1; runs <= MOST_RUNS; runs++) {
    const report = await run(house, {
      command: 'sync',
      purpose: 'scheduled',
      kinds: ALL_KINDS,
      focus: 'coverage',
      maxCalls: Number.POSITIVE_INFINITY,
      maxMinutes: Number.POSITIVE_INFINITY,
      signal: new AbortController().signal,
    });
    reports.push(report);
    const { ending, coverage } = report;
    if (ending.ended === 'done' && coverage.fetched >= sandbox.companies.count()) return { runs, reports };
    const resumesAtMs = 'resumesAtMs' in ending ? (ending.resumesAtMs ?? 0) : 0;
    clock.leap(Math.max(resumesAtMs - clock.now(), HOUR_MS));
  }
  return { runs: MOST_RUNS, reports };
}

function configOf(sandbox: Sandbox, folder: string) {
  return configFrom({
    version: 1,
    upstream: {
      base_url: sandbox.baseUrl,
      api_key: KEY,
      timeouts: { connect: '2s', response: '250ms' },
      max_body: '1MiB',
      ...(sandbox.paths === null ? {} : { paths: sandbox.paths }),
    },
    account: { tier: 'paid' },
    allowance: { per_minute: 'unlimited', per_day: PER_DAY, day_starts: 'rolling' },
    dialect: sandbox.dialect,
    warehouse: join(folder, 'warehouse.db'),
    ledger: join(folder, 'ledger.db'),
  });
}

/** The key must stand in no file, and in nothing that a run says. */
function keySightings(folder: string, reports: readonly RunReport[]): string[] {
  const files = readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes(KEY));
  const said = reports.filter((report) => JSON.stringify(report).includes(KEY));
  return [
    ...files.map((file) => `the key stands in ${file}`),
    ...said.map(() => 'the key stands in a report'),
  ];
}

/** Another origin, where nothing of ours must ever arrive. */
async function openElsewhere() {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () => server.close(),
  };
}

const MOST_RUNS = 60;
const HOUR_MS = 3_600_000;
