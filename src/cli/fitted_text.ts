import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'fast-string-width';

/**
 * Breaks lines that are wider than the terminal, at spaces. A continuation line of `  label   text` starts below
 * `text`; other continuation lines get two more spaces. A word that is too long is not broken.
 */
export function fittedText(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => (stringWidth(line) <= columns ? [line] : brokenLine(line, columns)))
    .join('\n');
}

function brokenLine(line: string, columns: number): string[] {
  const plain = stripVTControlCharacters(line);
  // A broken command gets backslashes, so that it can be pasted into a shell.
  const isCommand = /^ *\$ /.test(plain) && !/\S {2,}\S/.test(plain);
  const indent = ' '.repeat(isCommand ? hangOf('', plain) : indentOf(plain, columns));
  const lines = broken(line, { columns: isCommand ? columns - 2 : columns, indent, isCommand });
  return isCommand ? lines.map((one, at) => (at === lines.length - 1 ? one : `${one} \\`)) : lines;
}

interface LineFormat {
  readonly columns: number;
  readonly indent: string;
  readonly isCommand: boolean;
}

function broken(line: string, { columns, indent, isCommand }: LineFormat): string[] {
  const words = wordsOf(line.trimStart(), isCommand);
  const lines: string[] = [];
  const leading = /^ */.exec(line)?.[0] ?? '';
  let current = leading;
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

/** The column after the label, if the label takes at most half of the line. */
function indentOf(plain: string, columns: number): number {
  const label = LABEL.exec(plain)?.[0] ?? '';
  return hangOf(label.length <= columns / 2 ? label : '', plain);
}

function hangOf(label: string, plain: string): number {
  if (label !== '') return label.length;
  const begin = plain.search(/\S/);
  return begin === 0 || begin >= DEEP ? begin : begin + 2;
}

/** The units that are not broken: a number with `%`, a time with its zone; in a command also a flag with its value, and quoted text. */
function wordsOf(text: string, isCommand: boolean): string[] {
  if (!isCommand) return text.split(/(?<!\d\d:\d\d) (?!%)/);
  return text.match(/(?:--?[a-z-]+ )?(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [text];
}

// The labels of `status` have up to ten letters, and one space follows the longest.
const LABEL = /^ *\S+(?: \S+)* {2,}(?=\S)|^ {2}[a-z]{10} (?=\S)/;
// A line with this indentation is already a continuation line.
const DEEP = 8;
