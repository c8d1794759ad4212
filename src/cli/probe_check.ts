import { requireDialect } from '../config/config.ts';
import { openWorkspace } from '../operations/assemble.ts';
import { checkDialect, type DialectCheck } from '../operations/dialect_check.ts';
import type { DialectChange } from '../probe/dialect_changes.ts';
import { counted } from '../report/figures.ts';
import { interruptible, openContext, type SharedFlags } from './context.ts';
import type { Output } from './output.ts';

interface CheckFlags extends SharedFlags {
  readonly maxCalls?: number;
}

/** `probe --check`: does the dialect understand what is stored, and, if calls may be spent, what comes now? */
export async function probeCheck(flags: CheckFlags): Promise<void> {
  const { config, output } = openContext(flags);
  requireDialect(config);
  const workspace = openWorkspace(config);
  const interruption = interruptible(() => output.note('Finishing the call in flight …'));
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
      .map(({ kind, target, why }) => `  ${kind} ${target}: ${why}`.replace(/\p{C}/gu, '�')),
    ...(contradictions.length > SHOWN ? [`  … and ${contradictions.length - SHOWN} more`] : []),
    ...(proposals.length === 0 ? [] : ['', ...describeChanges(proposals)]),
  ].join('\n');
  output.result({
    command: 'probe --check',
    ok: isGood,
    data: { answers, contradictions, proposals, calls_spent: run?.totals.calls ?? 0 },
    text,
    attention: isGood ? null : text,
  });
}

const SHOWN = 10;

function headline(answers: number, contradictions: number): string {
  if (answers === 0) return 'No answers are stored yet; with --max-calls 3 the API itself is asked.';
  if (contradictions === 0) return `The dialect understands ${counted(answers, 'stored answer')}.`;
  return `The dialect does not understand ${contradictions} of ${counted(answers, 'stored answer')}.`;
}

/** Changes of the dialect as a person can apply them: the keys of the configuration, each with what stood there. */
export function describeChanges(changes: readonly DialectChange[]): string[] {
  if (changes.length === 0) return [];
  return [
    'These changes of the dialect would fit the answers; write them into the configuration, then `registry-mirror probe --check`:',
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
