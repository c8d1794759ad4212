import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

/**
 * Breaks the lines of a text that are wider than the terminal, at spaces. What goes on stands under the text of
 * `  label   text`, else a little further in than its line began. A longer word stays whole.
 */
export function fittedText(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => (stringWidth(line) <= columns ? [line] : brokenLine(line, columns)))
    .join('\n');
}

function brokenLine(line: string, columns: number): string[] {
  const plain = stripVTControlCharacters(line);
  // A command is broken so that it can still be pasted into a shell.
  const isCommand = /^ *\$ /.test(plain) && !/\S {2,}\S/.test(plain);
  const indent = ' '.repeat(isCommand ? hangOf('', plain) : indentOf(plain, columns));
  const lines = broken(line, { columns: isCommand ? columns - 2 : columns, indent, isCommand });
  return isCommand ? lines.map((one, at) => (at === lines.length - 1 ? one : `${one} \\`)) : lines;
}

interface Room {
  readonly columns: number;
  readonly indent: string;
  readonly isCommand: boolean;
}

function broken(line: string, { columns, indent, isCommand }: Room): string[] {
  const words = wordsOf(line.trimStart(), isCommand);
  const lines: string[] = [];
  const begin = /^ */.exec(line)?.[0] ?? '';
  let current = begin;
  let isEmpty = true;
  for (const word of words) {
    const longer = isEmpty ? current + word : `${current} ${word}`;
    if (isEmpty || stringWidth(longer) <= columns) current = longer;
    else {
      lines.push(current.trimEnd());
      current = indent + word;
    }
    isEmpty = current.trim() === '';
  }
  return [...lines, current];
}

/** The column of what stands after the label; no further than half-way, or little room is left. */
function indentOf(plain: string, columns: number): number {
  const label = LABEL.exec(plain)?.[0] ?? '';
  return hangOf(label.length <= columns / 2 ? label : '', plain);
}

function hangOf(label: string, plain: string): number {
  if (label !== '') return label.length;
  const begin = plain.search(/\S/);
  return begin === 0 || begin >= DEEP ? begin : begin + 2;
}

/** What stays together: a figure with its `%`, a time with its zone; in a command, a flag with its value, and quotes. */
function wordsOf(text: string, isCommand: boolean): string[] {
  if (!isCommand) return text.split(/(?<!\d\d:\d\d) (?!%)/);
  return text.match(/(?:--?[a-z-]+ )?(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [text];
}

// The labels of `status` are up to ten letters long, with one space behind the longest.
const LABEL = /^ *\S+(?: \S+)* {2,}(?=\S)|^ {2}[a-z]{10} (?=\S)/;
// What begins so far in stands below another text already.
const DEEP = 8;
