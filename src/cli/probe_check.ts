import { requireDialect } from '../config/config.ts';
import { openWorkspace } from '../operations/assemble.ts';
import { checkDialect, type DialectCheck } from '../operations/dialect_check.ts';
import { printable } from '../printable.ts';
import type { DialectChange } from '../probe/dialect_changes.ts';
import { counted } from '../report/figures.ts';
import { interruptible, openContext, type SharedFlags } from './context.ts';
import type { Output } from './output.ts';

interface CheckFlags extends SharedFlags {
  readonly maxCalls?: number;
}

/** `probe --check`: checks the dialect against stored responses and, with `--max-calls`, against new ones. */
export async function probeCheck(flags: CheckFlags): Promise<void> {
  const { config, output } = await openContext(flags);
  requireDialect(config);
  const workspace = openWorkspace(config);
  const interruption = interruptible(() => output.note('Finishing the in-flight call …'));
  try {
    report(
      output,
      await checkDialect(workspace, { maxCalls: flags.maxCalls ?? 0, signal: interruption.signal }),
    );
  } finally {
    interruption.done();
    workspace.close();
  }
}

function report(output: Output, { run, answers, contradictions, proposals }: DialectCheck): void {
  const isGood = contradictions.length === 0;
  process.exitCode = run?.ending.ended === 'interrupted' ? 130 : isGood ? 0 : 1;
  const text = [
    output.style('bold', headline(answers, contradictions.length)),
    ...contradictions
      .slice(0, SHOWN)
      .map(({ kind, target, why }) => printable(`  ${kind} ${target}: ${why}`)),
    ...(contradictions.length > SHOWN ? [`  … and ${contradictions.length - SHOWN} more`] : []),
    ...(proposals.length === 0 ? [] : ['', ...describeChanges(proposals)]),
  ].join('\n');
  output.result({
    command: 'probe',
    error: isGood ? null : { message: headline(answers, contradictions.length), hint: null },
    data: { answers, contradictions, proposals, calls_spent: run?.totals.calls ?? 0 },
    text,
    attention: isGood ? null : text,
  });
}

const SHOWN = 10;

function headline(answers: number, contradictions: number): string {
  if (answers === 0) return 'No responses are stored yet. Add --max-calls 3 to check with new calls.';
  if (contradictions === 0) return `The dialect can read ${counted(answers, 'stored response')}.`;
  return `The dialect cannot read ${contradictions} of ${counted(answers, 'stored response')}.`;
}

/** Describes proposed changes to the dialect as configuration lines, each with its old value. */
export function describeChanges(changes: readonly DialectChange[]): string[] {
  if (changes.length === 0) return [];
  return [
    'With these changes the dialect can read the responses. Edit the configuration, then run `registry-mirror probe --check`:',
    '  dialect:',
    ...['search', 'entity', 'stats'].flatMap((section) => {
      const own = changes.filter(({ key }) => key.startsWith(`${section}.`));
      if (own.length === 0) return [];
      return [`    ${section}:`, ...own.map((change) => `      ${lineOf(change, section)}`)];
    }),
  ];
}

function lineOf({ key, from, to, because }: DialectChange, section: string): string {
  return `${key.slice(section.length + 1)}: ${shown(to)}   # was ${shown(from)}; ${because}`;
}

function shown(value: string | null): string {
  return value === null ? 'null' : value === '' ? "''" : value;
}
