import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

// The arguments, output and temporary files of a script that `test/run.ts` starts.

type Default = boolean | number | string | null | readonly number[] | readonly string[];

/** The arguments' types, which follow from their defaults. An argument whose default is null is a text. */
type Arguments<Defaults> = {
  readonly [Key in keyof Defaults]: Defaults[Key] extends readonly number[]
    ? readonly number[]
    : Defaults[Key] extends readonly string[]
      ? readonly string[]
      : Defaults[Key] extends number
        ? number
        : Defaults[Key] extends boolean
          ? boolean
          : Defaults[Key] extends string
            ? string
            : string | null;
};

/**
 * Reads the script's arguments: `--per-minute 60` for the key `perMinute`, and `--sizes 1,2` for a list. Throws if an
 * argument is unknown or a number is invalid.
 */
export function argumentsOf<Defaults extends Readonly<Record<string, Default>>>(
  defaults: Defaults,
): Arguments<Defaults> {
  const entries = Object.entries(defaults);
  const { values } = parseArgs({
    options: Object.fromEntries(
      entries.map(([key, value]) => [flagOf(key), { type: value === false ? 'boolean' : 'string' }]),
    ),
  });
  const read = ([key, value]: [string, Default]) => {
    const given = values[flagOf(key)];
    return [key, typeof given === 'string' ? parsed(given, value, key) : (given ?? value)];
  };
  return Object.fromEntries(entries.map(read)) as Arguments<Defaults>;
}

function flagOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function parsed(text: string, like: Default, key: string): string | number | (string | number)[] {
  if (Array.isArray(like)) return text.split(',').map((one) => parsed(one, like[0], key) as string | number);
  if (typeof like !== 'number') return text;
  if (text.trim() === '' || Number.isNaN(Number(text)))
    throw new Error(`--${flagOf(key)} is not a number: ${text}`);
  return Number(text);
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Creates a folder that is deleted when the process ends. If `kept` is a path, that folder is used and kept instead. */
export function scriptFolder(kept: string | null = null): string {
  if (kept !== null) {
    mkdirSync(kept, { recursive: true });
    return kept;
  }
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
