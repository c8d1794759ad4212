import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { type Config, configPath, parseConfig } from '../config/config.ts';
import { withDialect, withQuestions } from '../config/write_dialect.ts';
import { describeDialect } from '../dialect/describe.ts';
import { UsageError } from '../errors.ts';
import { openWorkspace } from '../operations/assemble.ts';
import { type ProbeReport, probe } from '../operations/probe.ts';
import type { DialectDraft } from '../probe/dialect_draft.ts';
import type { Exchange } from '../probe/evidence.ts';
import { limitHeaders, type ReportedFinding, reportFindings } from '../probe/findings_report.ts';
import type { Conclusions, Hints } from '../probe/probe.ts';
import type { Question } from '../probe/user_questions.ts';
import { count, counted, duration } from '../report/figures.ts';
import { lastCallId } from '../warehouse/call.ts';
import { dialectText } from './config.ts';
import {
  interruptible,
  openContext,
  positiveNumber,
  type SharedFlags,
  standardStreams,
  wholeNumber,
  withSharedOptions,
} from './context.ts';
import type { Output } from './output.ts';
import { probeCheck } from './probe_check.ts';
import { type Asker, openAsker } from './questions.ts';
import { headlineOf } from './run_report.ts';

export interface ProbeFlags extends SharedFlags {
  readonly maxCalls?: number;
  readonly maxMinutes?: number;
  readonly queryParam?: string;
  readonly example?: readonly string[];
  readonly fresh?: boolean;
  readonly dryRun?: boolean;
  readonly check?: boolean;
  readonly yes?: boolean;
}

/** `probe`: finds out how the API speaks, and writes it into the configuration. */
export function probeCommand(): Command {
  const command = new Command('probe')
    .summary('find out how the API speaks, in a handful of calls')
    .description(
      'Asks the API a few questions, each chosen by the answers so far, and writes the dialect that it finds into the ' +
        'configuration, with a remark at everything that is not sure. Every answer is kept, and nothing is asked twice.',
    )
    .option('--max-calls <n>', 'spend at most this many calls', wholeNumber)
    .option('--max-minutes <n>', 'work at most this long', positiveNumber)
    .option('--query-param <name>', 'the parameter of the search that takes a name, if you know it')
    .option('--example <name...>', 'names of companies that are in the registry, if you know some')
    .option('--fresh', 'leave aside what earlier probes learned: the API has changed')
    .option('--dry-run', 'say what it would cost; send nothing')
    .option(
      '--check',
      'test the dialect against the stored answers, for free; with --max-calls also against the API',
    )
    .option('--yes', 'ask nothing on the terminal')
    .addHelpText('after', EXAMPLES)
    .action((flags: ProbeFlags) => (flags.check ? probeCheck(flags) : findDialect(flags)));
  return withSharedOptions(command);
}

/** Probes, writes the dialect, and prints what was found. */
export async function findDialect(flags: ProbeFlags): Promise<void> {
  const { config, output } = openContext(flags);
  const path = configPath({ path: flags.config });
  const maxCalls = flags.maxCalls ?? MOST_CALLS;
  if (flags.dryRun) return announce(config, output, maxCalls);
  const streams = standardStreams();
  const asks = !flags.yes && output.mode === 'text' && process.stdin.isTTY;
  const asker = asks ? openAsker(process.stdin, streams) : null;
  try {
    output.note(costInWords(config, maxCalls));
    const report = await probeAndAsk(config, output, asker, { ...flags, maxCalls });
    const file = write(path, report);
    print(output, report, file);
  } finally {
    asker?.close();
  }
}

const MOST_CALLS = 16;

/** Probes; where a person can help, asks, and goes on with what is left of the calls. */
async function probeAndAsk(
  config: Config,
  output: Output,
  asker: Asker | null,
  flags: ProbeFlags & { readonly maxCalls: number },
): Promise<ProbeReport> {
  const workspace = openWorkspace(config);
  const interruption = interruptible(() =>
    output.note('Finishing the call in flight (Ctrl-C again to stop at once) …'),
  );
  try {
    const order = {
      maxMinutes: flags.maxMinutes ?? Number.POSITIVE_INFINITY,
      signal: interruption.signal,
      onAnswer: narrator(output),
      after: flags.fresh ? lastCallId(workspace.warehouse.db) : 0,
    };
    let hints: Hints = { queryParam: flags.queryParam ?? null, examples: flags.example ?? [] };
    for (let left = flags.maxCalls; ; ) {
      const report = await probe(workspace, { ...order, hints, maxCalls: left });
      left -= report.run.totals.calls;
      const better = left > 0 && asker !== null ? await askFor(report, asker, hints) : null;
      if (better === null) return report;
      hints = better;
    }
  } finally {
    interruption.done();
    workspace.close();
  }
}

/** What the user can say that helps; null: nothing, or nothing is needed. */
async function askFor({ run, questions }: ProbeReport, asker: Asker, hints: Hints): Promise<Hints | null> {
  if (run.ending.ended !== 'done') return null;
  const question = questions.find(({ about }) => about === 'query_param' || about === 'example');
  if (question === undefined) return null;
  const optional = (answer: string) => answer;
  if (question.about === 'query_param' && hints.queryParam === null) {
    const param = await asker.text(
      'Which parameter of the search takes the name of a company? (empty: not known)',
      optional,
    );
    if (param !== '') return { ...hints, queryParam: param };
  }
  const name = await asker.text('The name of a company that is in the registry? (empty: give up)', optional);
  return name === '' ? null : { ...hints, examples: [...hints.examples, name] };
}

/** One line for each call, and one for each conclusion that it changed. */
function narrator(output: Output): (exchange: Exchange, conclusions: Conclusions) => void {
  let calls = 0;
  let known = new Map<string, string>();
  return ({ request, status }, conclusions) => {
    calls++;
    output.note(
      `${String(calls).padStart(2)}  ${output.style('dim', String(status ?? '---'))}  ${request.why}  ${output.style('dim', addressOf(request))}`,
    );
    const found = reportFindings(conclusions).filter(({ certainty }) => certainty !== 'open');
    for (const finding of found)
      if (known.get(finding.topic) !== signatureOf(finding))
        output.note(`         ${findingLine(output, finding)}`);
    known = new Map(found.map((finding) => [finding.topic, signatureOf(finding)]));
  };
}

function signatureOf({ value, certainty }: ReportedFinding): string {
  return `${certainty} ${value}`;
}

function findingLine(output: Output, { topic, value, certainty, because }: ReportedFinding): string {
  const colour = certainty === 'sure' ? 'green' : certainty === 'likely' ? 'yellow' : 'red';
  return `${topic}: ${output.style('bold', shown(value))} ${output.style(colour, certainty)}  ${output.style('dim', because)}`;
}

function shown(value: ReportedFinding['value']): string {
  return value === null ? 'none' : value === '' ? 'the top of the body' : String(value);
}

function addressOf({ path, params }: Exchange['request']): string {
  const few = params.slice(0, 2).map(([name, value]) => `${name}=${value}`);
  const more = params.length > 2 ? `& ${params.length - 2} more` : '';
  return `${path}${few.length === 0 ? '' : `?${few.join('&')}`}${more}`.replace(/\p{C}/gu, '�');
}

interface Written {
  readonly path: string;
  readonly isComplete: boolean;
}

/** Puts the dialect, or the questions that are open, into the file; a crash leaves the old one. */
function write(path: string, { draft, conclusions, questions }: ProbeReport): Written {
  const text = readFileSync(path, 'utf8');
  const found =
    draft === null
      ? withQuestions(
          text,
          questions.map((question) => question.text),
        )
      : withDialect(text, {
          dialect: draft.dialect,
          remarks: remarksOf(draft, questions),
          open: draft.open,
          paths: pathsOf(conclusions),
        });
  // What cannot be read back must not replace what can.
  parseConfig({ path, text: found });
  if (found === text) return { path, isComplete: draft !== null };
  try {
    writeFileSync(`${path}.new`, found);
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw new UsageError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`, {
      hint: 'make it writable, and run probe again: nothing that was asked is asked again',
      cause: error,
    });
  }
  return { path, isComplete: draft !== null };
}

function remarksOf({ notes }: DialectDraft, questions: readonly Question[]): Map<string, string> {
  const remarks = new Map([...notes].map(([key, { certainty, text }]) => [key, `${certainty}: ${text}`]));
  for (const { about, text } of questions)
    if (about === 'paging') remarks.set('search.paging', `question: ${text}`);
  return remarks;
}

/** The paths, where the documented join of the base address does not lead to them. */
function pathsOf({ addresses, joins }: Conclusions) {
  return addresses.value === null || addresses.value === joins[0] ? null : addresses.value;
}

function print(output: Output, report: ProbeReport, file: Written): void {
  const { run, draft, questions, conclusions, exchanges } = report;
  const findings = reportFindings(conclusions);
  const limits = limitHeaders(exchanges);
  const isComplete = draft !== null;
  process.exitCode = run.ending.ended === 'interrupted' ? 130 : isComplete ? 0 : 1;
  const text = [
    output.style('bold', outcomeOf(report, file)),
    findings.map((finding) => `  ${findingLine(output, finding)}`).join('\n'),
    ...(limits.length === 0 ? [] : [limits.map(({ name, value }) => `  ${name}: ${value}`).join('\n')]),
    ...(draft === null ? [] : [dialectText(output, describeDialect(draft.dialect))]),
    ...(questions.length === 0
      ? []
      : [`Open:\n${questions.map(({ text: question }) => `  ${question}`).join('\n')}`]),
  ].join('\n\n');
  output.result({
    command: 'probe',
    ok: isComplete,
    data: {
      ended: run.ending.ended,
      why: 'why' in run.ending ? run.ending.why : null,
      complete: isComplete,
      calls_spent: run.totals.calls,
      calls_left: run.callsLeft === Number.POSITIVE_INFINITY ? null : run.callsLeft,
      file: file.path,
      findings,
      limits,
      questions,
      dialect: draft?.dialect ?? null,
    },
    text,
    attention: isComplete && questions.length === 0 ? null : text,
  });
}

function outcomeOf({ run, draft, questions }: ProbeReport, { path }: Written): string {
  const { ending, totals } = run;
  const cost = counted(totals.calls, 'call');
  if (draft !== null) {
    const rest = questions.length === 0 ? '' : `, with ${counted(questions.length, 'question')} left`;
    return `${cost}: the dialect is found${rest}, and written to ${path}.`;
  }
  if (ending.ended === 'done')
    return `${cost}, and the API is not understood yet; ${path} says what is open.`;
  return `${cost}, and the API is not understood yet. ${headlineOf(run)}`;
}

function announce(config: Config, output: Output, maxCalls: number): void {
  const text = costInWords(config, maxCalls);
  output.result({
    command: 'probe',
    ok: true,
    data: { dry_run: true, max_calls: maxCalls },
    text,
    attention: null,
  });
}

function costInWords({ allowance }: Config, maxCalls: number): string {
  const time =
    allowance.per_minute === null
      ? ''
      : `; at ${count(allowance.per_minute)} a minute that takes up to ${duration((maxCalls / allowance.per_minute) * 60_000)}`;
  return `At most ${counted(maxCalls, 'call')}${time}. Each answer is kept.`;
}

const EXAMPLES = `
Examples:
  $ registry-mirror probe
  $ registry-mirror probe --max-calls 8 --query-param q
  $ registry-mirror probe --example "Acme Holdings"
  $ registry-mirror probe --check

Exit codes: 0 the dialect is written; 1 it could not be found; 2 usage or configuration; 130 interrupted.`;
