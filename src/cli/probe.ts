import { Command } from '@commander-js/extra-typings';
import { type Config, requireDialect } from '../config/config.ts';
import { credentialsOf } from '../config/credentials.ts';
import { openWorkspace } from '../operations/assemble.ts';
import { checkDialect } from '../operations/dialect_check.ts';
import { type ProbeReport, probeUpstream } from '../operations/probe.ts';
import type { Hints } from '../probe/beliefs.ts';
import { type ReportedFinding, reportFindings } from '../probe/fields.ts';
import type { Specification } from '../probe/openapi/specification.ts';
import { limitHeaders, reportStatements } from '../probe/report.ts';
import { count, counted, duration } from '../report/figures.ts';
import { sentence } from '../report/problems.ts';
import { lastCallId } from '../warehouse/call.ts';
import { define, maxCallsOption, maxMinutesOption } from './command.ts';
import type { Output, Result } from './output.ts';
import { findingLine, limitsText, narrator, statementsText } from './probe/findings_text.ts';
import { openapiIn, statedUpstream, withStatements } from './probe/openapi_file.ts';
import { writeFindings } from './probe/write_findings.ts';
import { checkResult } from './probe_check.ts';
import { type Asker, askerFor } from './questions.ts';
import { headlineOf, KEY_REFUSED } from './run_report_text.ts';

/** `probe`: learns the API's dialect, and writes it to the configuration. */
export default () =>
  define(
    'config',
    new Command('probe')
      .description(
        'Sends a few calls, each chosen after reading the previous responses. Writes the dialect to the ' +
          'configuration, with a comment on each uncertain value. Every response is stored, and no call is repeated.',
      )
      .addOption(maxCallsOption())
      .addOption(maxMinutesOption())
      .option(
        '--query-param <name>',
        "the search parameter for names, if you know it: q, or an expression such as 'search=name:{query}'",
      )
      .option('--example <name...>', 'names of companies in the registry, if you know some')
      .option('--openapi <file>', 'an OpenAPI document for the API, which saves calls')
      .option('--fresh', 'ignore responses from earlier probes, for example after the API has changed')
      .option('--dry-run', 'print the cost estimate without sending calls')
      .option('--check', 'check the dialect against stored responses and, with --max-calls, against new ones')
      .option('--yes', 'ask no questions')
      .addHelpText('after', EXAMPLES),
    async (opened, flags) => {
      if (!flags.check) return findDialect(opened, flags);
      const { config, output, untilInterrupted } = opened;
      requireDialect(config);
      using workspace = openWorkspace(config);
      const signal = untilInterrupted('Finishing the in-flight call …');
      return checkResult(output, await checkDialect(workspace, { maxCalls: flags.maxCalls ?? 0, signal }));
    },
  );

const EXAMPLES = `
Examples:
  $ registry-mirror probe
  $ registry-mirror probe --max-calls 8 --query-param q
  $ registry-mirror probe --query-param 'search=name:{query}'
  $ registry-mirror probe --example "Acme Holdings"
  $ registry-mirror probe --openapi openapi.json --dry-run
  $ registry-mirror probe --check

Exit codes: 0 dialect written; 1 dialect not found; 2 usage or configuration; 130 interrupted.`;

interface ProbeFlags {
  readonly maxCalls?: number;
  readonly maxMinutes?: number;
  readonly queryParam?: string;
  readonly example?: readonly string[];
  readonly openapi?: string;
  readonly fresh?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** What a probe uses. */
interface ProbeContext {
  readonly config: Config;
  readonly path: string;
  readonly output: Output;
  untilInterrupted(note: string): AbortSignal;
}

/** Probes the API, writes the dialect, and returns the findings. */
export async function findDialect(context: ProbeContext, flags: ProbeFlags): Promise<Result> {
  const { config: configured, path, output } = context;
  const { maxCalls = MOST_CALLS } = flags;
  const specification = flags.openapi === undefined ? null : openapiIn(flags.openapi, configured);
  const config = specification === null ? configured : withStatements(configured, specification);
  if (flags.dryRun) return estimateResult(config, output, maxCalls, specification);
  // If there is no key, fail before announcing the calls.
  credentialsOf(config.upstream);
  using asker = askerFor(output, flags.yes);
  if (specification !== null) output.note(statementsText(output, specification));
  output.note(describeProbeCost(config, maxCalls));
  const report = await probeAndAsk({ ...context, config }, asker, { ...flags, maxCalls, specification });
  const stated = specification === null ? null : statedUpstream(configured, specification);
  writeFindings(path, report, stated);
  return resultOf(output, report, { path, hasDialect: configured.dialect !== undefined });
}

const MOST_CALLS = 16;

/** Probes the API. If an answer from the user would help, asks a question and continues with the remaining calls. */
async function probeAndAsk(
  { config, output, untilInterrupted }: ProbeContext,
  asker: Asker | null,
  flags: ProbeFlags & { readonly maxCalls: number; readonly specification: Specification | null },
): Promise<ProbeReport> {
  using workspace = openWorkspace(config);
  const order = {
    maxMinutes: flags.maxMinutes ?? Infinity,
    signal: untilInterrupted('Finishing the in-flight call (press Ctrl-C again to stop immediately) …'),
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
    const report = await probeUpstream(workspace, { ...order, hints, maxCalls: left });
    left -= report.run.totals.calls;
    const newHints = left > 0 && asker !== null ? await askFor(report, asker, hints) : null;
    if (newHints === null) return report;
    hints = newHints;
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

interface ConfigFile {
  readonly path: string;
  /** Whether the file already has a complete dialect. */
  readonly hasDialect: boolean;
}

function resultOf(output: Output, report: ProbeReport, file: ConfigFile): Result {
  const { path } = file;
  const { run, draft, questions, beliefs, exchanges } = report;
  const { ending, totals, callsLeft } = run;
  const findings = reportFindings(beliefs);
  const limits = limitHeaders(exchanges);
  const isComplete = draft !== null;
  const outcome = outcomeOf(report, file);
  const text = [
    output.style('bold', outcome),
    findingsText(output, findings),
    ...(limits.length === 0 ? [] : [limitsText(limits)]),
    ...(questions.length === 0
      ? []
      : [`Open:\n${questions.map(({ text: question }) => `  ${question}`).join('\n')}`]),
    ...(ending.ended === 'interrupted' ? [] : [nextStepOf(report)]),
  ].join('\n\n');
  return {
    error: isComplete ? null : { message: outcome, hint: null },
    data: {
      ended: ending.ended,
      why: 'why' in ending ? (ending.why ?? null) : null,
      complete: isComplete,
      calls_spent: totals.calls,
      calls_left: callsLeft === Infinity ? null : callsLeft,
      file: path,
      findings,
      limits,
      questions,
      dialect: draft?.dialect ?? null,
    },
    text,
    attention: isComplete && questions.length === 0 ? null : text,
    exitCode: ending.ended === 'interrupted' ? 130 : isComplete ? 0 : 1,
  };
}

function outcomeOf({ run, draft, questions }: ProbeReport, { path, hasDialect }: ConfigFile): string {
  const { ending, totals } = run;
  const cost = counted(totals.calls, 'call');
  if (draft !== null) {
    const rest = questions.length === 0 ? '' : `, with ${counted(questions.length, 'open question')},`;
    return `${cost}: dialect found${rest} and written to ${path}.`;
  }
  if (ending.ended === 'done')
    return `${cost}: dialect not found yet. The open questions are in ${path}, with what was found.`;
  // The next step below replaces the remedy for runs, which needs a dialect.
  const cause = ending.ended === 'unauthorised' ? sentence(KEY_REFUSED, ending.why) : headlineOf(run);
  return `${cost}: ${hasDialect ? 'the dialect in the file stays' : 'dialect not found yet'}. ${cause}`;
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
  const left = run.callsLeft === Infinity ? '' : ` The account has ${counted(run.callsLeft, 'call')} left.`;
  if (draft !== null)
    return `Next: \`registry-mirror plan\` estimates the mirror's cost, \`registry-mirror sync\` builds it.${left}`;
  if (run.ending.ended === 'unauthorised')
    return `Next: correct \`upstream.api_key\`, then run \`registry-mirror probe\` again.${left}`;
  if (run.ending.ended === 'allowance' && run.ending.resumesAtMs !== null)
    return `Next: run \`registry-mirror probe\` again when calls resume. No call is repeated.${left}`;
  if (run.ending.ended !== 'done')
    return `Next: correct the cause above, then run \`registry-mirror probe\` again. No call is repeated.${left}`;
  return `Next: answer the question${questions.length === 1 ? '' : 's'} above, then run \`registry-mirror probe\` again. No call is repeated.${left}`;
}

function estimateResult(
  config: Config,
  output: Output,
  maxCalls: number,
  specification: Specification | null,
): Result {
  const cost = describeProbeCost(config, maxCalls);
  const data = { dry_run: true, max_calls: maxCalls };
  if (specification === null) return { data, text: cost };
  return {
    data: { ...data, openapi: reportStatements(specification) },
    text: `${statementsText(output, specification)}\n\n${cost}`,
  };
}

function describeProbeCost({ allowance }: Config, maxCalls: number): string {
  const time =
    allowance.per_minute === null
      ? ''
      : `, up to ${duration((maxCalls / allowance.per_minute) * 60_000)} at ${count(allowance.per_minute)} calls a minute`;
  return `At most ${counted(maxCalls, 'call')}${time}. Each response is stored.`;
}
