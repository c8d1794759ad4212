import { resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { type Call, FIRST_PAGE } from '../call.ts';
import { type Clock, isoTime } from '../clock.ts';
import { type Config, ConfigError, requireDialect } from '../config/config.ts';
import { loadConfig } from '../config/load_config.ts';
import { MirrorError, UsageError } from '../errors.ts';
import { openWorkspace, type Workspace } from '../operations/assemble.ts';
import { knownCalls } from '../operations/dialect_check.ts';
import { rebuildLedger } from '../operations/ledger_loss.ts';
import { type RunReport, runEngine } from '../operations/run.ts';
import type { Outcome } from '../outcome.ts';
import { planCalls } from '../plan/listed_calls.ts';
import { counted, duration } from '../report/figures.ts';
import { redateCalls } from '../warehouse/call.ts';
import { define } from './command.ts';
import { checkTerms } from './doctor/account.ts';
import { type CheckResult, note, ok, problem, warning } from './doctor/check_result.ts';
import { checkFiles } from './doctor/files.ts';
import { checkRuntime, checkSqlite } from './doctor/machine.ts';
import { checkClock, checkConnection, checkRedis } from './doctor/network.ts';
import { lines, type Output, type Result } from './output.ts';
import { headlineOf } from './run_report_text.ts';

/** `doctor`: checks everything that a run needs, with a remedy for each problem. */
export default () =>
  define(
    'basics',
    new Command('doctor')
      .description(
        'Checks everything that a run needs and prints a remedy for each problem. It connects to the registry ' +
          'without sending a request, so it spends no call. With --online it sends one call to check ' +
          'the key and the clock, even if the ledger records that the upstream refused the key.',
      )
      .option('--online', 'spend one call to check the key and the clock')
      .option('--strict', 'also exit 1 if there are warnings')
      .option('--rebuild-ledger', 'rebuild a lost ledger from the calls stored in the warehouses')
      .option('--warehouse <file...>', "with --rebuild-ledger: the account's other warehouses")
      .addHelpText('after', EXAMPLES),
    async (
      { output, path, clock, untilInterrupted },
      { online, strict, rebuildLedger: rebuilds, warehouse },
    ) => {
      if (warehouse !== undefined && !rebuilds)
        throw new UsageError('--warehouse works only with --rebuild-ledger');
      const findings = [checkRuntime(), checkSqlite()];
      const config = configOrFindings(path);
      if ('findings' in config) findings.push(...config.findings);
      else {
        findings.push(ok('configuration', `${path} is valid`), ...checkTerms(config, clock.now()));
        if (rebuilds) findings.push(...(await rebuild(config, warehouse ?? [], clock)));
        // The call comes first, because the ledger then knows whether the key is accepted.
        const tested = online ? await checkOnline(config, untilInterrupted) : [];
        const isKeyTested = tested.some(({ check }) => check === 'key');
        findings.push(
          ...checkFiles(config, path, clock.now()).filter(({ check }) => check !== 'key' || !isKeyTested),
          ...(await checkConnection(config)),
          ...(await checkRedis(config)),
          ...tested,
        );
      }
      return resultOf(findings, strict ?? false, output);
    },
  );

const EXAMPLES = `
Examples:
  $ registry-mirror doctor
  $ registry-mirror doctor --online      after changing the key: one call shows whether it is accepted
  $ registry-mirror doctor --rebuild-ledger --warehouse other.db      after the ledger was lost
  $ registry-mirror doctor --json | jq '.data.findings[] | select(.status != "ok")'

Exit codes: 0 no problems; 1 problems (with --strict also warnings).`;

function configOrFindings(path: string): Config | { findings: CheckResult[] } {
  try {
    return loadConfig({ path });
  } catch (error) {
    if (error instanceof ConfigError)
      return {
        findings: error.problems.map(({ where, line, key, message, remedy }) =>
          problem(
            'configuration',
            `${where}${line === null ? '' : `:${line}`}: ${key === '' ? '' : `${key}: `}${message}`,
            remedy ?? 'Correct the configuration. `registry-mirror config validate` shows the line.',
          ),
        ),
      };
    if (error instanceof MirrorError)
      return {
        findings: [problem('configuration', error.message, error.hint ?? 'Run `registry-mirror init`.')],
      };
    throw error;
  }
}

async function rebuild(config: Config, others: readonly string[], clock: Clock): Promise<CheckResult[]> {
  const paths = [...new Set([config.warehouse, ...others.map((path) => resolve(path))])];
  const { warehouses, added, movedTo } = await rebuildLedger(config, paths, clock);
  const moved = movedTo === null ? '' : `; the corrupt file is now ${movedTo}`;
  const what = `rebuilt from ${counted(warehouses.length, 'warehouse')}: ${counted(added, 'call')} added${moved}`;
  return [
    note(
      'ledger',
      what,
      "If yet another warehouse spends this account's allowance, name it with --warehouse.",
    ),
  ];
}

/**
 * Makes one call. As with any other call, the ledger is debited, the rate limit applies, and the response is stored.
 */
async function checkOnline(
  config: Config,
  untilInterrupted: (note: string) => AbortSignal,
): Promise<CheckResult[]> {
  if (config.dialect === undefined)
    return [
      note(
        'call',
        'no call was sent: the dialect is missing',
        'Run `registry-mirror probe`. Its first calls check the key.',
      ),
    ];
  using workspace = openWorkspace(config);
  workspace.ledger.liftStops();
  let outcome: Outcome | null = null;
  const report = await runEngine(workspace, {
    command: 'doctor',
    openPlanner: (guards) => planCalls([checkingCall(workspace)], guards),
    maxCalls: 1,
    maxMinutes: 5,
    trustsClock: true,
    signal: untilInterrupted('Waiting for the response (press Ctrl-C again to stop immediately) …'),
    onProgress: (_, [first = null]) => {
      outcome = first;
    },
  });
  return [...onlineFindings(report, outcome, workspace), ...redated(report, workspace)];
}

/** Returns a call that the API should accept: the statistics, a known query or record, or a short query. */
function checkingCall(workspace: Workspace): Call {
  const [known] = knownCalls(workspace);
  const text = 'a'.repeat(Math.max(1, requireDialect(workspace.config).search.min_length));
  const call = known ?? { kind: 'search', query: { by: 'name', text }, page: FIRST_PAGE, expected: 0 };
  return { ...call, reason: 'checks the key and the clock' };
}

/** Once the clock is known to be right, corrects the times of calls that were made while it was ahead. */
function redated({ ending }: RunReport, { warehouse, clock }: Workspace): CheckResult[] {
  if (ending.ended === 'failed') return [];
  const calls = warehouse.write(() => redateCalls(warehouse.db, isoTime(clock.now())));
  if (calls === 0) return [];
  return [
    warning(
      'clock',
      `${counted(calls, 'call')} had a later time than now, because the clock was ahead; their times were corrected`,
      'Run `registry-mirror reprocess` to correct the times in the tables.',
    ),
  ];
}

function onlineFindings(report: RunReport, outcome: Outcome | null, { config }: Workspace): CheckResult[] {
  const { ending } = report;
  if (outcome === null) {
    return [
      warning('call', headlineOf(report), WHEN_TO_RETRY[ending.ended] ?? 'Remove the cause, then retry.'),
    ];
  }
  const clock =
    ending.ended === 'failed' && outcome.verdict.is === 'ok'
      ? [problem('clock', ending.why, 'Set the clock by NTP (timedatectl set-ntp true).')]
      : checkClock(outcome.headers, Date.parse(outcome.sentAt) + outcome.durationMs);
  return [callFinding(report, outcome, config), ...clock];
}

const WHEN_TO_RETRY: Partial<Record<RunReport['ending']['ended'], string>> = {
  allowance: 'Retry when calls are available again.',
  another_run: 'Wait until that run ends, then retry.',
};

function callFinding(
  { totals, coverage }: RunReport,
  { call, verdict, status, durationMs }: Outcome,
  config: Config,
): CheckResult {
  const spent = `${counted(totals.calls, 'call')} spent`;
  switch (verdict.is) {
    case 'ok':
      return ok('call', `the key is accepted; ${CALLS[call.kind]} took ${duration(durationMs)} (${spent})`);
    case 'unauthorised':
      return problem(
        'key',
        `the upstream refused the key: ${verdict.why} (${spent})`,
        'Correct `upstream.api_key`. Until then, runs send one call a day.',
      );
    case 'throttled':
    case 'exhausted':
      return warning(
        'call',
        `the key is accepted, but the upstream rejects calls now: ${verdict.why} (${spent})`,
        'No action is needed: runs wait until calls are accepted.',
      );
    default: {
      // If the mirror has companies, the base URL is right.
      if (call.kind === 'stats' && status === 404 && coverage.known > 0 && coverage.registryTotal === null)
        return ok(
          'call',
          `the API has no statistics (HTTP 404), so the registry reports no count (${spent})`,
        );
      const why = 'why' in verdict ? verdict.why : `HTTP ${status}`;
      return problem(
        'call',
        `${CALLS[call.kind]} failed: ${why} (${spent})`,
        `Check upstream.base_url (${config.upstream.base_url}), then run \`registry-mirror probe --check\`.`,
      );
    }
  }
}

const CALLS: Readonly<Record<Call['kind'], string>> = {
  stats: 'the statistics call',
  search: 'the search call',
  entity: 'the record call',
};

function resultOf(findings: readonly CheckResult[], isStrict: boolean, output: Output): Result {
  const counts = { ok: 0, note: 0, warning: 0, problem: 0 };
  for (const { status } of findings) counts[status]++;
  const hasFailed = counts.problem > 0 || (isStrict && counts.warning > 0);
  const attention = findings.filter(({ status }) => status === 'warning' || status === 'problem');
  // Programs written for version 0.1 read the old keys `is` and `what`.
  const withOldKeys = findings.map((one) => ({ ...one, is: one.status, what: one.message }));
  const described = (some: readonly CheckResult[]) => some.map((one) => describe(one, output));
  return {
    error: hasFailed ? { message: summary(counts), hint: null } : null,
    data: { problems: counts.problem, warnings: counts.warning, findings: withOldKeys },
    text: lines(...described(findings), '', output.style('bold', summary(counts))),
    attention: attention.length === 0 ? null : lines(...described(attention)),
  };
}

function describe({ check, status, message, remedy }: CheckResult, output: Output): string {
  const line = `${output.style(STYLES[status], status)}${' '.repeat(9 - status.length)}${check}: ${message}`;
  return remedy === null ? line : `${line}\n${output.style('dim', `         → ${remedy}`)}`;
}

function summary({ problem: problems, warning: warnings }: Record<CheckResult['status'], number>): string {
  if (warnings === 0) return problems === 0 ? 'No problems.' : `${counted(problems, 'problem')}.`;
  return `${counted(warnings, 'warning')}, ${problems === 0 ? 'no problems' : counted(problems, 'problem')}.`;
}

const STYLES = { ok: 'green', note: 'blue', warning: 'yellow', problem: 'red' } as const;
