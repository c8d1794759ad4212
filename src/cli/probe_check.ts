import { openHouse } from '../assemble.ts';
import { requireDialect } from '../config.ts';
import { counted } from '../figures.ts';
import { checkDialect, type DialectCheck } from '../probe_check.ts';
import { interruptible, openContext, type SharedFlags } from './context.ts';
import type { Output } from './output.ts';
import { describeChanges } from './proposal.ts';

interface CheckFlags extends SharedFlags {
  readonly maxCalls?: number;
}

/** `probe --check`: does the dialect understand what is stored, and, if calls may be spent, what comes now? */
export async function probeCheck(flags: CheckFlags): Promise<void> {
  const { config, output } = openContext(flags);
  requireDialect(config);
  const house = openHouse(config);
  const interruption = interruptible(() => output.note('Finishing the call in flight …'));
  try {
    report(output, await checkDialect(house, { maxCalls: flags.maxCalls ?? 0, signal: interruption.signal }));
  } finally {
    interruption.done();
    house.close();
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
    data: { answers, contradictions, proposals, calls_spent: run?.tally.calls ?? 0 },
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
