import type { DialectCheck } from '../operations/dialect_check.ts';
import { printable } from '../printable.ts';
import type { DialectChange } from '../probe/dialect_changes.ts';
import { counted } from '../report/figures.ts';
import { lines, type Output, type Result } from './output.ts';

/** Returns the result of `probe --check`. */
export function checkResult(
  output: Output,
  { run, answers, contradictions, proposals }: DialectCheck,
): Result {
  const isGood = contradictions.length === 0;
  const title = headline(answers, contradictions.length);
  const text = lines(
    output.style('bold', title),
    ...contradictions
      .slice(0, SHOWN)
      .map(({ kind, target, why }) => printable(`  ${kind} ${target}: ${why}`)),
    contradictions.length > SHOWN && `  … and ${contradictions.length - SHOWN} more`,
    ...(proposals.length === 0 ? [] : ['', ...describeChanges(proposals)]),
  );
  return {
    error: isGood ? null : { message: title, hint: null },
    data: { answers, contradictions, proposals, calls_spent: run?.totals.calls ?? 0 },
    text,
    attention: isGood ? null : text,
    exitCode: run?.ending.ended === 'interrupted' ? 130 : isGood ? 0 : 1,
  };
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
