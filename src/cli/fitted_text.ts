import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'fast-string-width';

/**
 * Breaks lines that are wider than the terminal. Lines are broken only at spaces, so a long word can be wider than the
 * terminal. If a line has the form `  label   text`, its continuation lines start below `text`. All other continuation
 * lines are indented by two more spaces.
 */
export function fittedText(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => (stringWidth(line) <= columns ? [line] : brokenLine(line, columns)))
    .join('\n');
}

function brokenLine(line: string, columns: number): string[] {
  const plain = stripVTControlCharacters(line);
  // If a command is split across lines, each line but the last ends with a backslash, so that the command can be
  // pasted into a shell.
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

/**
 * Returns the indent for continuation lines, which start below the text if the label takes up at most half of the line.
 */
function indentOf(plain: string, columns: number): number {
  const label = LABEL.exec(plain)?.[0] ?? '';
  return hangOf(label.length <= columns / 2 ? label : '', plain);
}

function hangOf(label: string, plain: string): number {
  if (label !== '') return label.length;
  const begin = plain.search(/\S/);
  return begin === 0 || begin >= DEEP ? begin : begin + 2;
}

/**
 * Splits text into parts that must not be broken, such as words, a number with `%`, and a time with its zone. In a
 * command, a flag is also kept together with its value, and quoted text is not broken.
 */
function wordsOf(text: string, isCommand: boolean): string[] {
  if (!isCommand) return text.split(/(?<!\d\d:\d\d) (?!%)/);
  return text.match(/(?:--?[a-z-]+ )?(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [text];
}

// The second alternative matches the longest labels in `status`, which have ten letters and only one space after them.
const LABEL = /^ *\S+(?: \S+)* {2,}(?=\S)|^ {2}[a-z]{10} (?=\S)/;
// A line with at least this indentation is already a continuation line.
const DEEP = 8;
