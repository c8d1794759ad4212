import { Command } from 'commander';
import { type Config, configPath } from '../config/config.ts';
import { openWorkspace } from '../operations/assemble.ts';
import { type ProbeReport, probe } from '../operations/probe.ts';
import type { Hints, Specification } from '../probe/beliefs.ts';
import { limitHeaders, type ReportedFinding, reportFindings, reportStatements } from '../probe/report.ts';
import { count, counted, duration } from '../report/figures.ts';
import { lastCallId } from '../warehouse/call.ts';
import {
  interruptible,
  openContext,
  positiveNumber,
  type SharedFlags,
  wholeNumber,
  withSharedOptions,
} from './context.ts';
import { type Output, standardStreams } from './output.ts';
import { findingLine, narrator, statementsText } from './probe/findings_text.ts';
import { openapiIn, statedUpstream, withStatements } from './probe/openapi_file.ts';
import { writeFindings } from './probe/write_findings.ts';
import { probeCheck } from './probe_check.ts';
import { type Asker, openAsker } from './questions.ts';
import { headlineOf } from './run_report.ts';

export interface ProbeFlags extends SharedFlags {
  readonly maxCalls?: number;
  readonly maxMinutes?: number;
  readonly queryParam?: string;
  readonly example?: readonly string[];
  readonly openapi?: string;
  readonly fresh?: boolean;
  readonly dryRun?: boolean;
  readonly check?: boolean;
  readonly yes?: boolean;
}

/** `probe`: learns the API's dialect, and writes it to the configuration. */
export function probeCommand(): Command {
  const command = new Command('probe')
    .description(
      'Sends a few calls, each chosen after reading the previous responses. Writes the dialect to the ' +
        'configuration, with a comment on each uncertain value. Every response is stored, and no call is repeated.',
    )
    .option('--max-calls <n>', 'spend at most this many calls', wholeNumber)
    .option('--max-minutes <n>', 'stop after this many minutes', positiveNumber)
    .option('--query-param <name>', 'the search parameter for names, if you know it')
    .option('--example <name...>', 'names of companies in the registry, if you know some')
    .option('--openapi <file>', 'an OpenAPI document for the API, which saves calls')
    .option('--fresh', 'ignore responses from earlier probes, for example after the API has changed')
    .option('--dry-run', 'print the cost estimate without sending calls')
    .option('--check', 'check the dialect against stored responses and, with --max-calls, against new ones')
    .option('--yes', 'ask no questions')
    .addHelpText('after', EXAMPLES)
    .action((flags: ProbeFlags) => (flags.check ? probeCheck(flags) : findDialect(flags)));
  return withSharedOptions(command);
}

/** Probes the API, writes the dialect, and prints the findings. */
export async function findDialect(flags: ProbeFlags): Promise<void> {
  const { config: configured, output } = await openContext(flags);
  const path = configPath({ path: flags.config });
  const maxCalls = flags.maxCalls ?? MOST_CALLS;
  const specification = flags.openapi === undefined ? null : openapiIn(flags.openapi, configured);
  const config = specification === null ? configured : withStatements(configured, specification);
  if (flags.dryRun) return announce(config, output, maxCalls, specification);
  // If there is no key, fail before announcing the calls.
  config.upstream.api_key.reveal();
  const streams = standardStreams();
  const asks = !flags.yes && output.mode === 'text' && process.stdin.isTTY;
  const asker = asks ? openAsker(process.stdin, streams) : null;
  try {
    if (specification !== null) output.note(statementsText(output, specification));
    output.note(describeProbeCost(config, maxCalls));
    const report = await probeAndAsk(config, output, asker, { ...flags, maxCalls, specification });
    const stated = specification === null ? null : statedUpstream(configured, specification);
    writeFindings(path, report, stated);
    print(output, report, path);
  } finally {
    asker?.close();
  }
}

const MOST_CALLS = 16;

/** Probes the API. If an answer from the user would help, asks a question and continues with the remaining calls. */
async function probeAndAsk(
  config: Config,
  output: Output,
  asker: Asker | null,
  flags: ProbeFlags & { readonly maxCalls: number; readonly specification: Specification | null },
): Promise<ProbeReport> {
  const workspace = openWorkspace(config);
  const interruption = interruptible(() =>
    output.note('Finishing the in-flight call (press Ctrl-C again to stop immediately) …'),
  );
  try {
    const order = {
      maxMinutes: flags.maxMinutes ?? Number.POSITIVE_INFINITY,
      signal: interruption.signal,
      onAnswer: narrator(output),
      after: flags.fresh ? lastCallId(workspace.warehouse.db) : 0,
    };
    const { specification } = flags;
    let hints: Hints = {
      queryParam: flags.queryParam ?? specification?.queryParam.value ?? null,
      examples: flags.example ?? [],
      specification,
    };
    for (let left = flags.maxCalls; ; ) {
      const report = await probe(workspace, { ...order, hints, maxCalls: left });
      left -= report.run.totals.calls;
      const newHints = left > 0 && asker !== null ? await askFor(report, asker, hints) : null;
      if (newHints === null) return report;
      hints = newHints;
    }
  } finally {
    interruption.done();
    workspace.close();
  }
}

/** Asks the user for hints. Returns null if no hint is needed or the user has none. */
async function askFor({ run, questions }: ProbeReport, asker: Asker, hints: Hints): Promise<Hints | null> {
  if (run.ending.ended !== 'done') return null;
  const question = questions.find(({ about }) => about === 'query_param' || about === 'example');
  if (question === undefined) return null;
  const optional = (answer: string) => answer;
  if (question.about === 'query_param' && hints.queryParam === null) {
    const param = await asker.text('Which parameter searches for company names? (empty: unknown)', optional);
    if (param !== '') return { ...hints, queryParam: param };
  }
  const name = await asker.text('What is the name of a company in the registry? (empty: stop)', optional);
  return name === '' ? null : { ...hints, examples: [...hints.examples, name] };
}

function print(output: Output, report: ProbeReport, path: string): void {
  const { run, draft, questions, beliefs, exchanges } = report;
  const findings = reportFindings(beliefs);
  const limits = limitHeaders(exchanges);
  const isComplete = draft !== null;
  process.exitCode = run.ending.ended === 'interrupted' ? 130 : isComplete ? 0 : 1;
  const text = [
    output.style('bold', outcomeOf(report, path)),
    findingsText(output, findings),
    ...(limits.length === 0 ? [] : [limits.map(({ name, value }) => `  ${name}: ${value}`).join('\n')]),
    ...(questions.length === 0
      ? []
      : [`Open:\n${questions.map(({ text: question }) => `  ${question}`).join('\n')}`]),
    ...(run.ending.ended === 'interrupted' ? [] : [nextStepOf(report)]),
  ].join('\n\n');
  output.result({
    command: 'probe',
    error: isComplete ? null : { message: outcomeOf(report, path), hint: null },
    data: {
      ended: run.ending.ended,
      why: 'why' in run.ending ? (run.ending.why ?? null) : null,
      complete: isComplete,
      calls_spent: run.totals.calls,
      calls_left: run.callsLeft === Number.POSITIVE_INFINITY ? null : run.callsLeft,
      file: path,
      findings,
      limits,
      questions,
      dialect: draft?.dialect ?? null,
    },
    text,
    attention: isComplete && questions.length === 0 ? null : text,
  });
}

function outcomeOf({ run, draft, questions }: ProbeReport, path: string): string {
  const { ending, totals } = run;
  const cost = counted(totals.calls, 'call');
  if (draft !== null) {
    const rest = questions.length === 0 ? '' : `, with ${counted(questions.length, 'open question')}`;
    return `${cost}: dialect found${rest} and written to ${path}.`;
  }
  if (ending.ended === 'done') return `${cost}: dialect not found yet. The open questions are in ${path}.`;
  return `${cost}: dialect not found yet. ${headlineOf(run)}`;
}

/** Lists the findings, one line each, and the open ones in one line. */
function findingsText(output: Output, findings: readonly ReportedFinding[]): string {
  const found = findings.filter(({ certainty }) => certainty !== 'open');
  const open = findings.filter(({ certainty }) => certainty === 'open').map(({ topic }) => topic);
  return [
    ...found.map((finding) => `  ${findingLine(output, finding)}`),
    ...(open.length === 0 ? [] : [`  open: ${open.join(', ')}`]),
  ].join('\n');
}

/** Returns the next step, and the calls that the account has left. */
function nextStepOf({ run, draft, questions }: ProbeReport): string {
  const left =
    run.callsLeft === Number.POSITIVE_INFINITY
      ? ''
      : ` The account has ${counted(run.callsLeft, 'call')} left.`;
  if (draft !== null)
    return `Next: \`registry-mirror plan\` estimates the mirror's cost, \`registry-mirror sync\` builds it.${left}`;
  if (run.ending.ended !== 'done')
    return `Next: correct the cause above, then run \`registry-mirror probe\` again. No call is repeated.${left}`;
  return `Next: answer the question${questions.length === 1 ? '' : 's'} above, then run \`registry-mirror probe\` again. No call is repeated.${left}`;
}

function announce(
  config: Config,
  output: Output,
  maxCalls: number,
  specification: Specification | null,
): void {
  const cost = describeProbeCost(config, maxCalls);
  const text = specification === null ? cost : `${statementsText(output, specification)}\n\n${cost}`;
  output.result({
    command: 'probe',
    data: {
      dry_run: true,
      max_calls: maxCalls,
      ...(specification === null ? {} : { openapi: reportStatements(specification) }),
    },
    text,
    attention: null,
  });
}

function describeProbeCost({ allowance }: Config, maxCalls: number): string {
  const time =
    allowance.per_minute === null
      ? ''
      : `, up to ${duration((maxCalls / allowance.per_minute) * 60_000)} at ${count(allowance.per_minute)} calls a minute`;
  return `At most ${counted(maxCalls, 'call')}${time}. Each response is stored.`;
}

const EXAMPLES = `
Examples:
  $ registry-mirror probe
  $ registry-mirror probe --max-calls 8 --query-param q
  $ registry-mirror probe --example "Acme Holdings"
  $ registry-mirror probe --openapi openapi.json --dry-run
  $ registry-mirror probe --check

Exit codes: 0 dialect written; 1 dialect not found; 2 usage or configuration; 130 interrupted.`;
