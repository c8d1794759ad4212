import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateRegistry } from '../../../data/generate.ts';
import { configFrom } from '../../../src/config/config.ts';
import type { Dialect } from '../../../src/dialect/dialect.ts';
import { openWorkspace, type Workspace } from '../../../src/operations/assemble.ts';
import { ALL_KINDS, type RunReport, run } from '../../../src/operations/run.ts';
import { seededRandom } from '../../../src/random.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { type LeapingClock, leapingClock } from '../../support/leaping_clock.ts';
import { drawFault } from './drawn.ts';
import { type Holding, holdAgainst } from './holding.ts';
import { listenToAnswers } from './received.ts';
import { drawTrouble, startUnrest, type TroubleKind, type Unrest } from './trouble.ts';

export interface RoundOptions {
  readonly seed: number;
  readonly companies: number;
  /** Share of answers that go wrong. */
  readonly faultShare: number;
  /**
   * What goes wrong beside single answers, for the first runs. deceptions: searches that lie, paths that
   * move, a registry that changes, another clock · dialects: the same in a dialect drawn by seed.
   */
  readonly trouble?: TroubleKind;
}

export interface Round {
  readonly seed: number;
  readonly runs: number;
  readonly arrivals: number;
  readonly faults: number;
  /** Bodies that arrived whole. */
  readonly received: number;
  readonly recordCalls: number;
  /** Records that are equal to the upstream's at the end. */
  readonly records: number;
  /** Share of the registry that was listed in the end: some dialects let nobody list more. */
  readonly listed: number;
  /** What must not be: each a sentence. */
  readonly broken: readonly string[];
}

const KEY = 'canary-7f3a9c52e1d84b06';
const PER_DAY = 700;
const MAX_BODY_BYTES = 1024 * 1024;

/** One registry, faults drawn by seed, as many runs as it takes: then the mirror is held against the upstream. */
export async function faultRound(options: RoundOptions): Promise<Round> {
  const { seed, companies, faultShare, trouble: kind } = options;
  const random = seededRandom(seed).next;
  const clock = leapingClock(Date.UTC(2027, 0, 15, 9));
  const elsewhere = await openElsewhere();
  const trouble = kind === undefined ? null : drawTrouble(kind, seed, companies);
  let unrest: Unrest | null = null;
  let isTroubled = true;
  let faults = 0;
  const sandbox = await startSandbox({
    companies: generateRegistry({
      companies,
      seed,
      ids: trouble?.shape.ids === 'number' ? 'numeric' : 'registry',
    }),
    accounts: [{ id: 'main', key: KEY, perDay: PER_DAY, day: 'rolling' }],
    now: clock.now,
    ...(trouble === null ? {} : { shape: trouble.deceiving, clockSkewMs: trouble.clockSkewMs }),
    faults: () => {
      unrest?.onArrival(clock.now());
      if (!isTroubled || random() >= faultShare) return null;
      faults += 1;
      return drawFault(random, elsewhere.origin);
    },
  });
  const received = listenToAnswers(sandbox.url, MAX_BODY_BYTES);
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-faults-'));
  try {
    const workspace = openWorkspace(configOf(sandbox, folder), clock);
    const broken: string[] = [];
    const reports: RunReport[] = [];
    if (trouble !== null) {
      unrest = startUnrest(sandbox, trouble, seed);
      for (let runs = 0; runs < TROUBLED_RUNS; runs++) {
        reports.push(await sync(workspace, companies));
        await unrest.settle();
        broken.push(...holdAgainst(sandbox, workspace.warehouse.db).falselyGone);
        leapOver(clock, reports.at(-1));
      }
      await unrest.end();
      isTroubled = false;
      clock.leap(QUARTER_MS);
    }
    const isListable = kind !== 'dialects';
    const holding = await runUntilWhole(workspace, sandbox, clock, isListable, reports);
    const lost = isWithoutVolatile(workspace.config.dialect)
      ? received.missingFrom(workspace.warehouse.db)
      : [];
    const spent = workspace.ledger.state(clock.now()).spentEver;
    workspace.close();
    const arrivals = sandbox.arrivals();
    return {
      seed,
      runs: reports.length,
      arrivals: arrivals.length,
      faults,
      received: received.bodies,
      recordCalls: arrivals.filter(({ kind }) => kind === 'entity').length,
      records: holding.equal,
      listed: Number((holding.known / holding.living).toFixed(3)),
      broken: [
        ...broken,
        ...unequal(holding, isListable),
        ...lost,
        ...overspent(sandbox, spent),
        ...(elsewhere.requests() === 0 ? [] : ['another origin was asked']),
        ...keySightings(folder, reports),
      ],
    };
  } finally {
    received.close();
    await sandbox.close();
    elsewhere.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function sync(workspace: Workspace, maxCalls = Number.POSITIVE_INFINITY): Promise<RunReport> {
  return run(workspace, {
    command: 'sync',
    purpose: 'scheduled',
    kinds: ALL_KINDS,
    focus: 'coverage',
    maxCalls,
    maxMinutes: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
  });
}

/** Runs until nothing differs; where not all can be listed, until nothing that is known does. */
async function runUntilWhole(
  workspace: Workspace,
  sandbox: Sandbox,
  clock: LeapingClock,
  isListable: boolean,
  reports: RunReport[],
): Promise<Holding> {
  for (let runs = 1; ; runs++) {
    const report = await sync(workspace);
    reports.push(report);
    const holding = holdAgainst(sandbox, workspace.warehouse.db);
    const isWhole = report.ending.ended === 'done' && unequal(holding, isListable).length === 0;
    if (isWhole || runs === MOST_RUNS) return holding;
    leapOver(clock, report);
  }
}

/** To the moment at which the next run can do something. */
function leapOver(clock: LeapingClock, report: RunReport | undefined): void {
  const ending = report?.ending;
  const resumesAtMs = ending !== undefined && 'resumesAtMs' in ending ? (ending.resumesAtMs ?? 0) : 0;
  clock.leap(Math.max(resumesAtMs - clock.now(), HOUR_MS));
}

function unequal({ living, known, differences, falselyGone }: Holding, isListable: boolean): string[] {
  return [
    ...differences.slice(0, 10).map((difference) => `mirror unequal to the upstream: ${difference}`),
    ...falselyGone.slice(0, 10),
    ...(isListable && known < ENOUGH_LISTED * living ? [`listed ${known} of ${living}`] : []),
  ];
}

function overspent(sandbox: Sandbox, spent: number): string[] {
  const arrivals = sandbox.arrivals();
  const ours = arrivals.filter(({ account }) => account === 'main').length;
  const refused = ours - sandbox.admitted('main');
  return [
    ...(spent === arrivals.length ? [] : [`spent ${spent} units, but ${arrivals.length} calls arrived`]),
    ...(refused === 0 ? [] : [`${refused} calls above the limit`]),
  ];
}

function isWithoutVolatile(dialect: Dialect | undefined): boolean {
  return dialect?.volatile.length === 0;
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

const TROUBLED_RUNS = 4;
// A name in a script of its own, hidden behind searches that show no more than a window, may stay unlisted.
const ENOUGH_LISTED = 0.95;
const MOST_RUNS = 60;
const HOUR_MS = 3_600_000;
const QUARTER_MS = 91 * 24 * HOUR_MS;
