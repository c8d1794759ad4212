import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateRegistry } from '../../../data/generate.ts';
import { configFrom } from '../../../src/config/load_config.ts';
import type { Dialect } from '../../../src/dialect/dialect.ts';
import { openWorkspace, type Workspace } from '../../../src/operations/assemble.ts';
import type { RunReport } from '../../../src/operations/run.ts';
import { seededRandom } from '../../../src/random.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { faulty } from '../../support/faults.ts';
import { type LeapingClock, leapingClock } from '../../support/leaping_clock.ts';
import { flawed } from '../../support/search_flaws.ts';
import { syncAll } from '../../support/sync.ts';
import { drawFault } from './fault_draw.ts';
import { compareMirror, type MirrorComparison } from './mirror_comparison.ts';
import { recordBodies } from './received_bodies.ts';
import { drawTrouble, startTrouble, type TroubleKind, type TroubleSchedule } from './trouble.ts';

export interface RoundOptions {
  readonly seed: number;
  readonly companies: number;
  /** The share of responses with a fault. */
  readonly faultShare: number;
  /**
   * Additional trouble during the first runs. `deceptions` means searches with flaws, moved paths, a changing registry
   * and clock skew. `dialects` adds a random profile.
   */
  readonly trouble?: TroubleKind;
}

export interface Round {
  readonly seed: number;
  readonly runs: number;
  readonly arrivals: number;
  readonly faults: number;
  /** How many complete bodies arrived. */
  readonly received: number;
  readonly recordCalls: number;
  /** How many records match the upstream's at the end. */
  readonly records: number;
  /** The share of the registry that is listed at the end. Some profiles make companies unreachable. */
  readonly listed: number;
  /** Describes each violated invariant. */
  readonly violations: readonly string[];
}

const KEY = 'canary-7f3a9c52e1d84b06';
const PER_DAY = 700;
const MAX_BODY_BYTES = 1024 * 1024;

/** Mirrors a sandbox with random faults in as many runs as needed, and then compares the mirror with the upstream. */
export async function faultRound(options: RoundOptions): Promise<Round> {
  const { seed, companies, faultShare, trouble: kind } = options;
  const random = seededRandom(seed).next;
  const clock = leapingClock(Date.UTC(2027, 0, 15, 9));
  const otherOrigin = await openOtherOrigin();
  const trouble = kind === undefined ? null : drawTrouble(kind, seed, companies);
  let schedule: TroubleSchedule | null = null;
  let isTroubled = true;
  let faults = 0;
  const sandbox = await startSandbox({
    companies: generateRegistry({
      companies,
      seed,
      ids: trouble?.profile.ids === 'number' ? 'numeric' : 'registry',
    }),
    accounts: [{ id: 'main', key: KEY, perDay: PER_DAY }],
    now: () => clock.now() + (trouble?.clockSkewMs ?? 0),
    ...(trouble === null ? {} : { profile: trouble.profile, flaws: flawed(trouble.flaws) }),
    faults: faulty(() => {
      schedule?.onArrival(clock.now());
      if (!isTroubled || random() >= faultShare) return null;
      faults += 1;
      return drawFault(random, otherOrigin.origin);
    }),
  });
  const received = recordBodies(sandbox.url, MAX_BODY_BYTES);
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-faults-'));
  try {
    const workspace = openWorkspace(configOf(sandbox, folder), clock);
    const violations: string[] = [];
    const reports: RunReport[] = [];
    if (trouble !== null) {
      schedule = startTrouble(sandbox, trouble, seed);
      for (let runs = 0; runs < TROUBLED_RUNS; runs++) {
        reports.push(await sync(workspace, companies));
        await schedule.restorePaths();
        violations.push(...compareMirror(sandbox, workspace.warehouse.db).falselyGone);
        leapToNextRun(clock, reports.at(-1));
      }
      await schedule.end();
      isTroubled = false;
      clock.leap(QUARTER_MS);
    }
    const isListable = kind !== 'dialects';
    const comparison = await runUntilEqual(workspace, sandbox, clock, isListable, reports);
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
      received: received.count,
      recordCalls: arrivals.filter(({ kind }) => kind === 'entity').length,
      records: comparison.equal,
      listed: Number((comparison.known / comparison.existing).toFixed(3)),
      violations: [
        ...violations,
        ...inequalities(comparison, isListable),
        ...lost,
        ...overspending(sandbox, spent),
        ...(otherOrigin.requests() === 0 ? [] : ['another origin received a request']),
        ...keyLeaks(folder, reports),
      ],
    };
  } finally {
    received.close();
    await sandbox.close();
    otherOrigin.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function sync(workspace: Workspace, maxCalls = Number.POSITIVE_INFINITY): Promise<RunReport> {
  return syncAll(workspace, { maxCalls });
}

/** Runs until the mirror matches the upstream. If not all companies can be listed, only known companies count. */
async function runUntilEqual(
  workspace: Workspace,
  sandbox: Sandbox,
  clock: LeapingClock,
  isListable: boolean,
  reports: RunReport[],
): Promise<MirrorComparison> {
  for (let runs = 1; ; runs++) {
    const report = await sync(workspace);
    reports.push(report);
    const comparison = compareMirror(sandbox, workspace.warehouse.db);
    const isEqual = report.ending.ended === 'done' && inequalities(comparison, isListable).length === 0;
    if (isEqual || runs === MAX_RUNS) return comparison;
    leapToNextRun(clock, report);
  }
}

/**
 * Moves the clock forward until the next run can make calls. If nothing was due, the clock moves by a day, because
 * some failures are retried only after a week.
 */
function leapToNextRun(clock: LeapingClock, report: RunReport | undefined): void {
  const ending = report?.ending;
  const resumesAtMs = ending !== undefined && 'resumesAtMs' in ending ? (ending.resumesAtMs ?? 0) : 0;
  clock.leap(Math.max(resumesAtMs - clock.now(), report?.totals.calls === 0 ? DAY_MS : HOUR_MS));
}

function inequalities(
  { existing, known, differences, falselyGone }: MirrorComparison,
  isListable: boolean,
): string[] {
  return [
    ...differences.slice(0, 10).map((difference) => `the mirror differs from the upstream: ${difference}`),
    ...falselyGone.slice(0, 10),
    ...(isListable && known < MIN_LISTED_SHARE * existing
      ? [`only ${known} of ${existing} companies are listed`]
      : []),
  ];
}

function overspending(sandbox: Sandbox, spent: number): string[] {
  const arrivals = sandbox.arrivals();
  const ofAccount = arrivals.filter(({ account }) => account === 'main').length;
  const rejected = ofAccount - (sandbox.accounts.account('main')?.usedTotal ?? 0);
  return [
    ...(spent === arrivals.length
      ? []
      : [`the ledger counts ${spent} calls, but ${arrivals.length} arrived`]),
    ...(rejected === 0 ? [] : [`${rejected} calls exceeded the limit`]),
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
      check_clock: false,
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

/** Names the files and run reports that contain the key. */
function keyLeaks(folder: string, reports: readonly RunReport[]): string[] {
  const files = readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes(KEY));
  const leaking = reports.filter((report) => JSON.stringify(report).includes(KEY));
  return [
    ...files.map((file) => `${file} contains the key`),
    ...leaking.map(() => 'a report contains the key'),
  ];
}

/** Starts a server at another origin, which must not receive any request. */
async function openOtherOrigin() {
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
// A cap can hide a name in a rare script from all searches.
const MIN_LISTED_SHARE = 0.95;
const MAX_RUNS = 60;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const QUARTER_MS = 91 * DAY_MS;
