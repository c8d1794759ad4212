import { createInterface, type Interface } from 'node:readline/promises';
import { UsageError } from '../errors.ts';
import { fittedTo, type Output, type Streams, standardStreams } from './output.ts';

interface Option<T> {
  readonly label: string;
  readonly value: T;
}

/** Asks the user at a terminal. Questions are printed on standard error, so that standard output contains only data. */
export class Asker implements Disposable {
  readonly #input: NodeJS.ReadableStream;
  readonly #stderr: NodeJS.WriteStream;
  readonly #lines: Interface;
  /** Also keeps the lines that arrive while no question is open, when the user pastes several answers. */
  readonly #answers: AsyncIterator<string>;

  constructor(input: NodeJS.ReadableStream, { stderr }: Pick<Streams, 'stderr'>) {
    this.#input = input;
    this.#stderr = stderr;
    this.#lines = createInterface({ input, output: stderr });
    this.#lines.on('SIGINT', () => {
      stderr.write('\n');
      process.exit(130);
    });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  /** Repeats the question until `read` accepts the answer. `read` returns an Error that explains an invalid answer. */
  async text<T>(question: string, read: (answer: string) => T | Error, byDefault?: string): Promise<T> {
    for (;;) {
      this.#prompt(byDefault === undefined ? question : `${question} [${byDefault}]`);
      const { value: answer, done } = await this.#answers.next();
      if (done)
        throw new UsageError('the input ended before all questions were answered', {
          hint: 'Use flags and --yes instead.',
        });
      const value = read(answer.trim() === '' ? (byDefault ?? '') : answer.trim());
      if (!(value instanceof Error)) return value;
      this.#print(`  ${value.message}`);
    }
  }

  choice<T>(question: string, options: readonly Option<T>[], byDefault?: number): Promise<T> {
    const listed = options.map(({ label }, index) => `  ${index + 1}  ${label}`);
    this.#print([question, ...listed].join('\n'));
    const read = (answer: string) => optionOf(options, answer);
    return this.text('Number?', read, byDefault === undefined ? undefined : String(byDefault + 1));
  }

  yes(question: string, byDefault: boolean): Promise<boolean> {
    return this.text(question, readYes, byDefault ? 'yes' : 'no');
  }

  [Symbol.dispose](): void {
    this.#lines.close();
  }

  #prompt(question: string): void {
    const shown = fittedTo(this.#stderr, question);
    // The line editor gets only the last line of the question, because it redraws its prompt.
    const lastLineAt = shown.lastIndexOf('\n') + 1;
    this.#stderr.write(shown.slice(0, lastLineAt));
    this.#lines.setPrompt(`${shown.slice(lastLineAt)} `);
    // Answers can remain after the end of the input, but readline then accepts no prompt.
    if (this.#input.readable) this.#lines.prompt();
  }

  #print(text: string): void {
    this.#stderr.write(`${fittedTo(this.#stderr, text)}\n`);
  }
}

/** Opens an asker if the command may ask questions: at a terminal, and without `--yes`. */
export function askerFor({ mode }: Output, yes = false): Asker | null {
  return !yes && mode === 'text' && process.stdin.isTTY ? new Asker(process.stdin, standardStreams()) : null;
}

/** Asks one question at the terminal, to which no is the default answer. */
export async function confirmed(question: string): Promise<boolean> {
  using asker = new Asker(process.stdin, standardStreams());
  return await asker.yes(question, false);
}

function optionOf<T>(options: readonly Option<T>[], answer: string): T | Error {
  const named = options.filter(({ label }) => label.toLowerCase().startsWith(answer.toLowerCase()));
  const byLabel = named.length === 1 ? named[0] : undefined;
  const option = /^\d+$/.test(answer) ? options[Number(answer) - 1] : byLabel;
  return option === undefined ? new Error(`Enter a number from 1 to ${options.length}.`) : option.value;
}

function readYes(answer: string): boolean | Error {
  if (/^y(es)?$/i.test(answer)) return true;
  if (/^no?$/i.test(answer)) return false;
  return new Error('Enter yes or no.');
}

/** Returns a reader that accepts integers of at least `least`. */
export function readCount(least: number): (answer: string) => number | Error {
  return (answer) => {
    const value = /^\d[\d,_ ]*$/.test(answer) ? Number(answer.replace(/[,_ ]/g, '')) : Number.NaN;
    return value >= least ? value : new Error(`Enter a whole number of at least ${least}.`);
  };
}

export function readText(what: string): (answer: string) => string | Error {
  return (answer) => (answer === '' ? new Error(`Enter ${what}.`) : answer);
}
