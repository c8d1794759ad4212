import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { openOutput, printError, type Streams } from '../../src/cli/output.ts';
import { syncOnce } from '../../src/cli/sync.ts';
import { configFrom } from '../../src/config/load_config.ts';
import { openWorkspace } from '../../src/operations/assemble.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { Fault } from '../support/faults.ts';
import { faulty } from '../support/faults.ts';
import { leapingClock } from '../support/leaping_clock.ts';

const HOUR_MS = 3_600_000;
const COMPANIES = 330;
const PER_DAY = 250;
const START = Date.UTC(2027, 0, 11, 0, 17);

let close: (() => Promise<void>) | null = null;

afterEach(async () => {
  await close?.();
  close = null;
});

describe('hourly `sync --quiet` runs from cron, for five days with 250 calls a day', () => {
  it('hourly runs print only problems, and report a rejected key once a day', async () => {
    const { hours, sandbox } = await cronDays();
    const mails = hours.filter(({ mail }) => mail !== '');
    expect(
      mails.map(({ hour, exitCode, mail }) => `${hour} (exit ${exitCode}): ${steady(mail)}`),
    ).toMatchInlineSnapshot(`
      [
        "24 (exit 1): Failed: N calls in a row failed; the last one was for CALL: HTTP 500",
        "25 (exit 3): N responses moved to quarantine; list: registry-mirror quarantine list",
        "26 (exit 1): Stopped: the upstream refused the key: HTTP 401: No account has this key. Correct \`upstream.api_key\`. If it is correct, test it with \`registry-mirror doctor --online\`. Runs send one call a day until a call succeeds.",
        "50 (exit 1): Stopped: the upstream refused the key: HTTP 401: No account has this key. Correct \`upstream.api_key\`. If it is correct, test it with \`registry-mirror doctor --online\`. Runs send one call a day until a call succeeds.",
      ]
    `);
    // Quota exhaustion is not a problem, so cron sends no mail.
    const spent = hours.filter(({ calls }) => calls > 0);
    expect(spent.some(({ hour, mail }) => hour > 52 && mail === '')).toBe(true);
    expect(hours[0]).toMatchObject({ calls: PER_DAY, exitCode: 0, mail: '' });
    expect(
      hours
        .slice(26, 53)
        // A key is tried once a day.
        .every(({ calls, exitCode }, at) => calls === (at % 24 === 0 ? 1 : 0) && exitCode === 1),
    ).toBe(true);
    expect(hours.slice(1, 24).every(({ calls }) => calls === 0)).toBe(true);
    expect(sandbox.accounts.account('main')?.usedTotal).toBeLessThan(2 * PER_DAY);
  });
});

/** Masks times, the number of in-flight calls and the last of them, which differ from run to run. */
function steady(mail: string): string {
  return mail
    .replace(/\b\d+(?= calls in a row| responses)/g, 'N')
    .replace(/(?<=the last one was for )(?:search \S+|entity \w+)(?=: HTTP)/g, 'CALL')
    .replace(/(?<=entity[ /])\w+/g, 'ID')
    .replace(/\d{1,2} \w+ 2027, \d\d:\d\d \w+/g, 'DATE')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE');
}

interface Hour {
  readonly hour: number;
  /** Cron's mail, which contains the command's whole output. */
  readonly mail: string;
  readonly exitCode: number;
  readonly calls: number;
}

async function cronDays() {
  const clock = leapingClock(START);
  let hour = 0;
  const sandbox = await startSandbox({
    companies: generateRegistry({ companies: COMPANIES, seed: 9 }),
    accounts: [{ id: 'main', perDay: PER_DAY }],
    now: clock.now,
    faults: faulty(({ url }) => troubleAt(hour, url)),
  });
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-cron-'));
  close = async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const hours: Hour[] = [];
  for (; hour < 5 * 24; hour++) {
    clock.leap(START + hour * HOUR_MS - clock.now());
    hours.push(await cronHour(hour, { sandbox, folder, clock, isRefused: hour >= 26 && hour <= 52 }));
  }
  return { hours, sandbox };
}

/** During the first hour of the second day, the upstream fails. One hour later, some records contain invalid JSON. */
function troubleAt(hour: number, url: string): Fault | null {
  if (hour === 24) return { kind: 'status', status: 500 };
  if (hour === 25 && url.endsWith('7')) return { kind: 'not_json' };
  return null;
}

/** Runs one line of a crontab with its own files and streams, as in a separate process. */
async function cronHour(
  hour: number,
  { sandbox, folder, clock, isRefused }: Place & { readonly isRefused: boolean },
): Promise<Hour> {
  const before = sandbox.arrivals().length;
  const { streams, printed } = pipes();
  const output = openOutput({ quiet: true }, streams);
  const workspace = openWorkspace(configOf(sandbox, folder, isRefused), clock);
  let exitCode: number;
  try {
    const result = await syncOnce(workspace, {}, output, new AbortController().signal);
    output.result('sync', result);
    exitCode = result.exitCode ?? 0;
  } catch (error) {
    exitCode = printError(error, 'sync', output, streams);
  } finally {
    workspace.close();
  }
  return { hour, mail: printed().trim(), exitCode, calls: sandbox.arrivals().length - before };
}

interface Place {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly clock: ReturnType<typeof leapingClock>;
}

function configOf(sandbox: Sandbox, folder: string, isRefused: boolean) {
  return configFrom({
    version: 1,
    upstream: {
      base_url: sandbox.baseUrl,
      api_key: isRefused ? 'a-key-of-yesterday' : sandbox.keyOf('main'),
      // Injected failures have the real time in their Date header.
      check_clock: false,
    },
    allowance: { per_minute: 'unlimited', per_day: PER_DAY, day_starts: '00:00 UTC' },
    dialect: sandbox.dialect,
    warehouse: join(folder, 'warehouse.db'),
    ledger: join(folder, 'ledger.db'),
  });
}

/** Standard output and standard error without a terminal, combined as cron does for its mail. */
function pipes(): { streams: Streams; printed: () => string } {
  let text = '';
  const pipe = () => {
    const stream = new PassThrough();
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    return stream as unknown as NodeJS.WriteStream;
  };
  return { streams: { stdout: pipe(), stderr: pipe(), env: {} }, printed: () => text };
}
